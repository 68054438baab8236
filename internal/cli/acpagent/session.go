package acpagent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/coder/acp-go-sdk"

	"errand"
	api "errand/client"
	"errand/internal/cli/chat"
	"errand/internal/cli/client"
)

// A session is a chat that the editor has open. What happens in it is shown in the order of
// its log, whoever caused it: a prompt ends when what the log has up to its reply is shown.
type session struct {
	agent *agent
	id    acp.SessionId
	modes *acp.SessionModeState
	view  *view

	ctx   context.Context // the editor has it open
	close context.CancelFunc

	mu      sync.Mutex
	prompts int             // that wait for their end
	taken   chan struct{}   // closed when the worker has the last message, or never gets it; nil: none was sent
	own     map[string]bool // messages that this editor has sent, by id, and shows itself
	shown   int64           // the last event of the log that is shown
	news    chan struct{}   // closed when shown changes
	asked   map[errand.QuestionID]context.CancelFunc
}

func newSession(a *agent, id acp.SessionId, modes *acp.SessionModeState) *session {
	s := &session{agent: a, id: id, modes: modes, own: map[string]bool{}, news: make(chan struct{}), asked: map[errand.QuestionID]context.CancelFunc{}}
	s.ctx, s.close = context.WithCancel(context.Background())
	s.view = newView(s)
	return s
}

// conversation is the chat on the worker. It was there, so that it is worth waiting for.
func (s *session) conversation() *chat.Conversation {
	c := chat.NewConversation(s.agent.worker, string(s.id))
	c.Met = true
	return c
}

const newest = int64(1<<53 - 1)

// before returns events before the one with this id, oldest first.
func (s *session) before(ctx context.Context, id int64, limit int) ([]errand.Event, error) {
	list, err := api.Read[[]errand.Event](s.agent.worker.API().GetEvents(ctx, string(s.id), &api.GetEventsParams{Before: &id, Limit: limit}, api.JSON))
	return list.Value, err
}

// How much of a chat is told to an editor that loads it: the latest of it.
const (
	page      = 1000
	mostPages = 5
)

func (s *session) replay(ctx context.Context) (last string, err error) {
	var events []errand.Event
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
		s.view.take(client.Event{Event: e})
		last = fmt.Sprint(e.ID)
	}
	s.view.settle()
	return last, nil
}

// begin shows what happens in the chat from now on, until the editor closes it.
func (s *session) begin(last string) {
	go func() {
		err := s.conversation().Follow(s.ctx, last, func(e client.Event) bool {
			s.take(e)
			return true
		})
		if s.ctx.Err() == nil {
			s.agent.log.Error("the chat is not followed any more", "chat", s.id, "error", err)
			s.view.say("errand shows nothing more of this conversation: " + err.Error())
		}
	}()
}

func (s *session) take(e client.Event) {
	s.view.take(e)
	if e.ID == 0 {
		return
	}
	switch {
	case standsAlone(e):
		s.ask(e.Question)
	case e.Type != errand.EventMessage:
		s.withdraw()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = max(s.shown, e.ID)
	close(s.news)
	s.news = make(chan struct{})
}

// isOwn reports whether the editor shows a message already.
func (s *session) isOwn(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.own[id]
}

// For how long a prompt that is over waits for what is still to be shown, and one that was
// canceled for its end.
const (
	showPatience = 5 * time.Second
	stopPatience = 10 * time.Second
)

// awaitShown waits until the event with this id is shown.
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

// A sent is what came of a message.
type sent struct {
	last client.Event // of the log
	err  error
}

// prompt sends a message and returns when it is answered, or when ctx is done. The answer
// comes to the chat all the same.
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
		out.err = c.Send(sending, m, accepted, func(e client.Event) bool {
			if e.Type == errand.EventNotice && e.ID == 0 { // a command's answer is in no log
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
	case <-s.agent.conn.Done(): // nobody reads what is answered
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
	case out.last.Type == errand.EventNotice && out.last.Turn > 0:
		return acp.StopReasonCancelled, nil
	case out.last.Cause == errand.CutOff:
		return acp.StopReasonMaxTokens, nil
	case out.last.Cause == errand.Withheld:
		return acp.StopReasonRefusal, nil
	}
	return acp.StopReasonEndTurn, nil
}

// waits reports whether a prompt does.
func (s *session) waits() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.prompts > 0
}

// stop is /stop in the chat. It waits for a worker that is away, though not for long. What it
// is to stop is said first.
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
	agents, err := a.worker.API().ListAgents(ctx, &api.ListAgentsParams{Chat: chat})
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
		return &acp.RequestError{Code: acp.NewInvalidParams(nil).Code, Message: fmt.Sprintf("there is no agent %q", errand.Cut(string(id), 80))}
	}
	ctx, cancel := context.WithTimeout(ctx, client.CallTimeout)
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

func (s *session) task(id errand.TaskID) (*errand.Task, error) {
	ctx, cancel := context.WithTimeout(s.ctx, client.CallTimeout)
	defer cancel()
	t, err := s.agent.worker.API().GetTask(ctx, string(id), nil)
	return &t.Value.Task, err
}

// plan is what the agent of the chat means to do; without items where it keeps no list.
func (s *session) plan() (errand.Plan, error) {
	ctx, cancel := context.WithTimeout(s.ctx, client.CallTimeout)
	defer cancel()
	found, err := s.agent.worker.API().ListSessions(ctx, &api.ListSessionsParams{Chat: string(s.id), Limit: 1})
	if err != nil || len(found.Value) == 0 {
		return errand.Plan{}, err
	}
	return found.Value[0].Plan, nil
}
