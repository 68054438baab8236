package chat

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/cli/client"
	"errand/internal/cli/clitest"
	"errand/internal/cli/console"
)

func TestTerminalStreamsAndTakesBack(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events []string
		want   string
	}{
		{"to the end", []string{clitest.Delta, `{"type":"delta","text":"lo."}`, clitest.Reply}, "Hello.\n"},
		{"the rest at once", []string{clitest.Delta, clitest.Reply}, "Hello.\n"},
		{"begun again", []string{`{"type":"delta","text":"Gu"}`, `{"type":"reset"}`, clitest.Delta, clitest.Reply}, "Gu … again:\nHello.\n"},
		{"a late result", []string{`{"type":"delta","text":"Two"}`, clitest.Late, clitest.Reply}, "Two trains.\n(that was the late result of t-22222222)\nHello.\n"},
		{"stopped", []string{clitest.Delta, `{"id":8,"type":"notice","turn":1,"text":"The turn was stopped."}`}, "Hel … broken off\nThe turn was stopped.\n"},
		{"interrupted", []string{`{"type":"delta","turn":1,"text":"Gu"}`, `{"type":"delta","turn":2,"text":"Hel"}`, `{"id":8,"type":"reply","turn":2,"agent":"nikki","text":"Hello."}`}, "Gu … broken off\nHello.\n"},
		{"interrupted, the rest at once", []string{`{"type":"delta","turn":1,"text":"Gu"}`, `{"id":8,"type":"reply","turn":2,"agent":"nikki","text":"Hello."}`}, "Gu … broken off\nHello.\n"},
		{"failed", []string{clitest.Delta, `{"id":8,"type":"error","turn":1,"text":"no model"}`}, "Hel … broken off\n"},
		{"cut off", []string{clitest.Delta, `{"id":7,"type":"reply","turn":1,"text":"Hello.","cause":"length"}`}, "Hello.\n… cut off at the model's limit\n"},
		{"withheld", []string{`{"id":7,"type":"reply","turn":1,"text":"Hello.","cause":"content_filter"}`}, "Hello.\n… the model's provider withheld the rest\n"},
		{"a late result, cut off", []string{`{"id":8,"type":"late","agent":"nikki","task":"t-22222222","text":"Two","cause":"length"}`}, "Nikki, a late result:\nTwo\n… cut off at the model's limit\n"},
		{"said otherwise", []string{`{"type":"delta","text":"Gu"}`, clitest.Reply}, "Gu\n… the reply as it is now:\nHello.\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			c := &console.Console{Out: &out, Err: &out, OutTTY: true, Getenv: clitest.Env(nil)}
			p := NewPrinter(c)
			for _, raw := range tt.events {
				e, err := client.ParseEvent("", []byte(raw))
				require.NoError(t, err)
				p.Print(e)
			}
			p.End()
			assert.Equal(t, tt.want, out.String())
		})
	}
}
