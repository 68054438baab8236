package attack

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestTokensMakeNothingThatOutlivesThem proves that a token of one day, in the hands of
// a thief, makes neither a login nor another token that goes on after it, whichever way
// it is made, and that an open stream ends with it too.
func TestTokensMakeNothingThatOutlivesThem(t *testing.T) {
	const form = "application/x-www-form-urlencoded"
	type token struct {
		ID, Token, Parent string
		Expires           time.Time
	}
	makesFor := func(person string, v visitor, days int, header ...string) (made token) {
		t.Helper()
		got := v.ask(t, "POST", "/api/people/"+person+"/tokens", fmt.Sprintf(`{"name":"x","days":%d}`, days), header...)
		if got.status != http.StatusCreated || json.Unmarshal([]byte(got.body), &made) != nil {
			t.Fatalf("a token is answered with %d %s", got.status, got.body)
		}
		return made
	}
	makes := func(v visitor, days int, header ...string) token { return makesFor("owner", v, days, header...) }
	cookie := func(got answer) string {
		t.Helper()
		value, _, _ := strings.Cut(got.header.Get("Set-Cookie"), ";")
		if got.status != http.StatusOK || value == "" {
			t.Fatalf("a login is answered with %d %s", got.status, got.body)
		}
		return value
	}
	day := makes(here.owner, 1)
	thief := visitor{"a thief", "Bearer " + day.Token}
	// The ways: the form, a link, a token that does not expire, and each of them again
	// from what they made.
	form1 := cookie(here.stranger.ask(t, "POST", "/login", "token="+day.Token, "Content-Type", form))
	link := func(v visitor, header ...string) string {
		t.Helper()
		var made struct{ Path string }
		got := v.ask(t, "POST", "/api/me/link", "", header...)
		if json.Unmarshal([]byte(got.body), &made) != nil || made.Path == "" {
			t.Fatalf("a link is answered with %d %s", got.status, got.body)
		}
		_, secret, _ := strings.Cut(made.Path, "#")
		return cookie(here.stranger.ask(t, "POST", "/login/link", `{"link":"`+secret+`"}`))
	}
	byLink, again := link(thief), link(here.stranger, "Cookie", form1)
	forGood, fromLogin := makes(thief, 0), makes(here.stranger, 0, "Cookie", again)
	forMember := makesFor("p-member", thief, 0)
	form2 := cookie(here.stranger.ask(t, "POST", "/login", "token="+forGood.Token, "Content-Type", form))
	for what, made := range map[string]token{"a token": forGood, "a login": fromLogin, "a token, for another person,": forMember} {
		if made.Parent != day.ID || !made.Expires.Equal(day.Expires) {
			t.Errorf("what %s made is of %s and expires %v; want %s, %v", what, made.Parent, made.Expires, day.ID, day.Expires)
		}
	}
	got := here.owner.ask(t, "GET", "/api/people/owner/tokens", "")
	var list []token
	if err := json.Unmarshal([]byte(got.body), &list); err != nil {
		t.Fatal(err)
	}
	for _, one := range list {
		if one.Parent != "" && (one.Expires.IsZero() || one.Expires.After(day.Expires)) {
			t.Errorf("%s expires %v, after its parent", one.ID, one.Expires)
		}
	}

	shown := map[string][]string{
		"the token": {"Authorization", thief.authorization}, "the form": {"Cookie", form1}, "a link": {"Cookie", byLink}, "a link of a login": {"Cookie", again},
		"a token of the token": {"Authorization", "Bearer " + forGood.Token}, "a token of a login": {"Authorization", "Bearer " + fromLogin.Token}, "a login of that": {"Cookie", form2},
		"a token for another person": {"Authorization", "Bearer " + forMember.Token},
	}
	status := func(header []string) int { return here.stranger.ask(t, "GET", "/api/me", "", header...).status }
	for what, header := range shown {
		if status(header) != http.StatusOK {
			t.Errorf("%s is refused before the token is revoked", what)
		}
	}
	ended := stream(t, "Cookie", byLink)
	if got := here.owner.ask(t, "DELETE", "/api/tokens/"+day.ID, ""); got.status != http.StatusOK {
		t.Fatalf("revoked: %d %s", got.status, got.body)
	}
	for what, header := range shown {
		if got := status(header); got != http.StatusUnauthorized {
			t.Errorf("%s is answered with %d after the token is revoked", what, got)
		}
	}
	if got := status([]string{"Authorization", here.owner.authorization}); got != http.StatusOK {
		t.Errorf("the key is answered with %d", got)
	}
	for tick, i := time.NewTicker(300*time.Millisecond), 0; ; i++ {
		here.owner.ask(t, "POST", "/api/sessions/main/messages?wait=false", fmt.Sprintf(`{"text":"secret","message_id":"ended-%d"}`, i))
		select {
		case <-ended:
			return
		case <-tick.C:
			if i == 60 {
				t.Fatal("the stream goes on after the token is revoked")
			}
		}
	}
}

// stream opens the events of the visitor's chat; it is closed when the server ends it.
func stream(t *testing.T, header ...string) <-chan struct{} {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "GET", here.url+"/api/sessions/main/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(header[0], header[1])
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("the stream is answered with %v, %v", resp, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer resp.Body.Close()
		io.Copy(io.Discard, resp.Body)
	}()
	return ended
}
