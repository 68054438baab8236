package chat

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/cli/console"
	"errand/internal/test/clitest"
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
		{"withheld", []string{`{"id":7,"type":"reply","turn":1,"text":"Hello.","cause":"content_filter"}`}, "Hello.\n… the model's provider blocked the rest\n"},
		{"a late result, cut off", []string{`{"id":8,"type":"late","agent":"nikki","task":"t-22222222","text":"Two","cause":"length"}`}, "Nikki, a late result:\nTwo\n… cut off at the model's limit\n"},
		{"said otherwise", []string{`{"type":"delta","text":"Gu"}`, clitest.Reply}, "Gu\n… the reply as it now stands:\nHello.\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			c := &console.Console{Out: &out, Err: &out, OutTTY: true, Getenv: clitest.Env(nil)}
			p := NewPrinter(c)
			for _, raw := range tt.events {
				e, err := console.ParseEvent("", []byte(raw))
				require.NoError(t, err)
				p.Print(e)
			}
			p.End()
			assert.Equal(t, tt.want, onScreen(out.String()))
		})
	}
}

// onScreen is what is on a terminal when text has been written to it, without colours.
func onScreen(text string) string {
	rows := []string{""}
	for text != "" {
		last := len(rows) - 1
		switch escape := regexp.MustCompile("^\x1b\\[([0-9;]*)([A-Za-z])").FindStringSubmatch(text); {
		case escape != nil && escape[2] == "A":
			rows, text = rows[:last], text[len(escape[0]):]
		case escape != nil && escape[2] == "K":
			rows[last], text = "", text[len(escape[0]):]
		case escape != nil:
			text = text[len(escape[0]):]
		case text[0] == '\n':
			rows, text = append(rows, ""), text[1:]
		case text[0] == '\r':
			text = text[1:]
		default:
			rows[last] += text[:1]
			text = text[1:]
		}
	}
	return strings.Join(rows, "\n")
}

// TestTerminalShowsMarkdown proves that on a terminal an answer is shown in its form, with
// colours or without, that nothing of what was drawn while it came is left, and that a
// script, or a terminal that cannot draw, is given the Markdown.
func TestTerminalShowsMarkdown(t *testing.T) {
	const markdown = "# Trains\n\nTake **this**, not `that`:\n\n1. one\n2. two\n\n```\na  b\n\nc\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |"
	const shown = "Trains\n\nTake this, not that:\n\n1. one\n2. two\n\n    a  b\n    \n    c\n\n    a | b\n    --|--\n    1 | 2\n"
	for _, tt := range []struct {
		name string
		tty  bool
		env  map[string]string
		want string
	}{
		{"a terminal", true, nil, shown},
		{"no colours", true, map[string]string{"NO_COLOR": "1"}, strings.ReplaceAll(shown, "that", "`that`")},
		{"dumb", true, map[string]string{"TERM": "dumb"}, markdown + "\n"},
		{"a script", false, nil, markdown + "\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			c := &console.Console{Out: &out, Err: io.Discard, OutTTY: tt.tty, Getenv: clitest.Env(tt.env)}
			c.Style = console.Style(c.Colours(tt.tty))
			p := NewPrinter(c)
			for i := range markdown {
				p.Print(event(t, map[string]any{"type": "delta", "turn": 1, "text": markdown[i : i+1]}))
			}
			p.Print(event(t, map[string]any{"id": 7, "type": "reply", "turn": 1, "agent": "nikki", "text": markdown}))
			p.End()
			assert.Equal(t, tt.want, onScreen(out.String()))
			if !c.Style {
				assert.NotRegexp(t, "\x1b\\[[0-9;]*m", out.String())
			}
			if !p.draws() {
				assert.NotContains(t, out.String(), "\x1b")
			}
		})
	}
}

func event(t *testing.T, of map[string]any) console.Event {
	t.Helper()
	raw, err := json.Marshal(of)
	require.NoError(t, err)
	e, err := console.ParseEvent("", raw)
	require.NoError(t, err)
	return e
}

// TestReplyOnly proves that nothing but what agents say is printed.
func TestReplyOnly(t *testing.T) {
	var out bytes.Buffer
	p := NewPrinter(&console.Console{Out: &out, Err: &out, Getenv: clitest.Env(nil)})
	p.ReplyOnly = true
	for _, raw := range []string{clitest.Step, `{"id":6,"type":"notice","text":"by the way"}`, clitest.Reply, clitest.Late} {
		e, err := console.ParseEvent("", []byte(raw))
		require.NoError(t, err)
		p.Print(e)
	}
	p.End()
	assert.Equal(t, "Hello.\nTwo trains.\n", out.String())
}
