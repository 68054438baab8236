package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// A screen is what somebody at the terminal sees.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// TestTry proves that somebody at a terminal can write to a bot, and sees what it
// does.
func TestTry(t *testing.T) {
	in, keys := io.Pipe()
	out, ended := &screen{}, make(chan error)
	go func() { ended <- run(t.Context(), "127.0.0.1:0", in, out) }()
	sees := func(want string) string {
		t.Helper()
		for deadline := time.Now().Add(10 * time.Second); !strings.Contains(out.String(), want); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("there is no %q in\n%s", want, out)
			}
		}
		return out.String()
	}
	found := regexp.MustCompile(`at (http://\S+)\. (?s:.*)TELEGRAM_TOKEN=(\S+)`).FindStringSubmatch(sees("Ctrl-D"))
	if found == nil {
		t.Fatalf("it does not say how:\n%s", out)
	}
	api := func(method, params string) json.RawMessage {
		t.Helper()
		resp, err := http.Post(found[1]+"/bot"+found[2]+"/"+method, "application/json", strings.NewReader(params))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var answer struct {
			OK     bool
			Result json.RawMessage
		}
		if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || !answer.OK {
			t.Fatalf("%s: %+v, %v", method, answer, err)
		}
		return answer.Result
	}
	fmt.Fprintln(keys, "hello there")
	if got := string(api("getUpdates", `{"timeout": 10}`)); !strings.Contains(got, "hello there") {
		t.Fatalf("the bot reads %s", got)
	}
	chat := regexp.MustCompile(`"chat":\{"id":(\d+)`).FindStringSubmatch(string(api("getUpdates", `{}`)))[1]
	api("setMessageReaction", `{"chat_id": `+chat+`, "message_id": 1, "reaction": [{"type": "emoji", "emoji": "👀"}]}`)
	sees("👀")
	api("sendChatAction", `{"chat_id": `+chat+`, "action": "typing"}`)
	sees("(typing…)")
	api("sendMessage", `{"chat_id": `+chat+`, "text": "Shall I?", "reply_markup": {"inline_keyboard": [[{"text": "Yes", "callback_data": "y"}]]}}`)
	sees("errand: Shall I?\n        [!1 Yes]")
	fmt.Fprintln(keys, "!1")
	fmt.Fprintln(keys, "!edit bye")
	fmt.Fprintln(keys, "!7")
	sees("no such button")
	if got := string(api("getUpdates", `{}`)); !strings.Contains(got, `"data":"y"`) || !strings.Contains(got, `"text":"bye"`) {
		t.Errorf("the bot reads %s", got)
	}
	keys.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
