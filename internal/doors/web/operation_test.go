package web

import "testing"

// TestAnswersAreNotKept proves that neither browsers nor caches keep answers of the API: a
// computer may be shared. They keep the pages.
func TestAnswersAreNotKept(t *testing.T) {
	server := serve(t, &memory{}, nil)
	tests := []struct {
		method, path, body string
		want               string
	}{
		{"POST", "/api/people/p-mia/tokens", `{"name":"phone"}`, "no-store"},
		{"POST", "/api/me/link", "", "no-store"},
		{"POST", "/api/channels/whatsapp/main/code", `{"phone":"+49 171 1234567"}`, "no-store"},
		{"GET", "/api/channels/whatsapp/main/qr", "", "no-store"},
		{"GET", "/api/me", "", "no-store"},
		{"POST", "/trigger-bot", `{"agent":"sasha","task":"x"}`, "no-store"},
		{"GET", "/", "", "no-cache"},
	}
	for _, test := range tests {
		resp := exchange(t, server, test.method, test.path, test.body, nil)
		resp.Body.Close()
		if got := resp.Header.Get("Cache-Control"); resp.StatusCode/100 != 2 || got != test.want {
			t.Errorf("%s %s = %d, Cache-Control %q; want %q", test.method, test.path, resp.StatusCode, got, test.want)
		}
	}
}
