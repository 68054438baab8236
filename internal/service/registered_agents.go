package service

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"errand"
	"errand/internal/agents"
	"errand/internal/rights"
	"errand/internal/store"
)

// What registered agents and their requests are called where they are used.
type (
	RegisteredAgent = store.RegisteredAgent
	Requests        = store.Requests
	Request         = store.Request
)

const (
	longestAbout  = 200              // of what a registered agent says of itself, in characters
	longestAnswer = 256 << 10        // of what it answers, in bytes
	showUpEvery   = 20 * time.Second // while a registered agent waits for a request
)

const houseName errand.AgentName = "errand"

var agentName = regexp.MustCompile(agents.NamePattern)

// RegisterAgent has a program of the actor's, such as an editor, be an agent that the actor's
// conversations can delegate to, and nobody else's. The same name again is the same agent.
func (s *Service) RegisterAgent(ctx context.Context, by Actor, name errand.AgentName, about string) (errand.AgentName, error) {
	if err := s.may(by, rights.AgentsRegister); err != nil {
		return "", err
	}
	name = errand.AgentName(strings.ToLower(strings.TrimSpace(string(name))))
	if !agentName.MatchString(string(name)) {
		return "", Invalid("name", "refusal.agent_name", "name", strconv.Quote(errand.Cut(string(name), 40)))
	}
	if _, known := s.Roster.Agent(name); known || name == houseName {
		return "", conflict("name", "refusal.agent_taken", "name", string(name))
	}
	about, err := CleanText(about, longestAnswer)
	if err != nil {
		return "", err
	}
	about = errand.Cut(strings.Join(strings.Fields(about), " "), longestAbout)
	err = s.Store.RegisterAgent(ctx, by.Person, name, about)
	if errors.Is(err, store.ErrTooManyAgents) {
		return "", Refuse(KindTooMany, "too_many", "refusal.agents_registered")
	}
	if err == nil {
		s.Logger.Info("agent registered", "agent", name)
	}
	return name, err
}

// RegisteredAgents lists the agents that the actor has registered, and whether they are there.
func (s *Service) RegisteredAgents(ctx context.Context, by Actor) ([]RegisteredAgent, error) {
	if err := s.may(by, rights.AgentsRead); err != nil {
		return nil, err
	}
	return s.Store.RegisteredAgents(ctx, by.Person)
}

// NextRequest gives an agent that the actor has registered the oldest of its requests that it
// does not have, and waits for one, no longer than atMost and ctx. It is there while it waits,
// and for a minute after that.
func (s *Service) NextRequest(ctx context.Context, by Actor, name errand.AgentName, atMost time.Duration) (Requests, error) {
	if err := s.may(by, rights.AgentsRegister); err != nil {
		return Requests{}, err
	}
	name = errand.AgentName(strings.ToLower(strings.TrimSpace(string(name))))
	leave, ok := s.waiting.enter(waitingAgent{by.Person, name})
	if !ok {
		return Requests{}, Refuse(KindTooMany, "too_many", "refusal.agent_waits", "name", strconv.Quote(errand.Cut(string(name), 40)))
	}
	defer leave()
	changed, cancel := s.Store.Bus().SubscribeLists(by.Person)
	defer cancel()
	over := time.NewTimer(atMost)
	defer over.Stop()
	for last := atMost <= 0; ; {
		found, err := s.Store.TakeRequest(ctx, by.Person, name)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return found, Refuse(KindNotFound, "not_registered", "refusal.not_registered", "name", strconv.Quote(errand.Cut(string(name), 40)))
		case err != nil || last || found.Next != nil || len(found.Canceled) > 0:
			return found, err
		}
		if last, err = s.awaitRequest(ctx, by.Person, name, changed, over.C); err != nil {
			return Requests{}, err
		}
	}
}

// awaitRequest waits until there may be something for a registered agent, or it is time for it
// to show up again. over says that it is to wait no longer.
func (s *Service) awaitRequest(ctx context.Context, person errand.PersonID, name errand.AgentName, changed <-chan Lists, end <-chan time.Time) (over bool, err error) {
	again := time.NewTimer(showUpEvery)
	defer again.Stop()
	for {
		waits, err := s.Store.RequestWaits(ctx, person, name) // at once, for it may have come before the subscription
		if err != nil || waits {
			return false, err
		}
		select {
		case <-changed:
		case <-s.blind(2 * time.Second):
		case <-again.C:
			return false, nil
		case <-end:
			return true, nil
		case <-ctx.Done():
			return true, ctx.Err()
		}
	}
}

// A RequestAnswer is what a registered agent answers a request.
type RequestAnswer struct {
	Request string // id of the task, or "task/agent"
	Text    string
	Failed  bool // it could not do it, and Text says why
}

// AnswerRequest ends a request with what an agent of the actor's answers. The first answer is
// final; the same one again does nothing.
func (s *Service) AnswerRequest(ctx context.Context, by Actor, in RequestAnswer) (errand.TaskID, error) {
	if err := s.may(by, rights.AgentsRegister); err != nil {
		return "", err
	}
	id, agent, ok := errand.Owner(strings.TrimSpace(in.Request)).Task()
	if !ok {
		return "", noRequest(in.Request)
	}
	answer := errand.PeerTask{State: errand.Completed}
	text, err := CleanText(in.Text, longestAnswer)
	if err != nil {
		return "", err
	}
	if answer.Text = text; in.Failed {
		answer.State = errand.Failed
	}
	done, err := s.Store.AnswerRequest(ctx, by.Person, id, agent, answer)
	switch err = requestError(in.Request, err); {
	case err != nil || done.Before:
		return id, err
	case !done.Late:
		if err := s.Dispatch.HastenPeer(ctx, id, agent); err != nil {
			s.Logger.Info("an answer is there; its task finds it within a minute", "task", id, "agent", agent, "error", err)
		}
		return id, nil
	}
	late, err := s.keepLate(ctx, id, agent, answer)
	if late == nil || err != nil {
		return id, err
	}
	return id, s.signalLate(ctx, late)
}

// KeepRequest says that an agent of the actor's is still at work on a request. It fails where
// nobody waits for that any more.
func (s *Service) KeepRequest(ctx context.Context, by Actor, request string) (errand.TaskID, error) {
	if err := s.may(by, rights.AgentsRegister); err != nil {
		return "", err
	}
	id, agent, ok := errand.Owner(strings.TrimSpace(request)).Task()
	if !ok {
		return "", noRequest(request)
	}
	return id, requestError(request, s.Store.KeepRequest(ctx, by.Person, id, agent))
}

func requestError(request string, err error) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return noRequest(request)
	case errors.Is(err, store.ErrClosed):
		return conflict("canceled", "refusal.request_over", "request", errand.Cut(request, 80))
	case errors.Is(err, store.ErrAnswered):
		return conflict("answered", "refusal.request_answered", "request", errand.Cut(request, 80))
	}
	return err
}

func noRequest(id string) error {
	return Refuse(KindNotFound, "not_found", "refusal.no_request", "request", strconv.Quote(errand.Cut(id, 80)))
}

// registered says why a name that is not of the roster names no agent that somebody may send
// on a task now; nil: it names one that they have registered, and that is there.
func (s *Service) registered(ctx context.Context, by Actor, name errand.AgentName) error {
	agent, err := s.Store.RegisteredAgent(ctx, by.Person, name)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return s.unknownAgent(by, name)
	case err != nil:
		return err
	case !agent.Connected:
		return conflict("not_connected", "refusal.agent_gone", "agent", agent.Name.Display(), "since", s.TextsFor(by.Language).Moment(agent.Seen.In(s.ZoneOf(by)), s.Now()))
	}
	return nil
}
