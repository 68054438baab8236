package telegram_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"errand/internal/test/sim/telegram"
)

// A rig is a platform with one bot, one person, and their chat.
type rig struct {
	*telegram.Server
	t    *testing.T
	url  string
	bot  *telegram.Bot
	ana  *telegram.Person
	chat *telegram.Chat
	past atomic.Int64 // since the beginning
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t}
	now := func() time.Time { return time.Unix(1_800_000_000, r.past.Load()) }
	r.Server = telegram.New(telegram.Options{Now: now, WebhookRetry: time.Millisecond})
	server := httptest.NewServer(r.Server)
	t.Cleanup(func() { r.Close(); server.CloseClientConnections(); server.Close() })
	r.url, r.bot, r.ana = server.URL, r.AddBot("errand_bot"), r.AddPerson(telegram.Person{Name: "Ana", Language: "es"})
	r.chat = r.Start(r.ana, r.bot)
	return r
}

func (r *rig) pass(d time.Duration) { r.past.Add(int64(d)) }

type answer struct {
	OK          bool            `json:"ok"`
	Result      json.RawMessage `json:"result"`
	Code        int             `json:"error_code"`
	Description string          `json:"description"`
	Parameters  struct {
		RetryAfter int   `json:"retry_after"`
		MigrateTo  int64 `json:"migrate_to_chat_id"`
	} `json:"parameters"`
}

func (r *rig) call(method, body string) answer {
	r.t.Helper()
	a, err := r.try(method, body)
	if err != nil {
		r.t.Fatal(err)
	}
	return a
}

func (r *rig) try(method, body string) (a answer, err error) {
	resp, err := http.Post(r.url+"/bot"+r.bot.Token+"/"+method, "application/json", strings.NewReader(body))
	if err != nil {
		return a, err
	}
	defer resp.Body.Close()
	return a, json.NewDecoder(resp.Body).Decode(&a)
}

func (r *rig) send(extra string) answer {
	r.t.Helper()
	r.pass(time.Second)
	return r.call("sendMessage", fmt.Sprintf(`{"chat_id": %d, %s}`, r.chat.ID, extra))
}

func (r *rig) updates(body string) (ids []int64, texts []string) {
	r.t.Helper()
	var list []struct {
		ID      int64 `json:"update_id"`
		Message struct{ Text string }
		Edited  struct{ Text string } `json:"edited_message"`
	}
	if err := json.Unmarshal(r.call("getUpdates", body).Result, &list); err != nil {
		r.t.Fatal(err)
	}
	for _, u := range list {
		ids, texts = append(ids, u.ID), append(texts, u.Message.Text+u.Edited.Text)
	}
	return ids, texts
}

// TestUpdatesStayUntilConfirmed proves that an update is delivered until a higher
// offset is asked for, and never after it.
func TestUpdatesStayUntilConfirmed(t *testing.T) {
	r := newRig(t)
	for _, text := range []string{"one", "two", "three"} {
		r.Write(r.chat, r.ana, text)
	}
	ids, texts := r.updates(`{"limit": 2}`)
	if fmt.Sprint(texts) != "[one two]" {
		t.Fatalf("the first two are %v", texts)
	}
	if _, again := r.updates(`{}`); fmt.Sprint(again) != "[one two three]" {
		t.Errorf("unconfirmed: %v", again)
	}
	if _, rest := r.updates(fmt.Sprintf(`{"offset": %d}`, ids[1]+1)); fmt.Sprint(rest) != "[three]" {
		t.Errorf("after confirming two: %v", rest)
	}
	if _, rest := r.updates(`{"offset": 0}`); fmt.Sprint(rest) != "[three]" {
		t.Errorf("what was confirmed is back: %v", rest)
	}
	r.Repeat(r.bot, 1)
	if _, rest := r.updates(`{}`); fmt.Sprint(rest) != "[two three]" {
		t.Errorf("repeated: %v", rest)
	}
	if _, last := r.updates(`{"offset": -1}`); fmt.Sprint(last) != "[three]" {
		t.Errorf("a negative offset: %v", last)
	}
	r.updates(fmt.Sprintf(`{"offset": %d, "allowed_updates": ["edited_message"]}`, ids[1]+2))
	id := r.Write(r.chat, r.ana, "unwanted")
	r.Edit(r.chat, id, "wanted")
	if _, got := r.updates(`{}`); fmt.Sprint(got) != "[wanted]" {
		t.Errorf("allowed_updates let through %v", got)
	}
}

func TestPolling(t *testing.T) {
	r := newRig(t)
	first, second := make(chan answer, 1), make(chan answer, 1)
	poll := func(to chan answer) {
		a, _ := r.try("getUpdates", `{"timeout": 20}`)
		to <- a
	}
	go poll(first)
	r.await(func() bool { return r.Polling(r.bot) })
	go poll(second)
	if a := <-first; a.Code != 409 || !strings.Contains(a.Description, "terminated by other getUpdates request") {
		t.Errorf("the first of two polls got %+v", a)
	}
	r.Write(r.chat, r.ana, "hello")
	if a := <-second; !a.OK || !strings.Contains(string(a.Result), "hello") {
		t.Errorf("the second got %+v", a)
	}
	if ids, _ := r.updates(`{"offset": 99999999999, "timeout": 1}`); len(ids) != 0 {
		t.Errorf("a poll that ran out returned %v", ids)
	}
}

func (r *rig) await(cond func() bool) {
	r.t.Helper()
	deadline := time.After(time.Minute)
	for {
		changed := r.Changed()
		if cond() {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			r.t.Fatal("it did not happen")
		}
	}
}

// TestRefusals proves that the platform says no where Telegram does, in its
// words.
func TestRefusals(t *testing.T) {
	r := newRig(t)
	stranger := r.AddPerson(telegram.Person{Name: "Cleo"})
	group := r.AddGroup("Team", true, r.bot)
	other := r.AddGroup("Others", false)
	kicked := r.AddGroup("Gone", false, r.bot)
	r.Kick(kicked, r.bot)
	blocked := r.AddPerson(telegram.Person{Name: "Bea"})
	r.Start(blocked, r.bot)
	r.Block(blocked, r.bot)
	moved := r.AddGroup("Old", false, r.bot)
	to := r.Migrate(moved)
	tests := []struct {
		name, method, body string
		code               int
		text               string
	}{
		{"no such method", "sendMassage", `{}`, 404, "Not Found: method not found"},
		{"no chat", "sendMessage", `{"chat_id": 4, "text": "x"}`, 400, "chat not found"},
		{"never started", "sendMessage", fmt.Sprintf(`{"chat_id": %d, "text": "x"}`, stranger.ID), 400, "chat not found"},
		{"not a member", "sendMessage", fmt.Sprintf(`{"chat_id": %d, "text": "x"}`, other.ID), 400, "chat not found"},
		{"kicked", "sendMessage", fmt.Sprintf(`{"chat_id": %d, "text": "x"}`, kicked.ID), 403, "bot was kicked from the supergroup chat"},
		{"blocked", "sendMessage", fmt.Sprintf(`{"chat_id": %d, "text": "x"}`, blocked.ID), 403, "bot was blocked by the user"},
		{"moved", "sendMessage", fmt.Sprintf(`{"chat_id": %d, "text": "x"}`, moved.ID), 400, "upgraded to a supergroup"},
		{"empty", "sendMessage", fmt.Sprintf(`{"chat_id": %d, "text": " \n"}`, r.chat.ID), 400, "message text is empty"},
		{"too long", "sendMessage", fmt.Sprintf(`{"chat_id": %d, "text": "%s"}`, r.chat.ID, strings.Repeat("😀", 2049)), 400, "message is too long"},
		{"entity outside", "sendMessage", fmt.Sprintf(`{"chat_id": %d, "text": "abc", "entities": [{"type": "bold", "offset": 1, "length": 3}]}`, r.chat.ID), 400, "ENTITY_BOUNDS_INVALID"},
		{"entity inside a character", "sendMessage", fmt.Sprintf(`{"chat_id": %d, "text": "😀", "entities": [{"type": "bold", "offset": 1, "length": 1}]}`, r.chat.ID), 400, "middle of a UTF-16 symbol"},
		{"entity of no kind", "sendMessage", fmt.Sprintf(`{"chat_id": %d, "text": "abc", "entities": [{"type": "heading", "offset": 0, "length": 3}]}`, r.chat.ID), 400, "unsupported type"},
		{"entities that cross", "sendMessage", fmt.Sprintf(`{"chat_id": %d, "text": "abcd", "entities": [{"type": "bold", "offset": 0, "length": 3}, {"type": "italic", "offset": 2, "length": 2}]}`, r.chat.ID), 400, "overlap"},
		{"no topic", "sendMessage", fmt.Sprintf(`{"chat_id": %d, "text": "x", "message_thread_id": 77}`, group.ID), 400, "message thread not found"},
		{"reply to nothing", "sendMessage", fmt.Sprintf(`{"chat_id": %d, "text": "x", "reply_parameters": {"message_id": 77}}`, r.chat.ID), 400, "message to be replied not found"},
		{"long data", "sendMessage", fmt.Sprintf(`{"chat_id": %d, "text": "x", "reply_markup": {"inline_keyboard": [[{"text": "a", "callback_data": "%s"}]]}}`, r.chat.ID, strings.Repeat("x", 65)), 400, "BUTTON_DATA_INVALID"},
		{"bad command", "setMyCommands", `{"commands": [{"command": "Über", "description": "x"}]}`, 400, "BOT_COMMAND_INVALID"},
		{"no file", "getFile", `{"file_id": "4"}`, 400, "invalid file_id"},
		{"no message", "editMessageText", fmt.Sprintf(`{"chat_id": %d, "message_id": 9, "text": "x"}`, r.chat.ID), 400, "message to edit not found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r.pass(time.Minute)
			if a := r.call(tt.method, tt.body); a.OK || a.Code != tt.code || !strings.Contains(a.Description, tt.text) {
				t.Errorf("answered %+v, want %d %s", a, tt.code, tt.text)
			} else if tt.name == "moved" && a.Parameters.MigrateTo != to.ID {
				t.Errorf("it moved to %d, not %d", a.Parameters.MigrateTo, to.ID)
			}
		})
	}
	old := r.bot.Token
	r.Revoke(r.bot)
	for token, want := range map[string]int{old: 401, "7:wrong": 401, "nonsense": 404, r.bot.Token: 200} {
		resp, err := http.Get(r.url + "/bot" + token + "/getMe")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("token %s: %d, want %d", token, resp.StatusCode, want)
		}
	}
}

func TestRates(t *testing.T) {
	r := newRig(t)
	if a := r.send(`"text": "one"`); !a.OK {
		t.Fatal(a)
	}
	body := fmt.Sprintf(`{"chat_id": %d, "text": "two"}`, r.chat.ID)
	if a := r.call("sendMessage", body); a.Code != 429 || a.Parameters.RetryAfter != 1 {
		t.Errorf("a second message at once: %+v", a)
	}
	r.pass(time.Second)
	if a := r.call("sendMessage", body); !a.OK {
		t.Errorf("a second later: %+v", a)
	}
	r.pass(time.Minute)
	refused := 0
	for i := range 31 {
		c := r.Start(r.AddPerson(telegram.Person{Name: fmt.Sprint("p", i)}), r.bot)
		if a := r.call("sendMessage", fmt.Sprintf(`{"chat_id": %d, "text": "x"}`, c.ID)); a.Code == 429 {
			refused++
		}
	}
	if refused != 1 {
		t.Errorf("of 31 messages in one second %d were refused", refused)
	}
}

// TestGroups proves that a bot that may not read everything in a group sees what
// it is asked, and no more.
func TestGroups(t *testing.T) {
	r := newRig(t)
	group := r.AddGroup("Team", true, r.bot)
	topic := r.AddTopic(group)
	ours := r.call("sendMessage", fmt.Sprintf(`{"chat_id": %d, "text": "hi", "message_thread_id": %d}`, group.ID, topic))
	if !ours.OK {
		t.Fatal(ours)
	}
	id := r.Lines(group)[0].ID
	r.Write(group, r.ana, "talking about it")
	r.Write(group, r.ana, "you, @Errand_bot, help")
	r.Write(group, r.ana, "/tasks")
	r.Write(group, r.ana, "/tasks@other_bot")
	r.Post(group, r.ana, telegram.Post{Text: "a reply", ReplyTo: id, Thread: topic})
	if _, got := r.updates(`{}`); fmt.Sprint(got) != "[you, @Errand_bot, help /tasks a reply]" {
		t.Errorf("the bot sees %q", got)
	}
}
