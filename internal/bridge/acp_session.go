package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/coder/acp-go-sdk"

	"errand/api"
	"errand/internal/cli/chat"
	"errand/internal/cli/console"
	"errand/internal/core"
)

// A session shows a chat in the order of its event log. A prompt ends when its reply has been
// shown.
type session struct {
	agent *agent
	id    acp.SessionId
	modes *acp.SessionModeState
	view  *view

	ctx   context.Context // ends when the editor closes the chat
	close context.CancelFunc

	mu      sync.Mutex
	prompts int             // prompts in progress
	taken   chan struct{}   // closed when the worker has the last message or will never get it; nil: none was sent
	own     map[string]bool // ids of messages from this editor, which it shows itself
	shown   int64           // id of the last shown event
	news    chan struct{}   // closed when shown changes
	asked   map[core.QuestionID]context.CancelFunc
}

func newSession(a *agent, id acp.SessionId, modes *acp.SessionModeState) *session {
	s := &session{agent: a, id: id, modes: modes, own: map[string]bool{}, news: make(chan struct{}), asked: map[core.QuestionID]context.CancelFunc{}}
	s.ctx, s.close = context.WithCancel(context.Background())
	s.view = newView(s)
	return s
}

// conversation waits for an unreachable worker, because the chat exists.
func (s *session) conversation() *chat.Conversation {
	c := chat.NewConversation(s.agent.worker, string(s.id))
	c.Met = true
	return c
}

const newest = int64(1<<53 - 1)

func (s *session) before(ctx context.Context, id int64, limit int) ([]core.Event, error) {
	in := api.EventsInput{ChatName: api.ChatName{Chat: string(s.id)}, Before: api.EventID(fmt.Sprint(id)), Limit: limit}
	list, err := api.Call(ctx, s.agent.worker.API(), api.ListEvents, in)
	return list.Value, err
}

// An editor that loads a chat gets only its latest events.
const (
	page      = 1000
	mostPages = 5
)

func (s *session) replay(ctx context.Context) (last string, err error) {
	var events []core.Event
	for n, id := 0, newest; n < mostPages; n++ {
		list, err := s.before(ctx, id, page)
		if err != nil {
			return "", err
		}
		events = append(list, events...)
		if len(list) < page {
			break
		}
		id = list[0].ID
	}
	s.view.replays = true
	defer func() { s.view.replays = false }()
	last = "0"
	for _, e := range events {
		s.view.take(console.Event{Event: e})
		last = fmt.Sprint(e.ID)
	}
	s.view.settle()
	return last, nil
}

func (s *session) begin(last string) {
	go func() {
		err := s.conversation().Follow(s.ctx, last, func(e console.Event) bool {
			s.take(e)
			return true
		})
		if s.ctx.Err() == nil {
			s.agent.log.Error("the chat is not followed any more", "chat", s.id, "error", err)
			s.view.say("errand shows nothing more of this conversation: " + err.Error())
		}
	}()
}

func (s *session) take(e console.Event) {
	s.view.take(e)
	if e.ID == 0 {
		return
	}
	switch {
	case standsAlone(e):
		s.ask(e.Question)
	case e.Type != core.EventMessage:
		s.withdraw()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = max(s.shown, e.ID)
	close(s.news)
	s.news = make(chan struct{})
}

func (s *session) isOwn(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.own[id]
}

// showPatience is the wait for the events of a finished prompt, stopPatience for a cancelled one.
const (
	showPatience = 5 * time.Second
	stopPatience = 10 * time.Second
)

func (s *session) awaitShown(ctx context.Context, id int64) {
	ctx, cancel := context.WithTimeout(ctx, showPatience)
	defer cancel()
	for {
		s.mu.Lock()
		shown, news := s.shown, s.news
		s.mu.Unlock()
		if shown >= id {
			return
		}
		select {
		case <-news:
		case <-ctx.Done():
			return
		}
	}
}

type sent struct {
	last console.Event // of the event log
	err  error
}

// prompt returns early if ctx is done. The chat still gets the reply.
func (s *session) prompt(ctx context.Context, m chat.Outgoing) (acp.StopReason, error) {
	taken := make(chan struct{})
	accepted := sync.OnceFunc(func() { close(taken) })
	s.mu.Lock()
	s.own[m.MessageID], s.taken = true, taken
	s.prompts++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.prompts--
	}()
	sending, leave := context.WithCancel(s.ctx)
	defer leave()
	c := s.conversation()
	c.Patience = chat.OncePatience
	c.Trouble = s.view.trouble
	done := make(chan sent, 1)
	go func() {
		var out sent
		defer accepted()
		out.err = c.Send(sending, m, accepted, func(e console.Event) bool {
			if e.Type == core.EventNotice && e.ID == 0 { // the answer to a command is not in the log
				s.view.take(e)
			} else if e.ID > 0 {
				out.last = e
			}
			return true
		})
		done <- out
	}()
	select {
	case out := <-done:
		return s.outcome(ctx, out)
	case <-ctx.Done():
	}
	select {
	case <-s.agent.conn.Done(): // the editor is gone
		return "", ctx.Err()
	default:
	}
	late, cancel := context.WithTimeout(s.ctx, stopPatience)
	defer cancel()
	select {
	case out := <-done:
		if out.last.ID > 0 {
			s.awaitShown(late, out.last.ID)
		}
	case <-late.Done():
	}
	return acp.StopReasonCancelled, nil
}

func (s *session) outcome(ctx context.Context, out sent) (acp.StopReason, error) {
	if out.last.ID > 0 {
		s.awaitShown(ctx, out.last.ID)
	}
	switch {
	case out.err != nil:
		return "", out.err
	case out.last.Type == core.EventNotice && out.last.Turn > 0:
		return acp.StopReasonCancelled, nil
	case out.last.Cause == core.CutOff:
		return acp.StopReasonMaxTokens, nil
	case out.last.Cause == core.Withheld:
		return acp.StopReasonRefusal, nil
	}
	return acp.StopReasonEndTurn, nil
}

func (s *session) waits() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.prompts > 0
}

// stop first waits until the worker has the message to stop, at most for stopPatience.
func (s *session) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopPatience)
	defer cancel()
	s.mu.Lock()
	taken := s.taken
	s.mu.Unlock()
	if taken != nil {
		select {
		case <-taken:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	_, err := s.conversation().Deliver(ctx, chat.NewMessage("/stop"))
	return err
}

func (a *agent) modes(ctx context.Context, chat string) (*acp.SessionModeState, error) {
	agents, err := api.Call(ctx, a.worker.API(), api.ListAgents, api.ListAgentsInput{Chat: chat})
	if err != nil {
		return nil, err
	}
	out := &acp.SessionModeState{AvailableModes: []acp.SessionMode{}}
	for _, g := range agents.Value {
		if !g.Primary && !g.Active && !g.Talks {
			continue
		}
		mode := acp.SessionMode{Id: acp.SessionModeId(g.Name), Name: g.Name.Display()}
		if g.Description != "" {
			mode.Description = acp.Ptr(g.Description)
		}
		out.AvailableModes = append(out.AvailableModes, mode)
		if g.Active || g.Primary && out.CurrentModeId == "" {
			out.CurrentModeId = mode.Id
		}
	}
	return out, nil
}

func (s *session) setMode(ctx context.Context, id acp.SessionModeId) error {
	if !slices.ContainsFunc(s.modes.AvailableModes, func(m acp.SessionMode) bool { return m.Id == id }) {
		return &acp.RequestError{Code: acp.NewInvalidParams(nil).Code, Message: fmt.Sprintf("there is no agent %q", core.Cut(string(id), 80))}
	}
	ctx, cancel := context.WithTimeout(ctx, console.CallTimeout)
	defer cancel()
	said, err := s.conversation().Deliver(ctx, chat.NewMessage("/agent "+string(id)))
	if err != nil {
		return err
	}
	now, err := s.agent.modes(ctx, string(s.id))
	switch {
	case err != nil:
		return err
	case now.CurrentModeId != id:
		return errors.New(said)
	}
	s.view.setMode(id)
	return nil
}

func (s *session) task(id core.TaskID) (*core.Task, error) {
	ctx, cancel := context.WithTimeout(s.ctx, console.CallTimeout)
	defer cancel()
	t, err := api.Call(ctx, s.agent.worker.API(), api.GetTask, api.GetTaskInput{TaskID: api.TaskID{ID: string(id)}})
	return &t.Value.Task, err
}

func (s *session) plan() (core.Plan, error) {
	ctx, cancel := context.WithTimeout(s.ctx, console.CallTimeout)
	defer cancel()
	found, err := api.Call(ctx, s.agent.worker.API(), api.ListSessions, api.ListSessionsInput{Chat: string(s.id), Limit: 1})
	if err != nil || len(found.Value.Items) == 0 || found.Value.Items[0].Plan == nil {
		return core.Plan{}, err
	}
	return *found.Value.Items[0].Plan, nil
}
