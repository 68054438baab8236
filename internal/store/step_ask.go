package store

import (
	"cmp"
	"encoding/json"
	"fmt"

	"errand/internal/core"
)

// A NewQuestion is a question that a call, or the reply of a turn, asks a person.
type NewQuestion struct {
	ID      core.QuestionID
	Kind    core.QuestionKind // default: core.AsksPerson
	Text    string
	Options []string
	Schema  json.RawMessage
	Shown   string // the text shown for a sub-agent's question; a turn's reply is shown as it is
	Pace    QuestionPace
}

func (c *commit) ask(index int) (core.QuestionID, error) {
	ask, ok := c.in.Questions[index]
	if !ok || c.task == nil {
		return "", fmt.Errorf("call %s:%d asks and nobody knows what", c.key, index)
	}
	if id, err := c.askAgain(ask, index); err != nil || id != "" {
		return id, err
	}
	q, err := c.insertQuestion(ask, index)
	if err != nil {
		return "", err
	}
	if err := c.show(q, "question:"+string(q.ID), ask.Shown); err != nil {
		return "", err
	}
	return q.ID, c.requireInput(c.task)
}

func (t *tx) requireInput(task *core.Task) error {
	if _, err := t.Exec(`UPDATE tasks SET state = 'input_required' WHERE id = ? AND state = 'working'`, task.ID); err != nil {
		return err
	}
	if task.State == core.InputRequired {
		return nil
	}
	task.State = core.InputRequired
	if err := t.duePushes(task); err != nil {
		return err
	}
	return t.announceTask(task)
}

// askAgain makes a call wait for an open question with the same text. The agent asks again
// after something else ended its wait.
func (c *commit) askAgain(ask NewQuestion, index int) (core.QuestionID, error) {
	if c.task.State != core.InputRequired {
		return "", nil
	}
	list, err := questionsWhere(c, `owner = ? AND state = 'open' AND text = ? ORDER BY created LIMIT 1`, c.key.Owner, ask.Text)
	if err != nil || len(list) == 0 {
		return "", err
	}
	_, err = c.Exec(`UPDATE questions SET turn = ?, step = ?, idx = ? WHERE id = ?`, c.key.Turn, c.key.Step, index, list[0].ID)
	return list[0].ID, err
}

func (c *commit) insertQuestion(ask NewQuestion, index int) (core.Question, error) {
	in := c.stepIn
	q := core.Question{
		ID: ask.ID, Kind: cmp.Or(ask.Kind, core.AsksPerson), State: core.QuestionOpen, Agent: in.Agent, Session: in.Session, Key: in.SessionKey, Route: in.Route,
		Call: core.CallKey{StepKey: c.key, Index: index}, Person: in.Person, Text: ask.Text, Options: ask.Options, Schema: ask.Schema,
	}
	locked := string(in.SessionKey)
	if c.task != nil {
		q.Task, locked = c.task.ID, conversation(c.task.Origin)
	}
	expires := c.now + ask.Pace.ExpireAfter.Microseconds()
	q.Created, q.Expires = at(c.now), at(expires)
	return q, c.writeQuestion(q, locked, ask.Pace)
}

// writeQuestion stores a question. locked is the key that transactions about it lock.
func (t *tx) writeQuestion(q core.Question, locked string, pace QuestionPace) error {
	t.changedQuestion(q.Kind, q.Person)
	_, err := t.Exec(`INSERT INTO questions (id, kind, state, conversation, session_key, session, channel, account, chat, thread, task, agent,
		owner, turn, step, idx, person, text, options, answer_schema, created, expires, next_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		q.ID, q.Kind, q.State, locked, q.Key, q.Session, q.Route.Channel, q.Route.Account, q.Route.Chat, q.Route.Thread, q.Task, q.Agent,
		q.Call.Owner, q.Call.Turn, q.Call.Step, q.Call.Index, q.Person, q.Text, optionsText(q.Options), string(q.Schema), micros(q.Created), micros(q.Expires),
		pace.next(micros(q.Created), micros(q.Expires), 0))
	return err
}

func (t *tx) show(q core.Question, key, text string) error {
	if q.Route.Chat == "" {
		return nil
	}
	_, err := t.enqueue(core.Notification{
		Key: key, Route: q.Route, Session: q.Key, Agent: q.Agent, Task: q.Task, Event: core.EventQuestion, Text: text,
		Options: q.Buttons(), Question: q.ID,
	}, q.Call.Owner, q.Call.Turn)
	if err != nil {
		return err
	}
	return t.announce(core.Event{Type: core.EventQuestion, Key: q.Key, Session: q.Session, Agent: q.Agent, Task: q.Task, Text: text,
		Options: q.Buttons(), Question: q.ID, QuestionKind: q.Kind})
}
