package acpclient

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/acp-go-sdk"

	"errand"
	"errand/internal/content"
	"errand/internal/stdio"
)

const (
	mostCalls     = 1000   // tool calls that are remembered
	mostWaiting   = 8      // permissions that are asked for at a time
	mostArguments = 64_000 // bytes of what one is asked for
	mostProgress  = 5      // what it does, within a second
)

// A session is one process at work.
type session struct {
	Work
	agent       errand.AgentName
	process     *stdio.Process
	id          acp.SessionId
	loads       bool            // it can be taken up in another process
	logins      []string        // how its user logs in, in the program's words
	end         func(error)     // ends the work
	over        <-chan struct{} // closed once it is to end
	live        atomic.Bool     // what it says is of this piece of work
	lastMessage atomic.Int64    // when it last said anything
	asked       chan struct{}   // closed when it was asked to stop
	waiting     chan struct{}   // a token for each permission that is waited for

	mu     sync.Mutex
	text   strings.Builder // since its last call
	before string          // what it had said before that
	calls  map[acp.ToolCallId]*call
	ended  int // calls that are over, so far
	rate   progressLimit
}

// A call is what is known of a tool call of the program.
type call struct {
	title     string
	kind      acp.ToolKind
	input     any
	locations []acp.ToolCallLocation
	content   []acp.ToolCallContent
	unkept    unkept
	over      int // the how-manyth to be over; 0: it is not
}

// unkept says what of a call nobody can be shown: a yes to the rest would be no yes to it.
type unkept struct{ title, input, locations, content, call bool }

// keep takes one thing that is said of a call in the place of what was said before. What is
// too long to be asked about is not kept, and neither is what it replaces.
func keep[T any](was *T, unkept *bool, news T) {
	raw, err := json.Marshal(news)
	if *unkept = err != nil || len(raw) > mostArguments; *unkept {
		var none T
		news = none
	}
	*was = news
}

// progressLimit bounds how often a person is shown what the program does.
type progressLimit struct {
	since time.Time
	n     int
}

func (r *progressLimit) take() bool {
	if now := time.Now(); now.Sub(r.since) > time.Second {
		*r = progressLimit{since: now}
	}
	r.n++
	return r.n <= mostProgress
}

// update hears what the program tells of its work. Updates come one at a time, in order.
func (s *session) update(n acp.SessionNotification) {
	if !s.live.Load() || n.SessionId != s.id {
		return // the past of a session that is taken up
	}
	switch u := n.Update; {
	case u.AgentMessageChunk != nil && u.AgentMessageChunk.Content.Text != nil:
		s.appendText(u.AgentMessageChunk.Content.Text.Text)
	case u.ToolCall != nil:
		c := s.note(u.ToolCall.ToolCallId, updated(&u.ToolCall.Title, &u.ToolCall.Kind, u.ToolCall.RawInput, u.ToolCall.Locations, u.ToolCall.Content))
		s.standing(u.ToolCall.ToolCallId, u.ToolCall.Status)
		s.pause()
		s.does(c.title)
	case u.ToolCallUpdate != nil:
		t := u.ToolCallUpdate
		was := s.titleOf(t.ToolCallId)
		if c := s.note(t.ToolCallId, updated(t.Title, t.Kind, t.RawInput, t.Locations, t.Content)); c.title != was {
			s.does(c.title)
		}
		if t.Status != nil {
			s.standing(t.ToolCallId, *t.Status)
		}
	case u.Plan != nil:
		s.does(planLine(u.Plan.Entries))
	}
}

func planLine(entries []acp.PlanEntry) string {
	done, now := 0, ""
	for _, e := range entries {
		switch e.Status {
		case acp.PlanEntryStatusCompleted:
			done++
		case acp.PlanEntryStatusInProgress:
			now = cmp.Or(now, e.Content)
		}
	}
	if len(entries) == 0 {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("%d/%d %s", done, len(entries), now))
}

func updated(title *string, kind *acp.ToolKind, input any, locations []acp.ToolCallLocation, contents []acp.ToolCallContent) call {
	c := call{input: input, locations: locations, content: contents}
	if title != nil {
		c.title = *title
	}
	if kind != nil {
		c.kind = *kind
	}
	return c
}

func (s *session) appendText(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text.Len()+len(text) > 8*longestText {
		rest := s.text.String()
		s.text.Reset()
		s.text.WriteString(strings.ToValidUTF8(rest[max(0, len(rest)-4*longestText):], ""))
		text = strings.ToValidUTF8(text[max(0, len(text)-4*longestText):], "")
	}
	s.text.WriteString(text)
}

// pause notes that what was said is not the last.
func (s *session) pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if contents := content.Clean(s.text.String()); contents != "" {
		s.before = contents
	}
	s.text.Reset()
}

func (s *session) result() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errand.Cut(cmp.Or(content.Clean(s.text.String()), s.before), longestText)
}

func (s *session) note(id acp.ToolCallId, news call) call {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls[id]
	if c == nil {
		c = &call{}
		if len(s.calls) >= mostCalls {
			s.forget()
		}
		if len(s.calls) < mostCalls && len(id) <= longestID {
			s.calls[id] = c
		} else {
			c.unkept.call = true // what else was said of it is not known
		}
	}
	c.kind = cmp.Or(news.kind, c.kind)
	if title := content.OneLine(news.title); title != "" {
		keep(&c.title, &c.unkept.title, title)
	}
	if news.input != nil {
		keep(&c.input, &c.unkept.input, news.input)
	}
	if news.locations != nil {
		keep(&c.locations, &c.unkept.locations, news.locations)
	}
	if news.content != nil {
		keep(&c.content, &c.unkept.content, news.content)
	}
	return *c
}

// standing notes whether a call is over.
func (s *session) standing(id acp.ToolCallId, status acp.ToolCallStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls[id]
	if c == nil {
		return
	}
	switch over := status == acp.ToolCallStatusCompleted || status == acp.ToolCallStatusFailed; {
	case !over:
		c.over = 0
	case c.over == 0:
		s.ended++
		c.over = s.ended
	}
}

// forget forgets the call that has been over for longest. Whoever calls it holds s.mu.
func (s *session) forget() {
	var oldest acp.ToolCallId
	first := 0
	for id, c := range s.calls {
		if c.over > 0 && (first == 0 || c.over < first) {
			oldest, first = id, c.over
		}
	}
	if first > 0 {
		delete(s.calls, oldest)
	}
}

func (s *session) titleOf(id acp.ToolCallId) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.calls[id]; c != nil {
		return c.title
	}
	return ""
}

func (s *session) does(text string) {
	text = errand.Cut(content.OneLine(text), 120)
	s.mu.Lock()
	show := text != "" && s.rate.take()
	s.mu.Unlock()
	if show {
		s.Doing(text)
	}
}

func (s *session) permit(ctx context.Context, p acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	cancelled := acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}
	choose := func(kind acp.PermissionOptionKind) acp.RequestPermissionResponse {
		for _, o := range p.Options {
			if o.Kind == kind {
				return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(o.OptionId)}
			}
		}
		return cancelled // a yes that is good for more than this call is nobody's
	}
	if !s.live.Load() || p.SessionId != s.id {
		return cancelled, nil
	}
	select {
	case s.waiting <- struct{}{}:
		defer func() { <-s.waiting }()
	default:
		return choose(acp.PermissionOptionKindRejectOnce), nil
	}
	t := p.ToolCall
	asked, err := s.note(t.ToolCallId, updated(t.Title, t.Kind, t.RawInput, t.Locations, t.Content)).permission()
	if err != nil {
		return choose(acp.PermissionOptionKindRejectOnce), nil
	}
	asked.Loads = s.loads
	s.standing(t.ToolCallId, acp.ToolCallStatusPending)
	asking, done := s.asking(ctx)
	defer done(nil)
	allowed, err := s.Ask(asking, asked)
	switch {
	case asking.Err() != nil:
		return cancelled, nil
	case err != nil:
		s.end(err)
		select { // else it would go on without
		case <-s.asked:
		case <-ctx.Done():
		}
		return cancelled, nil
	case allowed:
		return choose(acp.PermissionOptionKindAllowOnce), nil
	}
	return choose(acp.PermissionOptionKindRejectOnce), nil
}

// ErrAskedNoMore is why a question needs no answer: the program does not wait for one.
var ErrAskedNoMore = errors.New("the agent asks for it no more")

func (s *session) asking(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	asking, done := context.WithCancelCause(context.WithoutCancel(ctx))
	go func() {
		select {
		case <-asking.Done():
		case <-s.asked:
			done(nil)
		case <-ctx.Done():
			why := context.Cause(ctx)
			select {
			case <-s.over: // which is why it asks no more
			default:
				if why == context.Canceled { // else the connection has ended
					why = ErrAskedNoMore
				}
			}
			done(why)
		}
	}()
	return asking, done
}

var (
	errTooLong = errors.New("it is too long to be asked about")
	errUnshown = errors.New("it has what nobody can be shown")
)

// permission is the call as people are asked about it: the whole of it, or an error.
func (c call) permission() (Permission, error) {
	type change struct {
		Path string  `json:"path"`
		Old  *string `json:"old,omitempty"`
		New  string  `json:"new"`
	}
	var asked struct {
		Title   string   `json:"title,omitempty"`
		Input   any      `json:"input,omitempty"`
		Paths   []string `json:"paths,omitempty"`
		Changes []change `json:"changes,omitempty"`
		Says    []string `json:"says,omitempty"`
	}
	if c.unkept != (unkept{}) {
		return Permission{}, errTooLong
	}
	asked.Title, asked.Input = c.title, c.input
	for _, l := range c.locations {
		asked.Paths = append(asked.Paths, l.Path)
	}
	for _, part := range c.content {
		switch {
		case part.Diff != nil:
			asked.Changes = append(asked.Changes, change{part.Diff.Path, part.Diff.OldText, part.Diff.NewText})
		case part.Content != nil && part.Content.Content.Text != nil:
			asked.Says = append(asked.Says, part.Content.Content.Text.Text)
		default:
			return Permission{}, errUnshown
		}
	}
	raw, err := json.Marshal(asked)
	if err == nil && len(raw) > mostArguments {
		err = errTooLong
	}
	return Permission{Kind: kindOf(c.kind), Arguments: string(raw)}, err
}

// kindOf is a kind of the protocol's, and never a word of the program's own.
func kindOf(kind acp.ToolKind) string {
	switch kind {
	case acp.ToolKindRead, acp.ToolKindEdit, acp.ToolKindDelete, acp.ToolKindMove, acp.ToolKindSearch, acp.ToolKindExecute, acp.ToolKindThink, acp.ToolKindFetch, acp.ToolKindSwitchMode:
		return string(kind)
	}
	return string(acp.ToolKindOther)
}
