package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

type questionRow struct {
	ID           string
	Kind         string
	State        string
	Conversation string
	SessionKey   string
	Session      string
	Channel      string
	Account      string
	Chat         string
	Thread       string
	Task         string
	Agent        string
	Owner        string
	Turn         int
	Step         int
	Idx          int
	Person       string
	Text         string
	Options      string
	AnswerSchema string
	Answer       string
	AnsweredBy   string
	AnsweredAs   string
	AnsweredIn   string
	Created      int64
	Expires      int64
	Answered     int64

	Tool          string
	Arguments     string
	ArgumentsHash string
	ForSession    bool
	Cut           bool
	Seal          string
}

const questionColumns = `id, kind, state, conversation, session_key, session, channel, account, chat, thread, task, agent, owner, turn, step, idx,
	person, text, options, answer_schema, answer, answered_by, answered_as, answered_in, created, expires, answered,
	tool, arguments, arguments_hash, for_session, cut, seal`

func (r questionRow) question() (core.Question, error) {
	q := core.Question{
		ID: core.QuestionID(r.ID), Kind: core.QuestionKind(r.Kind), State: core.QuestionState(r.State),
		Agent: core.AgentName(r.Agent), Task: core.TaskID(r.Task), Session: core.SessionID(r.Session), Key: core.SessionKey(r.SessionKey),
		Route:  core.Route{Channel: r.Channel, Account: r.Account, Chat: r.Chat, Thread: r.Thread},
		Call:   core.CallKey{StepKey: core.StepKey{Owner: core.Owner(r.Owner), Turn: r.Turn, Step: r.Step}, Index: r.Idx},
		Person: core.PersonID(r.Person), Text: r.Text, Answer: r.Answer, AnsweredBy: core.PersonID(r.AnsweredBy),
		AnsweredAs: core.AgentName(r.AnsweredAs), AnsweredIn: r.AnsweredIn, Created: at(r.Created), Expires: at(r.Expires), Answered: at(r.Answered),
	}
	if r.AnswerSchema != "" {
		q.Schema = json.RawMessage(r.AnswerSchema)
	}
	if q.Kind == core.AsksApproval {
		q.Approval = &core.Approval{Tool: r.Tool, Arguments: r.Arguments, Hash: r.ArgumentsHash, ForSession: r.ForSession, Cut: r.Cut, Seal: r.Seal}
	}
	var err error
	q.Options, err = optionsOf(r.Options)
	return q, err
}

func questionsWhere(q sqldb.Querier, where string, args ...any) ([]core.Question, error) {
	var rows []questionRow
	if err := q.All(&rows, `SELECT `+questionColumns+` FROM questions WHERE `+where, args...); err != nil {
		return nil, err
	}
	list := make([]core.Question, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = r.question(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func questionByID(q sqldb.Querier, id core.QuestionID) (core.Question, error) {
	list, err := questionsWhere(q, `id = ?`, id)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("question %s: %w", id, ErrNotFound)
	}
	if err != nil {
		return core.Question{}, err
	}
	return list[0], nil
}

// Question returns a question by its full id, or ErrNotFound.
func (s *Store) Question(ctx context.Context, id core.QuestionID) (core.Question, error) {
	return questionByID(s.read(ctx), id)
}

// A QuestionFilter selects questions. A zero field does not filter.
type QuestionFilter struct {
	Person core.PersonID
	Key    core.SessionKey // of the chat in which it is asked
	Open   bool
	Tasks  []core.TaskID // whose agents asked
	// Approvals adds all approvals to the questions of Person.
	Approvals bool
	Kind      core.QuestionKind
	After     Position
	Limit     int // default 100
}

func (f QuestionFilter) where() (string, []any) {
	where, args := []string{"TRUE"}, []any{}
	switch {
	case f.Person != "" && f.Approvals:
		where, args = append(where, `(person = ? OR kind = 'approval')`), append(args, f.Person)
	case f.Person != "":
		where, args = append(where, `person = ?`), append(args, f.Person)
	}
	if f.Kind != "" {
		where, args = append(where, `kind = ?`), append(args, f.Kind)
	}
	if f.Key != "" {
		where, args = append(where, `session_key = ?`), append(args, f.Key)
	}
	if len(f.Tasks) > 0 {
		where = append(where, `task <> '' AND task IN (`+sqldb.Placeholders(len(f.Tasks))+`)`)
		for _, id := range f.Tasks {
			args = append(args, id)
		}
	}
	if f.Open {
		where = append(where, `state = 'open'`)
	}
	return strings.Join(where, " AND "), args
}

// Questions returns the matching questions, oldest first. The first page has the newest questions.
func (s *Store) Questions(ctx context.Context, f QuestionFilter) ([]core.Question, error) {
	where, args := f.where()
	behind, values, err := questionOrder.behind(f.After)
	if err != nil {
		return nil, err
	}
	return questionsWhere(s.read(ctx), `id IN (SELECT id FROM questions WHERE `+where+` AND `+behind+questionOrder.by()+` LIMIT ?) ORDER BY created, id`,
		append(append(args, values...), orDefault(f.Limit, 100))...)
}

// FindQuestion returns the one matching question whose id begins with prefix, in any case and
// with or without "q-". It fails as [Store.FindTask] does.
func (s *Store) FindQuestion(ctx context.Context, prefix string, f QuestionFilter) (core.Question, error) {
	from, to, ok := idsFrom("q-", prefix)
	if !ok {
		return core.Question{}, about(ErrNotFound, "question", prefix)
	}
	where, args := f.where()
	list, err := questionsWhere(s.read(ctx), where+` AND id >= ? AND id < ? ORDER BY id LIMIT 6`, append(args, from, to)...)
	switch {
	case err != nil:
		return core.Question{}, err
	case len(list) == 0:
		return core.Question{}, about(ErrNotFound, "question", prefix)
	case len(list) == 1 || string(list[0].ID) == from:
		return list[0], nil
	}
	var names []string
	for _, q := range list {
		names = append(names, string(q.ID))
	}
	return core.Question{}, &LookupError{"question", prefix, names, ErrAmbiguous}
}

// A QuestionPace says when errand reminds people of a question, and when it expires.
type QuestionPace struct {
	ExpireAfter time.Duration
	RemindAfter []time.Duration // since the question was asked, ascending
}

func (p QuestionPace) next(created, expires int64, reminded int) int64 {
	if reminded < len(p.RemindAfter) {
		if due := created + p.RemindAfter[reminded].Microseconds(); due < expires {
			return due
		}
	}
	return expires
}

// after skips reminders that were due while no worker ran.
func (p QuestionPace) after(created, expires, now int64, reminded *int) int64 {
	next := p.next(created, expires, *reminded)
	for next <= now && next < expires {
		*reminded++
		next = p.next(created, expires, *reminded)
	}
	return next
}

// DefaultQuestionPace returns the pace of an installation without configuration.
func DefaultQuestionPace() QuestionPace {
	return QuestionPace{ExpireAfter: 7 * 24 * time.Hour, RemindAfter: []time.Duration{time.Hour, 24 * time.Hour}}
}

// CauseOf returns the cause of a turn; empty: there is no such turn.
func (s *Store) CauseOf(ctx context.Context, owner core.Owner, turn int) (Cause, error) {
	row, _, err := turnOf(s.read(ctx), owner, turn)
	return Cause(row.Cause), err
}

const askedIn = `state = 'open' AND id IN (SELECT id FROM questions WHERE session_key = ? AND state = 'open' AND person = ? AND idx > 0
	UNION ALL SELECT question FROM approval_deciders WHERE person = ? AND session_key = ?) ORDER BY created, id`

const lastSent = `SELECT question FROM outbox WHERE channel = ? AND account = ? AND chat = ? AND thread = ?
	AND state = 'sent' AND channel <> 'web' ORDER BY id DESC LIMIT 1`

// AskedIn returns the open questions of sub-agents to a person in a chat, and the open
// approvals that were sent to the person there, oldest first. last is the question that was
// shown last in the chat, according to the event log; on a platform it is empty if something
// else was sent to the chat later, in any session.
func (s *Store) AskedIn(ctx context.Context, key core.SessionKey, r core.Route, person core.PersonID) (open []core.Question, last core.QuestionID, err error) {
	q := s.read(ctx)
	open, err = questionsWhere(q, askedIn+" LIMIT ?", key, person, person, key, maxQuestions)
	if err != nil || len(open) == 0 {
		return nil, "", err
	}
	_, err = q.Value(&last, `SELECT question FROM events WHERE session_key = ? AND type IN ('message', 'reply', 'question', 'late', 'notice', 'error', 'file') ORDER BY id DESC LIMIT 1`, key)
	if err != nil || last == "" || r.Channel == core.ChannelWeb {
		return open, last, err
	}
	var sent core.QuestionID
	_, err = q.Value(&sent, lastSent, r.Channel, r.Account, r.Chat, r.Thread)
	if sent != last {
		last = ""
	}
	return open, last, err
}
