package chaos

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"errand"
)

// A ledger is the model's provider, in the test's own process: it outlives what
// is killed and counts what was asked of it. Nikki delegates in the background
// what she is asked to, tells results, and hands over to Sasha; Sasha looks into
// her notes and then reports, or talks.
type ledger struct {
	mu    sync.Mutex
	calls map[string]int // by what the call was for: "nikki: ask …", "sasha: report"
	order []string

	sashas  chan struct{} // if set, what Sasha is called for waits until it is closed
	hold    string        // a call to hold until released
	held    chan struct{}
	release chan struct{}
}

func newLedger() *ledger {
	return &ledger{calls: map[string]int{}, held: make(chan struct{}), release: make(chan struct{})}
}

// repeated returns the calls that were made more than once.
func (l *ledger) repeated() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	again := map[string]int{}
	for what, n := range l.calls {
		if n > 1 {
			again[what] = n
		}
	}
	return again
}

func (l *ledger) enter(what string) (hold bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls[what]++
	l.order = append(l.order, what)
	if l.hold == what {
		l.hold = ""
		return true
	}
	return false
}

type wireMessage struct {
	Role       string `json:"role"`
	Content    any    `json:"content"`
	ToolCallID string `json:"tool_call_id"`
}

func (l *ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req struct{ Messages []wireMessage }
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil || len(req.Messages) == 0 {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	said := slices.DeleteFunc(req.Messages, func(m wireMessage) bool {
		text, _ := m.Content.(string)
		return isNote(m.Role, text)
	})
	what, text, tool, args := decide(said)
	if l.sashas != nil && strings.HasPrefix(what, sashas) {
		select {
		case <-l.sashas:
		case <-r.Context().Done():
			return
		}
	}
	if l.enter(what) {
		close(l.held)
		select {
		case <-l.release:
		case <-r.Context().Done():
			return
		}
	}
	chunk := func(delta map[string]any, finish any) {
		raw, err := json.Marshal(map[string]any{"id": "c", "object": "chat.completion.chunk", "model": "ledger",
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(w, "data: %s\n\n", raw)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if tool != "" {
		chunk(map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{
			"index": 0, "id": "call-" + tool, "type": "function", "function": map[string]any{"name": tool, "arguments": args}}}}, nil)
		chunk(map[string]any{}, "tool_calls")
	} else {
		for piece := range slices.Chunk([]byte(text), 8000) {
			chunk(map[string]any{"role": "assistant", "content": string(piece)}, nil)
		}
		chunk(map[string]any{}, "stop")
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// decide plays the agents. what names the call by its place in the work, so that
// the same call made twice has the same name.
func decide(messages []wireMessage) (what, text, tool, args string) {
	content := func(m wireMessage) string { s, _ := m.Content.(string); return errand.Unmarked(s) }
	last := messages[len(messages)-1]
	turns := 0
	for _, m := range messages {
		if m.Role == "user" {
			turns++
		}
	}
	if strings.Contains(content(messages[0]), "You are working on task") {
		who := "sasha"
		if strings.Contains(content(messages[0]), "You are Finn") {
			who = "finn"
		}
		if last.Role == "user" {
			return who + ": look at notes for " + content(last), "", "list_working_memory", `{}`
		}
		return who + ": report on " + content(messages[len(messages)-3]), "two trains go to Oslo", "", ""
	}
	if strings.Contains(content(messages[0]), "You are Sasha") {
		return fmt.Sprintf("sasha: answer message %d herself", turns), "Sasha here", "", ""
	}
	switch {
	case last.Role == "user" && strings.HasPrefix(content(last), "remind"):
		return fmt.Sprintf("nikki: set a reminder, message %d", turns), "", "remind_me", `{"when": "in 1 second", "text": "tea"}`
	case last.Role == "tool" && strings.HasPrefix(content(last), "Reminder r-"):
		return fmt.Sprintf("nikki: say that the reminder is set, message %d", turns), "I will remind you", "", ""
	case last.Role == "user" && strings.HasPrefix(content(last), "[reminder r-"):
		return fmt.Sprintf("nikki: remind, message %d", turns), "It is time for tea", "", ""
	case last.Role == "user" && strings.HasPrefix(content(last), "transfer"):
		return fmt.Sprintf("nikki: hand over, message %d", turns), "", "transfer_to_agent", `{"agent":"sasha"}`
	case last.Role == "tool" && strings.Contains(content(last), "<report>"):
		return fmt.Sprintf("nikki: tell the result after %d messages, %d entries", turns, len(messages)), "Sasha says: two trains", "", ""
	case last.Role == "tool":
		return fmt.Sprintf("nikki: say that Sasha is at it, message %d", turns), "Sasha is at it", "", ""
	case strings.HasPrefix(content(last), "tell"):
		return fmt.Sprintf("nikki: answer at length, message %d", turns), longAnswer(content(last)), "", ""
	case strings.HasPrefix(content(last), "send"):
		return fmt.Sprintf("nikki: send Sasha, message %d", turns), "", "call_agent_async", `{"agent":"sasha","task":"night trains to Oslo"}`
	default:
		return fmt.Sprintf("nikki: answer %q, message %d", content(last), turns), "you said " + content(last), "", ""
	}
}

// isNote reports whether a message is errand's note of how things stand, which is
// not said by anybody.
func isNote(role, text string) bool {
	return role == "user" && strings.HasPrefix(errand.Unmarked(text), "[note of errand")
}
