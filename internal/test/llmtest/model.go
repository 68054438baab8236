// Package llmtest is scripted models, and model servers with faults to order, for
// tests.
package llmtest

import (
	"context"
	"errors"
	"sync"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/llm/scripted"
)

// A Reply is one answer of a scripted model.
type Reply = scripted.Answer

// Text is a reply of words.
func Text(s string) Reply { return Reply{Text: s} }

// Call is a reply that calls one tool.
func Call(id, name, arguments string) Reply {
	return Reply{Calls: []core.ToolCall{{ID: id, Name: name, Arguments: arguments}}}
}

// Fail is a reply that is an error.
func Fail(err error) Reply { return Reply{Err: err} }

// ErrScriptOver is returned when the script has no reply left.
var ErrScriptOver = errors.New("llmtest: the script has no reply left")

// A Model is a scripted model: it gives its replies in order, to any caller, and records what it
// was asked, without the nonces in errand's marks. It is safe for concurrent use. The zero value
// has an empty script.
type Model struct {
	// Answer, when set, is asked instead of the script. It is called in the
	// caller's goroutine, concurrently if calls are. Set it before the first.
	Answer func(context.Context, llm.Request) Reply

	mu       sync.Mutex
	script   []Reply
	requests []llm.Request
	changed  chan struct{} // closed at the next request
	blocked  chan struct{} // not nil: calls wait until it is closed
}

// NewModel returns a model with a script.
func NewModel(script ...Reply) *Model { return &Model{script: script} }

// Func returns a model that answers with f.
func Func(f func(context.Context, llm.Request) Reply) *Model { return &Model{Answer: f} }

// Then adds replies to the end of the script.
func (m *Model) Then(replies ...Reply) *Model {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.script = append(m.script, replies...)
	return m
}

// Complete answers as the script says. Usage that a reply leaves out is one
// token in and one out, of model "scripted".
func (m *Model) Complete(ctx context.Context, r llm.Request, deltas func(llm.Delta)) (llm.Response, error) {
	r.Messages = append([]core.Message(nil), r.Messages...)
	for i, said := range r.Messages {
		r.Messages[i].Text = core.Unmarked(said.Text) // a script cannot know what is drawn
	}
	reply, blocked := m.next(r)
	if m.Answer != nil {
		reply = m.Answer(ctx, r)
	}
	if blocked != nil {
		select {
		case <-blocked:
		case <-ctx.Done():
		}
	}
	if reply.Usage == (core.Usage{}) {
		reply.Usage = core.Usage{Model: "scripted", Provider: "llmtest", InputTokens: 1, OutputTokens: 1}
	}
	return reply.Give(ctx, deltas)
}

// next records r and takes the next reply.
func (m *Model) next(r llm.Request) (Reply, <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, r)
	if m.changed != nil {
		close(m.changed)
		m.changed = nil
	}
	reply := Reply{Err: ErrScriptOver}
	if len(m.script) > 0 {
		reply, m.script = m.script[0], m.script[1:]
	}
	return reply, m.blocked
}

// Block makes calls wait, from the next one on, until release is called. They
// are recorded before they wait. Calling release again does nothing.
func (m *Model) Block() (release func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	blocked := make(chan struct{})
	m.blocked = blocked
	return sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		close(blocked)
		if m.blocked == blocked {
			m.blocked = nil
		}
	})
}

// Requests are the calls so far, in the order in which they began.
func (m *Model) Requests() []llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]llm.Request(nil), m.requests...)
}

// Await waits until n calls have begun.
func (m *Model) Await(ctx context.Context, n int) error {
	for {
		m.mu.Lock()
		if len(m.requests) >= n {
			m.mu.Unlock()
			return nil
		}
		if m.changed == nil {
			m.changed = make(chan struct{})
		}
		changed := m.changed
		m.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
