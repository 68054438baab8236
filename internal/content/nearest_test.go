package content

import "testing"

// TestNearestWord proves which word is taken for a mistyped one.
func TestNearestWord(t *testing.T) {
	known := []string{"/help", "/task", "/tasks", "/status", "/stop", "/history", "/agent", "/agents"}
	for word, want := range map[string]string{
		"/hepl": "/help", "/HELP": "/help", "/taks": "/task", "/tsaks": "/tasks", "/stat": "/status", "/hist": "/history",
		"/agentss": "/agents", "/sotp": "/stop", "/": "", "": "", "/xyzzy": "", "/quit-everything": "",
		"/\u00f1\u00f1": "", "/histórico": "",
	} {
		if got := NearestWord(word, known); got != want {
			t.Errorf("%q is taken for %q, want %q", word, got, want)
		}
	}
	if got := NearestWord("api_key", []string{"api", "api_key_env"}); got != "api_key_env" {
		t.Errorf("a word that goes on is meant before one that is shorter, got %q", got)
	}
}
