// Package notifiertest is the suite of promises for every notifier, and a platform
// with faults to order.
package notifiertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"time"
)

// A Fault is how the platform misbehaves once.
type Fault string

// The faults.
const (
	Refuse    Fault = "refuse"     // 403: it will not take the message
	Busy      Fault = "busy"       // 429 with Retry-After: 1
	Broken    Fault = "broken"     // 500, nothing was taken
	DieBefore Fault = "die before" // the connection breaks, nothing was taken
	DieAfter  Fault = "die after"  // the message was taken, the connection breaks
	Slow      Fault = "slow"       // it answers when released, see Platform.Release
)

// A Message is what a person sees on the platform.
type Message struct {
	ID   string `json:"id"`
	Key  string `json:"key"`
	Chat string `json:"chat"`
	Text string `json:"text"`
}

// A Judge is the platform behind a notifier, as the suite sees it: faults are
// ordered from it, and it tells what people see. [*Platform] is one; so is
// whatever stands for a real platform.
type Judge interface {
	Chat() string // where messages go
	Order(...Fault)
	Messages() []Message
	ShowsOnce() bool // the same key is shown once
}

var _ Judge = (*Platform)(nil)

// A Platform is a chat platform that keeps a ledger of what people see. It
// shows a key once where Dedupe is set. It outlives the processes that talk to
// it, and is safe for concurrent use.
type Platform struct {
	Dedupe bool

	mu       sync.Mutex
	messages []Message
	faults   []Fault
	calls    int
	changed  chan struct{}
	release  chan struct{}
}

// NewPlatform returns a platform without faults.
func NewPlatform(dedupe bool) *Platform {
	return &Platform{Dedupe: dedupe, changed: make(chan struct{}), release: make(chan struct{})}
}

// Order queues faults: each is met by one of the next sends, in order.
func (p *Platform) Order(faults ...Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, faults...)
}

// Chat returns a chat that the platform takes messages for: it takes any.
func (p *Platform) Chat() string { return "c1" }

// ShowsOnce reports whether a key is shown once.
func (p *Platform) ShowsOnce() bool { return p.Dedupe }

// Release lets a slow send go on.
func (p *Platform) Release() { close(p.release) }

// Messages returns what people see, in order.
func (p *Platform) Messages() []Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Message(nil), p.messages...)
}

// Seen returns what people see in a chat, in order.
func (p *Platform) Seen(chat string) []string {
	var texts []string
	for _, m := range p.Messages() {
		if m.Chat == chat {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// Calls returns how many sends were tried.
func (p *Platform) Calls() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls
}

// Changed returns a channel that is closed at the next message.
func (p *Platform) Changed() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changed
}

// Client returns an HTTP client of the platform that needs no network.
func (p *Platform) Client() *http.Client { return &http.Client{Transport: wire{p}} }

type wire struct{ p *Platform }

var errBroken = errors.New("the connection breaks")

// RoundTrip has the platform answer, or not.
func (w wire) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			resp, err = nil, errBroken
		}
	}()
	answer := httptest.NewRecorder()
	w.p.ServeHTTP(answer, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return answer.Result(), nil
}

// ServeHTTP takes POST /messages and answers GET /messages?key=….
func (p *Platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		p.find(w, r.URL.Query().Get("key"))
		return
	}
	var m Message
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&m); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch p.next() {
	case Refuse:
		http.Error(w, "you are blocked", http.StatusForbidden)
	case Busy:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "slow down", http.StatusTooManyRequests)
	case Broken:
		http.Error(w, "broken", http.StatusInternalServerError)
	case DieBefore:
		panic(http.ErrAbortHandler)
	case DieAfter:
		p.take(m)
		panic(http.ErrAbortHandler)
	case Slow:
		select {
		case <-p.release:
		case <-r.Context().Done():
			return
		case <-time.After(time.Minute):
		}
		fallthrough
	default:
		json.NewEncoder(w).Encode(p.take(m))
	}
}

func (p *Platform) next() Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	if len(p.faults) == 0 {
		return ""
	}
	f := p.faults[0]
	p.faults = p.faults[1:]
	return f
}

func (p *Platform) take(m Message) Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Dedupe {
		for _, have := range p.messages {
			if have.Key == m.Key {
				return have
			}
		}
	}
	m.ID = "m" + strconv.Itoa(len(p.messages)+1)
	p.messages = append(p.messages, m)
	close(p.changed)
	p.changed = make(chan struct{})
	return m
}

func (p *Platform) find(w http.ResponseWriter, key string) {
	for _, m := range p.Messages() {
		if m.Key == key {
			json.NewEncoder(w).Encode(m)
			return
		}
	}
	http.Error(w, fmt.Sprintf("no message %q", key), http.StatusNotFound)
}
