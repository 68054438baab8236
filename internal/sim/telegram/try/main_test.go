package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"errand/internal/sim/try/trytest"
)

// TestTry proves that somebody at a terminal can write to a bot, and sees what it
// does.
func TestTry(t *testing.T) {
	opened, err := open("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := opened.(*platform)
	s := trytest.Sit(t, p)
	s.Sees("channels add telegram --url " + p.url)
	api := func(method, params string) json.RawMessage {
		t.Helper()
		resp, err := http.Post(p.url+"/bot"+p.bot.Token+"/"+method, "application/json", strings.NewReader(params))
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
	s.Types("/start")
	var got []struct {
		Message struct {
			ID   int `json:"message_id"`
			Text string
		}
	}
	if err := json.Unmarshal(api("getUpdates", `{"timeout": 10}`), &got); err != nil || len(got) != 1 || got[0].Message.Text != "/start" {
		t.Fatalf("the bot reads %+v, %v", got, err)
	}
	if got[0].Message.ID < 1e9 {
		t.Errorf("the first message is %d: one of another run may have had that id", got[0].Message.ID)
	}
	chat := fmt.Sprintf(`{"chat_id": %d, `, p.chat.ID)
	api("setMessageReaction", chat+fmt.Sprintf(`"message_id": %d, "reaction": [{"type": "emoji", "emoji": "👀"}]}`, got[0].Message.ID))
	s.Sees("(👀 on what you wrote)")
	api("sendChatAction", chat+`"action": "typing"}`)
	s.Sees("(typing…)")
	api("sendMessage", chat+`"text": "Shall I?", "reply_markup": {"inline_keyboard": [[{"text": "Yes", "callback_data": "y"}]]}}`)
	s.Sees("errand: Shall I?\n        [!1 Yes]")
	for _, line := range []string{"!1", "!edit bye", "!reply why", "!7"} {
		s.Types(line)
	}
	s.Sees("(there is no such button)")
	read := string(api("getUpdates", `{}`))
	for _, want := range []string{`"data":"y"`, `"text":"bye"`, `"text":"why"`, `"text":"Shall I?"`} {
		if !strings.Contains(read, want) {
			t.Errorf("the bot does not read %s in %s", want, read)
		}
	}
	s.Types("!block")
	s.Types("!revoke")
	s.Sees("(the token is now ")
	s.Types("!dance")
	s.Sees("(!dance is nothing that can be done here)")
}
