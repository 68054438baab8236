package texts

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func catalog(t *testing.T, overrides map[string]map[string]string) *Catalog {
	t.Helper()
	c, err := New(overrides)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestEveryLanguage proves that every language has every text, with the same
// placeholders, and none twice.
func TestEveryLanguage(t *testing.T) {
	c := catalog(t, nil)
	if len(c.tags) < 2 {
		t.Fatalf("languages are %v", c.tags)
	}
	for _, tag := range c.tags {
		texts := c.texts[tag]
		if want, got := c.Keys(), slices.Sorted(maps.Keys(texts)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s has the keys %v, English has %v", tag, got, want)
		}
		for key, text := range texts {
			if err := c.Check(tag, key, text); err != nil {
				t.Errorf("%s: %s: %v", tag, key, err)
			}
			if strings.TrimSpace(text) != text {
				t.Errorf("%s: %s: there is space around %q", tag, key, text)
			}
		}
		checkTwice(t, tag)
	}
}

// checkTwice fails where a key is in a file twice: a JSON decoder takes the last.
func checkTwice(t *testing.T, tag string) {
	t.Helper()
	b, err := shipped.ReadFile("languages/" + tag + ".json")
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(b)))
	seen := map[string]bool{}
	for i := 0; ; i++ {
		token, err := d.Token()
		if err != nil {
			break
		}
		if key, ok := token.(string); ok && i%2 == 1 {
			if seen[key] {
				t.Errorf("%s: %s is there twice", tag, key)
			}
			seen[key] = true
		}
	}
	if len(seen) == 0 {
		t.Errorf("%s: no keys were seen", tag)
	}
}

// TestFor proves which language is spoken to whom.
func TestFor(t *testing.T) {
	c := catalog(t, nil)
	tests := []struct {
		wanted []string
		want   string
	}{
		{nil, "en"}, {[]string{""}, "en"}, {[]string{"es"}, "es"}, {[]string{"es-MX"}, "es"}, {[]string{"ES_ar"}, "es"},
		{[]string{"en-GB"}, "en"}, {[]string{"ja"}, "en"}, {[]string{"", "es"}, "es"}, {[]string{"ja", "es"}, "es"},
		{[]string{"en", "es"}, "en"}, {[]string{"not a language", "es"}, "es"}, {[]string{"\x00"}, "en"},
		{[]string{strings.Repeat("es-", 10_000)}, "en"},
	}
	for _, test := range tests {
		if got := c.For(test.wanted...).Language().Tag; got != test.want {
			t.Errorf("whoever wants %.60q is spoken to in %s, want %s", test.wanted, got, test.want)
		}
	}
}

// TestFind proves what people may call a language.
func TestFind(t *testing.T) {
	c := catalog(t, map[string]map[string]string{"de": {"tasks.none": "Noch keine Aufgaben."}})
	for word, want := range map[string]string{
		"es": "es", "ES": "es", "es-MX": "es", "Español": "es", "español": "es", "spanish": "es",
		"inglés": "en", "en": "en", "de": "de", "de-AT": "de",
		"": "", "ja": "", "klingon": "", "{language}": "", "e": "", "\u202e": "",
	} {
		got, ok := c.Find(word)
		if got.Tag != want || ok != (want != "") {
			t.Errorf("%q is %q, %v; want %q", word, got.Tag, ok, want)
		}
	}
	want := []Language{{"en", "English"}, {"de", "de"}, {"es", "Español"}}
	if got := c.Languages(); !reflect.DeepEqual(got, want) {
		t.Errorf("languages are %v, want %v", got, want)
	}
}

// TestLocalize proves that values are put in as they are, once.
func TestLocalize(t *testing.T) {
	es := catalog(t, nil).For("es")
	if got, want := es.Localize("agent.unknown", "agent", "{agents}", "agents", "{agent} $1"), "No hay ningún agente {agents}. Puedes hablar con: {agent} $1."; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	if got := es.Localize("no.such.key", "agent", "x"); got != "no.such.key" {
		t.Errorf("what is not there is said as %q", got)
	}
}

// TestOverrides proves what an installation may say differently.
func TestOverrides(t *testing.T) {
	c := catalog(t, map[string]map[string]string{
		"es":    {"tasks.none": "Ni una."},
		"es_mx": {"tasks.none": "Ninguna, órale."},
		"de":    {"tasks.none": "Noch keine Aufgaben.", "language": "Deutsch, German"},
	})
	tests := []struct{ language, key, want string }{
		{"es", "tasks.none", "Ni una."}, {"es-ES", "tasks.none", "Ni una."}, {"es-MX", "tasks.none", "Ninguna, órale."},
		{"es", "stop.done", "Detenido."}, {"es-MX", "stop.done", "Detenido."},
		{"de", "tasks.none", "Noch keine Aufgaben."}, {"de", "stop.done", "Stopped."},
		{"en", "tasks.none", "No tasks yet."},
	}
	for _, test := range tests {
		if got := c.For(test.language).Localize(test.key); got != test.want {
			t.Errorf("%s: %s is %q, want %q", test.language, test.key, got, test.want)
		}
	}
	refused := []struct{ language, key, text, want string }{
		{"es", "tasks.no", "x", "unknown key"},
		{"es", "tasks.none", " ", "is empty"},
		{"es", "tasks.none", strings.Repeat("x", 2001), "is longer than 2000 bytes"},
		{"es", "tasks.none", "\xff", "is not UTF-8 text"},
		{"es", "tasks.none", "Hay {count}.", "unknown placeholder {count}: this text has none"},
		{"es", "agent.active", "Hola.", "the placeholder {agent} is missing: this text needs {agent}"},
		{"es", "agent.active", "{agent} {agnt}", "unknown placeholder {agnt}: this text has {agent}"},
		{"spanisch!", "tasks.none", "x", `"spanisch!" is not a language tag such as es or pt-BR`},
		{"und", "tasks.none", "x", `"und" is not a language tag such as es or pt-BR`},
	}
	for _, test := range refused {
		_, err := New(map[string]map[string]string{test.language: {test.key: test.text}})
		if want := "texts: " + test.language + ": " + test.key + ": " + test.want; err == nil || err.Error() != want {
			t.Errorf("%s: %s: %.40q is refused with %v, want %q", test.language, test.key, test.text, err, want)
		}
	}
}

// TestSentence proves how a part of a sentence is made a whole one, and that a value
// may be a text itself.
func TestSentence(t *testing.T) {
	es := catalog(t, nil).For("es")
	for _, test := range []struct {
		text Key
		args []any
		want string
	}{
		{"refusal.empty", nil, "El mensaje está vacío."},
		{"refusal.paused", nil, "errand está en pausa: no se llama a ningún modelo."},
		{"refusal.not_finished", []any{"task", "t-7k3", "state", Key("state.working")}, "t-7k3 sigue en curso."},
		{"agents.none", nil, "No hay ningún agente con el que puedas hablar."},
	} {
		if got := es.Sentence(test.text, test.args...); got != test.want {
			t.Errorf("%s is %q, want %q", test.text, got, test.want)
		}
	}
	if got := Shipped().Fill("refusal.fast", "seconds", 7); !strings.Contains(got, "7 seconds") {
		t.Errorf("a number is written as in %q", got)
	}
}

// TestNumber proves that numbers are written as people do.
func TestNumber(t *testing.T) {
	c := catalog(t, nil)
	for _, test := range []struct {
		n        float64
		decimals int
		en, es   string
	}{
		{0, 0, "0", "0"}, {999, 0, "999", "999"}, {1234, 0, "1,234", "1234"}, {12345, 0, "12,345", "12\u00a0345"},
		{1234567.891, 2, "1,234,567.89", "1\u00a0234\u00a0567,89"}, {0.5, 2, "0.50", "0,50"}, {2.5, -1, "2.5", "2,5"},
	} {
		if en, es := c.For("en").Number(test.n, test.decimals), c.For("es").Number(test.n, test.decimals); en != test.en || es != test.es {
			t.Errorf("%v is %q and %q, want %q and %q", test.n, en, es, test.en, test.es)
		}
	}
}
