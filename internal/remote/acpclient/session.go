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

	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/remote/stdio"
)

const (
	mostCalls     = 1000   // tool calls kept
	mostWaiting   = 8      // permissions requested at once
	mostArguments = 64_000 // bytes of the arguments of a permission
	mostProgress  = 5      // progress messages per second
)

type session struct {
	Work
	agent       core.AgentName
	process     *stdio.Process
	id          acp.SessionId
	loads       bool            // the program can load it in another process
	logins      []string        // login methods, as the program names them
	end         func(error)     // ends the work
	over        <-chan struct{} // closed when the work has to end
	live        atomic.Bool     // updates belong to this piece of work
	lastMessage atomic.Int64    // time of its last message
	asked       chan struct{}   // closed when it was asked to stop
	waiting     chan struct{}   // one slot per pending permission

	mu     sync.Mutex
	text   strings.Builder // since its last tool call
	before string          // text before that call
	calls  map[acp.ToolCallId]*call
	ended  int // number of calls that have ended
	rate   progressLimit
}

type call struct {
	title     string
	kind      acp.ToolKind
	input     any
	locations []acp.ToolCallLocation
	content   []acp.ToolCallContent
	unkept    unkept
	over      int // its position among the ended calls; 0: it is running
}

// unkept marks the parts of a call that were dropped. Such a call cannot be approved.
type unkept struct{ title, input, locations, content, call bool }

// keep replaces a part of a call. It drops a part that is too long, together with its
// previous value.
func keep[T any](was *T, unkept *bool, news T) {
	raw, err := json.Marshal(news)
	if *unkept = err != nil || len(raw) > mostArguments; *unkept {
		var none T
		news = none
	}
	*was = news
}

// progressLimit limits how often a person sees what the program is doing.
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

// update is called for one update at a time, in order.
func (s *session) update(n acp.SessionNotification) {
	if !s.live.Load() || n.SessionId != s.id {
		return // history of a loaded session
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
	return core.Cut(cmp.Or(content.Clean(s.text.String()), s.before), longestText)
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
			c.unkept.call = true // details of a call that was already forgotten are unknown
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

// forget drops the call that ended first. s.mu is held.
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
	text = core.Cut(content.OneLine(text), 120)
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
		return cancelled // errand never grants more than this one call
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
		select { // otherwise the program would continue without an answer
		case <-s.asked:
		case <-ctx.Done():
		}
		return cancelled, nil
	case allowed:
		return choose(acp.PermissionOptionKindAllowOnce), nil
	}
	return choose(acp.PermissionOptionKindRejectOnce), nil
}

// ErrAskedNoMore is the cause if the program no longer waits for an answer.
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
			case <-s.over: // the end of the work explains it
			default:
				if why == context.Canceled { // otherwise the connection has ended
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

// kindOf never returns a value that the program made up.
func kindOf(kind acp.ToolKind) string {
	switch kind {
	case acp.ToolKindRead, acp.ToolKindEdit, acp.ToolKindDelete, acp.ToolKindMove, acp.ToolKindSearch, acp.ToolKindExecute, acp.ToolKindThink, acp.ToolKindFetch, acp.ToolKindSwitchMode:
		return string(kind)
	}
	return string(acp.ToolKindOther)
}
