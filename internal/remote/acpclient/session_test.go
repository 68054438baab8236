package acpclient

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/coder/acp-go-sdk"
)

// TestAskedWhole proves that nobody says yes to a call of which they are shown a part, or
// what it was before: the program is told no.
func TestAskedWhole(t *testing.T) {
	long := strings.Repeat("x", 70_000)
	type calls []acp.ToolCallUpdate
	input := func(command string) acp.ToolCallUpdate {
		return acp.ToolCallUpdate{RawInput: map[string]any{"command": command}}
	}
	says := func(parts ...acp.ToolCallContent) acp.ToolCallUpdate {
		return acp.ToolCallUpdate{Content: parts}
	}
	paths := func(n int, path string) (c acp.ToolCallUpdate) {
		for i := range n {
			c.Locations = append(c.Locations, acp.ToolCallLocation{Path: fmt.Sprint(path, i)})
		}
		return c
	}
	for _, test := range []struct {
		name  string
		calls calls  // the last is the one that it asks for
		other int    // calls before them
		over  bool   // which have ended
		shown string // the end of what people are shown; empty: nobody is asked
	}{
		{name: "short", calls: calls{input("ls")}, shown: `{"command":"ls"}}`},
		{name: "replaced", calls: calls{input("ls"), input("rm")}, shown: `{"command":"rm"}}`},
		{name: "replaced by a long one", calls: calls{input("ls"), input("rm -rf /;" + long)}},
		{name: "replaced by a short one", calls: calls{input(long), input("rm")}, shown: `{"command":"rm"}}`},
		{name: "long before", calls: calls{input(long), {}}},
		{name: "long title", calls: calls{{Title: &long}}},
		{name: "long change", calls: calls{says(acp.ToolDiffContent("a.go", long))}},
		{name: "all paths", calls: calls{paths(21, "p")}, shown: `"p19","p20"]}`},
		{name: "long paths", calls: calls{paths(21, long[:4000])}},
		{name: "a terminal", calls: calls{says(acp.ToolTerminalRef("t1"))}},
		{name: "an image", calls: calls{says(acp.ToolContent(acp.ImageBlock("aGk=", "image/png")))}},
		{name: "after many", other: mostCalls - 1, calls: calls{input("ls")}, shown: `{"command":"ls"}}`},
		{name: "after many that have ended", other: 3 * mostCalls, over: true, calls: calls{input("ls")}, shown: `{"command":"ls"}}`},
		{name: "after too many", other: mostCalls, calls: calls{input("rm"), {}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var shown []string
			s := &session{id: "s-1", calls: map[acp.ToolCallId]*call{}, waiting: make(chan struct{}, mostWaiting), asked: make(chan struct{}), Work: Work{
				Doing: func(string) {},
				Ask: func(_ context.Context, p Permission) (bool, error) {
					shown = append(shown, p.Arguments)
					return true, nil
				}}}
			s.live.Store(true)
			for i := range test.other {
				id := acp.ToolCallId(fmt.Sprint("other", i))
				s.update(acp.SessionNotification{SessionId: s.id, Update: acp.StartToolCall(id, "look")})
				if test.over {
					s.update(acp.SessionNotification{SessionId: s.id, Update: acp.UpdateToolCall(id, acp.WithUpdateStatus(acp.ToolCallStatusCompleted))})
				}
			}
			last := len(test.calls) - 1
			for _, c := range test.calls[:last] {
				s.update(acp.SessionNotification{SessionId: s.id, Update: acp.SessionUpdate{ToolCallUpdate: &acp.SessionToolCallUpdate{ToolCallId: "c", RawInput: c.RawInput, Locations: c.Locations, Content: c.Content}}})
			}
			c := test.calls[last]
			c.ToolCallId = "c"
			got, err := s.permit(t.Context(), acp.RequestPermissionRequest{SessionId: s.id, ToolCall: c, Options: []acp.PermissionOption{
				{OptionId: "yes", Kind: acp.PermissionOptionKindAllowOnce}, {OptionId: "no", Kind: acp.PermissionOptionKindRejectOnce}}})
			want := "no"
			if test.shown != "" {
				want = "yes"
			}
			if err != nil || got.Outcome.Selected == nil || string(got.Outcome.Selected.OptionId) != want {
				t.Fatalf("it is told %+v, %v; want %s; shown: %.200q", got.Outcome.Selected, err, want, shown)
			}
			if test.shown != "" && !strings.HasSuffix(shown[0], test.shown) {
				t.Errorf("shown: %.200q, want %s", shown, test.shown)
			}
		})
	}
}
