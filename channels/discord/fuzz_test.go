package discord

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"errand/gateway"
)

type keeper struct{ came []gateway.Arrival }

func (k *keeper) Receive(_ context.Context, in gateway.Arrival) (gateway.Received, error) {
	k.came = append(k.came, in)
	return gateway.Received{}, nil
}

func (*keeper) Cursors(context.Context, string, string) ([]gateway.Cursor, error) { return nil, nil }

// FuzzMessage proves that whatever Discord, or who pretends to be it, tells of a
// message is read without a panic, and that no bot's is taken in.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		`{"id":"5","channel_id":"7","content":"<@1> hi <@2> <#3> <@&4> <a:x:5>","author":{"id":"2","username":"ana"},"mentions":[{"id":"1"},{"id":"2","global_name":"Ana"}],"guild_id":"9","type":0}`,
		`{"id":"6","channel_id":"7","content":"x","author":{"id":"3","bot":true}}`,
		`{"id":"6","channel_id":"7","content":"x","author":{"id":"3"},"type":19,"message_reference":{"message_id":"5"},"referenced_message":null,"edited_timestamp":"2026-01-01T00:00:00Z"}`,
		`{"id":"6","channel_id":"7","author":{"id":"3"},"attachments":[{"id":"1","url":"https://evil.example/x"}],"sticker_items":[{}],"components":[{"type":1,"components":[{"type":2}]}]}`,
		`{}`, `[]`, `null`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		k := &keeper{}
		var log strings.Builder
		c, err := New(Options{Account: "main", Token: "t", Gate: k, Memory: k, Logger: slog.New(slog.NewTextHandler(&log, nil)), Pause: 1, LongestPause: 1})
		if err != nil {
			t.Fatal(err)
		}
		r := newRun(c)
		r.me.ID, r.me.Username = "1", "errand"
		for _, name := range []string{"MESSAGE_CREATE", "MESSAGE_UPDATE", "GUILD_CREATE", "CHANNEL_CREATE"} {
			r.event(t.Context(), frame{Name: name, Data: json.RawMessage(raw)})
		}
		for {
			r.mu.Lock()
			busy := false
			for _, c := range r.chats {
				busy = busy || c.busy
			}
			r.mu.Unlock()
			if !busy {
				break
			}
		}
		r.end()
		if strings.Contains(log.String(), "could not be handled") {
			t.Error(log.String())
		}
		for _, in := range k.came {
			if in.Sender.Bot || in.Route.Chat == "" || strings.Contains(in.Text, "<@1>") {
				t.Errorf("came %+v", in)
			}
		}
	})
}
