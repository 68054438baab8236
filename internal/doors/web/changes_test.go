package web

import (
	"bufio"
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestChanges proves that changes of lists are streamed by name, and that the stream ends
// when its reader may read it no more.
func TestChanges(t *testing.T) {
	m := &memory{}
	server := serve(t, m, func(o *Options) { o.Beat = time.Millisecond })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/api/changes?person=owner", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer token-p-pat")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var told []string
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), ": still") {
		if lines.Text() != "" {
			told = append(told, lines.Text())
		}
	}
	want := []string{`data: {"lists":[]}`, `data: {"lists":["tasks","deliveries"]}`, `data: {"lists":["questions"]}`}
	if !slices.Equal(told, want) || !m.was("SubscribeLists owner") {
		t.Errorf("told was %q after %q", told, m.asked)
	}
	m.mu.Lock()
	delete(m.logins, "token-p-pat")
	m.mu.Unlock()
	for lines.Scan() { // until the server ends it
	}
	if ctx.Err() != nil {
		t.Error("the stream goes on though who reads it was logged out")
	}
	status, answer := request(t, server, http.MethodGet, "/api/changes?person=owner", "", map[string]string{"Authorization": "Bearer token-p-mia"})
	if status != http.StatusForbidden {
		t.Errorf("another's changes are answered with %d %s", status, answer)
	}
}
