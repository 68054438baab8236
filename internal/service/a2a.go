package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
)

// An A2AMessage is what a program of somebody's says over A2A.
type A2AMessage struct {
	ID       string           // that the program gives it: the same one counts once
	Context  string           // the conversation that it is of; empty: that of its task, or a new one
	Task     errand.TaskID    // that it is for; empty: it asks for one
	Agent    errand.AgentName // that is asked
	Question string           // id of the question that it answers; empty: the first that a program may answer
	Text     string
}

// longestA2AName bounds the names that programs give, in bytes.
const longestA2AName = 200

// ReceiveA2A takes a message: it answers the question that its task asks, adds to a task that
// is at work, goes on with what was done before in its context, or asks for a new task. It
// returns the task that it is about now.
func (s *Service) ReceiveA2A(ctx context.Context, by Actor, m A2AMessage) (errand.Task, error) {
	if err := s.may(by, rights.TasksDelegate); err != nil {
		return errand.Task{}, err
	}
	for _, name := range []string{m.ID, m.Context} {
		if len(name) > longestA2AName || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
			return errand.Task{}, Invalid("name", "refusal.a2a_name", "most", longestA2AName)
		}
	}
	if m.ID == "" {
		return errand.Task{}, Invalid("message_id", "refusal.a2a_message_id")
	}
	before, err := s.Store.A2AMessage(ctx, by.Person, m.ID)
	if errors.Is(err, store.ErrNotFound) {
		first := s.delegateA2A
		if m.Task != "" {
			first = s.addA2A
		}
		t, fault := first(ctx, by, m)
		if !errors.Is(fault, store.ErrNoted) {
			return t, fault
		}
		before, err = s.Store.A2AMessage(ctx, by.Person, m.ID) // it has come meanwhile
	}
	if err != nil {
		return errand.Task{}, err
	}
	if before.Question != "" {
		t, err := s.answerA2A(ctx, by, before, m.Text)
		if known := (*Error)(nil); !errors.As(err, &known) || known.Kind != KindConflict {
			return t, err
		}
		// It is answered, by this as it came first.
	}
	return s.FindTask(ctx, by, string(before.Task), "")
}

func (s *Service) addA2A(ctx context.Context, by Actor, m A2AMessage) (errand.Task, error) {
	t, err := s.OwnTask(ctx, by, m.Task)
	if err != nil {
		return t, err
	}
	if m.Context != "" && m.Context != ContextOf(t) {
		return t, Invalid("context", "refusal.a2a_context", "task", t.ID)
	}
	if t.State.Terminal() {
		return t, conflict(TaskEndedCode, "refusal.task_ended", "task", t.ID, "state", texts.Key("state."+string(t.State)))
	}
	noted := store.A2AMessage{Person: by.Person, Message: m.ID, Context: ContextOf(t), Task: t.ID}
	open, err := s.TaskQuestions(ctx, by, t.ID)
	if err != nil {
		return t, err
	}
	for _, q := range open {
		if q.Kind != errand.AsksApproval && (m.Question == "" || string(q.ID) == m.Question) {
			// Noted first: the same message again answers this question, and is not added to
			// the task that has gone on meanwhile.
			noted.Question = q.ID
			if err := s.Store.NoteA2AMessage(ctx, noted); err != nil {
				return t, err
			}
			return s.answerA2A(ctx, by, noted, m.Text)
		}
	}
	if m.Question != "" {
		return t, Refuse(KindNotFound, "not_found", "refusal.a2a_question", "question", errand.Cut(m.Question, 40), "task", t.ID)
	}
	done, err := s.SteerTask(ctx, by, t.ID, Steering{Text: m.Text, Key: a2aKey(by, m.ID), a2a: &noted})
	return done.Task, err
}

// answerA2A answers the question that a message is for.
func (s *Service) answerA2A(ctx context.Context, by Actor, m store.A2AMessage, text string) (errand.Task, error) {
	if _, err := s.AnswerQuestion(ctx, by, string(m.Question), Answer{Text: text, Program: true, Route: a2aRoute(m.Context)}); err != nil {
		return errand.Task{}, err
	}
	return s.FindTask(ctx, by, string(m.Task), "")
}

// delegateA2A begins a task, or goes on with the last of the context, where that has ended and
// was the same agent's. A peer is always sent another: it goes on with nothing.
func (s *Service) delegateA2A(ctx context.Context, by Actor, m A2AMessage) (errand.Task, error) {
	if m.Context == "" {
		m.Context = "c-" + a2aKey(by, m.ID)[:20]
	}
	noted := &store.A2AMessage{Person: by.Person, Message: m.ID, Context: m.Context}
	last, err := s.Store.LastA2ATask(ctx, by.Person, m.Context)
	switch {
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return errand.Task{}, err
	case err == nil && last.State.Terminal() && s.isLocal(ctx, last) == nil && slices.Equal(last.Agents, []errand.AgentName{m.Agent}):
		return s.ContinueTask(ctx, by, last.ID, Steering{Text: m.Text, Key: a2aKey(by, m.ID), Route: a2aRoute(m.Context), a2a: noted})
	}
	return s.createDelegation(ctx, by, Delegation{Route: a2aRoute(m.Context), Agents: []errand.AgentName{m.Agent}, Text: m.Text}, noted)
}

func a2aRoute(name string) errand.Route {
	return errand.Route{Channel: errand.ChannelA2A, Thread: name}
}

// a2aKey is by what a message is said to a task once. No other door has one that begins so.
func a2aKey(by Actor, message string) string {
	sum := sha256.Sum256([]byte("a2a " + strconv.Itoa(len(by.Person)) + string(by.Person) + message))
	return hex.EncodeToString(sum[:])
}

// ContextOf is the conversation that a task is of, as programs know it.
func ContextOf(t errand.Task) string {
	if t.Origin.Channel == errand.ChannelA2A {
		return t.Origin.Thread
	}
	return string(t.ID)
}

// OwnTask returns a task of the actor's own by its whole id.
func (s *Service) OwnTask(ctx context.Context, by Actor, id errand.TaskID) (errand.Task, error) {
	if err := s.may(by, rights.TasksRead); err != nil {
		return errand.Task{}, err
	}
	t, err := s.FindTask(ctx, by, string(id), "")
	if known := (*Error)(nil); err == nil && t.ID != id || errors.As(err, &known) && known.Code == "ambiguous" {
		return errand.Task{}, Known(store.ErrNotFound)
	}
	return t, err
}

// An A2AFilter narrows a list of tasks that came over A2A; zero fields do not.
type A2AFilter struct {
	Context string
	Agent   errand.AgentName
	States  []errand.TaskState
	Since   time.Time // it has ended after, or, while it is open, was begun after
	After   Position  // in the list
	Limit   int
}

// A2ATasks lists tasks of the actor's own that came over A2A, the newest first, and says how
// many there are before and behind the limit.
func (s *Service) A2ATasks(ctx context.Context, by Actor, f A2AFilter) (list []errand.Task, all int, err error) {
	if err := s.may(by, rights.TasksRead); err != nil {
		return nil, 0, err
	}
	filter := store.TaskFilter{Person: by.Person, A2A: true, Context: f.Context, Agent: f.Agent, States: f.States, Since: f.Since, Limit: f.Limit}
	if all, err = s.Store.CountTasks(ctx, filter); err != nil {
		return nil, 0, err
	}
	filter.After = f.After
	list, err = paged(s.Store.Tasks(ctx, filter))
	return list, all, err
}
