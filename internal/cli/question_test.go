package cli

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/cli/chat"
	"errand/internal/test/clitest"
)

func TestAQuestionIsAReplyWithItsOptions(t *testing.T) {
	f := newFake(t)
	f.Streams(clitest.Messages, []string{clitest.Step, clitest.Ask})
	assert.Equal(t, clitest.Result{Code: 0, Out: "Shall Finn go on?\n  1  yes\n  2  no, stay\n"}, f.Errand(t, "chat", "hi"))
	assert.Equal(t, clitest.Step+"\n"+clitest.Ask+"\n", f.Errand(t, "chat", "hi", "--json").Out, "a script gets the event")
}

func TestABareNumberIsTheOption(t *testing.T) {
	for _, tt := range []struct{ name, past, says, sends string }{
		{"a number", clitest.Ask, "2", "no, stay"},
		{"with spaces", clitest.Ask, " 1 ", "yes"},
		{"no such option", clitest.Ask, "3", "3"},
		{"none is the zeroth", clitest.Ask, "0", "0"},
		{"words", clitest.Ask, "no", "no"},
		{"answered already", clitest.Ask + "\n" + `{"id":9,"type":"message","text":"yes"}`, "2", "2"},
		{"the options are numbers", `{"id":8,"type":"question","text":"How many?","options":["2","4"]}`, "2", "2"},
		{"nobody asked", clitest.Reply, "1", "1"},
		{"an empty chat", "", "1", "1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			clitest.EventLog(f, strings.Split(tt.past, "\n")...)
			answer := newFake(t) // its messages are answered with a reply
			answer.Streams(clitest.Messages, []string{clitest.Reply})
			answer.Mux.Handle(clitest.Events, f.Mux)
			got := answer.Errand(t, "chat", tt.says)
			assert.Equal(t, 0, got.Code, got.Err)
			var sent chat.Outgoing
			require.NoError(t, json.Unmarshal([]byte(answer.Asked("POST", "/api/sessions/main/messages")[0].Body), &sent))
			assert.Equal(t, tt.sends, sent.Text)
		})
	}
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
			f.On("GET /api/me", 200, `{"id":"p-2222aaaa"}`)
			agent := tt.before
			f.Mux.HandleFunc("GET /api/sessions", func(w http.ResponseWriter, _ *http.Request) {
				rows := `[{"id":"0","route":{"chat":"other"},"agent":"finn","state":"active","person":"p-2222aaaa"},
					{"id":"1","route":{"chat":"main"},"agent":"finn","state":"ended","person":"p-2222aaaa"}`
				if agent != "" {
					rows += `,{"id":"2","route":{"chat":"main"},"agent":"` + agent + `","state":"active","person":"p-2222aaaa"}`
				}
				w.Write([]byte(rows + "]"))
			})
			var sent []string
			f.Mux.HandleFunc(clitest.Messages, func(w http.ResponseWriter, r *http.Request) {
				var m chat.Outgoing
				json.NewDecoder(r.Body).Decode(&m)
				sent = append(sent, m.Text)
				if m.Command() {
					agent = tt.after
					w.Write([]byte(`{"reply":{"text":"` + tt.said + `"},"command":true}`))
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				clitest.SendEvent(w, clitest.Reply)
			})
			got := f.Errand(t, "chat", "--agent", "Finn", "hi")
			assert.Equal(t, tt.code, got.Code, got.Err)
			assert.Equal(t, tt.sends, sent)
			if tt.code != 0 {
				assert.Equal(t, "errand: "+tt.said+"\n", got.Err)
			}
		})
	}
}
