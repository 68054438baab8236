package cli

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const ask = `{"id":8,"type":"question","agent":"nikki","turn":1,"text":"Shall Finn go on?","options":["yes","no, stay"]}`

func TestAQuestionIsAReplyWithItsOptions(t *testing.T) {
	f := newFake(t)
	f.streams(messages, []string{step, ask})
	assert.Equal(t, result{0, "Shall Finn go on?\n  1  yes\n  2  no, stay\n", ""}, f.errand(t, "chat", "hi"))
	assert.Equal(t, step+"\n"+ask+"\n", f.errand(t, "chat", "hi", "--json").out, "a script gets the event")
}

func TestABareNumberIsTheOption(t *testing.T) {
	for _, tt := range []struct{ name, past, says, sends string }{
		{"a number", ask, "2", "no, stay"},
		{"with spaces", ask, " 1 ", "yes"},
		{"no such option", ask, "3", "3"},
		{"none is the zeroth", ask, "0", "0"},
		{"words", ask, "no", "no"},
		{"answered already", ask + "\n" + `{"id":9,"type":"message","text":"yes"}`, "2", "2"},
		{"the options are numbers", `{"id":8,"type":"question","text":"How many?","options":["2","4"]}`, "2", "2"},
		{"nobody asked", reply, "1", "1"},
		{"an empty chat", "", "1", "1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			log(f, strings.Split(tt.past, "\n")...)
			answer := newFake(t) // its messages are answered with a reply
			answer.streams(messages, []string{reply})
			answer.mux.Handle(events, f.mux)
			got := answer.errand(t, "chat", tt.says)
			assert.Equal(t, 0, got.code, got.err)
			var sent outgoing
			require.NoError(t, json.Unmarshal([]byte(answer.asked("POST", "/api/sessions/main/messages")[0].body), &sent))
			assert.Equal(t, tt.sends, sent.Text)
		})
	}
}

func TestTalkOffersOptions(t *testing.T) {
	f := newFake(t)
	out := log(f, `{"id":1,"type":"question","agent":"nikki","text":"Tea?","options":["tea","coffee"],"created":"2026-01-01T00:00:00Z"}`)
	s := sit(t, f)
	s.reads("Nikki: Tea?")
	s.reads("  1  tea\r\n  2  coffee")
	s.types("2\r")
	s.reads("· coffee")
	s.types("1\r")
	out <- `{"type":"delta","agent":"nikki","turn":1,"text":"Shall Finn"}`
	s.reads("Nikki: Shall Finn")
	out <- ask
	s.reads("go on?")
	s.reads("  1  yes\r\n  2  no, stay\r\n")
	s.types("1\r")
	s.reads("· yes")
	out <- `{"id":9,"type":"message","text":"yes"}`
	out <- `{"id":10,"type":"notice","text":"You talk with Finn now."}`
	s.reads("You talk with Finn now.")
	s.types("1\r\x04")
	assert.NoError(t, <-s.done)
	var sent []string
	for _, r := range f.asked("POST", "/api/sessions/main/messages") {
		var m outgoing
		require.NoError(t, json.Unmarshal([]byte(r.body), &m))
		sent = append(sent, m.Text)
	}
	assert.Equal(t, []string{"coffee", "1", "yes", "1"}, sent, "a number answers one question")
}

func TestChatWithAnotherAgent(t *testing.T) {
	for _, tt := range []struct {
		name, before, after, said string
		code                      int
		sends                     []string
	}{
		{"it has the chat", "finn", "finn", "", 0, []string{"hi"}},
		{"another one has", "nikki", "finn", "Finn it is.", 0, []string{"/agent finn", "hi"}},
		{"nothing said yet", "", "", "Finn it is.", 0, []string{"/agent finn", "hi"}},
		{"refused", "nikki", "nikki", "Finn is for partners.", 1, []string{"/agent finn"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			f.on("GET /api/me", 200, `{"id":"p-2222aaaa"}`)
			agent := tt.before
			f.mux.HandleFunc("GET /api/sessions", func(w http.ResponseWriter, _ *http.Request) {
				rows := `[{"id":"0","route":{"chat":"other"},"agent":"finn","state":"active","person":"p-2222aaaa"},
					{"id":"1","route":{"chat":"main"},"agent":"finn","state":"ended","person":"p-2222aaaa"}`
				if agent != "" {
					rows += `,{"id":"2","route":{"chat":"main"},"agent":"` + agent + `","state":"active","person":"p-2222aaaa"}`
				}
				w.Write([]byte(rows + "]"))
			})
			var sent []string
			f.mux.HandleFunc(messages, func(w http.ResponseWriter, r *http.Request) {
				var m outgoing
				json.NewDecoder(r.Body).Decode(&m)
				sent = append(sent, m.Text)
				if m.command() {
					agent = tt.after
					w.Write([]byte(`{"reply":{"text":"` + tt.said + `"},"command":true}`))
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				sendEvent(w, reply)
			})
			got := f.errand(t, "chat", "--agent", "Finn", "hi")
			assert.Equal(t, tt.code, got.code, got.err)
			assert.Equal(t, tt.sends, sent)
			if tt.code != 0 {
				assert.Equal(t, "errand: "+tt.said+"\n", got.err)
			}
		})
	}
}
