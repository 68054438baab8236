package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"errand"
	"errand/internal/store/sqldb"
)

type messageRow struct {
	Turn    int
	Step    int
	Idx     int
	Speaker string
	Agent   string
	Text    string
	Calls   string
	CallID  string
	Created int64

	StateFor string // only of a transcript that a model is given
	State    []byte
}

const messageColumns = `turn, step, idx, speaker, agent, text, calls, call_id, created`

// promptColumns are those of a message that a model is given: with what its provider wants
// back, which nobody else reads.
const promptColumns = messageColumns + `, state_for, state`

func (r messageRow) message() (errand.Message, error) {
	m := errand.Message{
		Turn: r.Turn, Step: r.Step, Index: r.Idx, Speaker: errand.Speaker(r.Speaker), Agent: errand.AgentName(r.Agent),
		Text: r.Text, CallID: r.CallID, Created: at(r.Created),
	}
	if r.StateFor != "" {
		m.State = &errand.ProviderState{For: r.StateFor, Data: r.State}
	}
	if r.Calls == "" {
		return m, nil
	}
	if err := json.Unmarshal([]byte(r.Calls), &m.Calls); err != nil {
		return m, fmt.Errorf("calls of message %d:%d:%d: %w", r.Turn, r.Step, r.Idx, err)
	}
	return m, nil
}

func messagesWhere(q sqldb.Querier, where string, args ...any) ([]errand.Message, error) {
	return messagesOf(q, messageColumns, where, args...)
}

// inPrompts is the condition of messages that models are given. A model would take errand's
// errors for its own words, and repeat them.
const inPrompts = `own <> 'error' AND `

func promptMessagesWhere(q sqldb.Querier, where string, args ...any) ([]errand.Message, error) {
	return messagesOf(q, promptColumns, inPrompts+where, args...)
}

func messagesOf(q sqldb.Querier, columns, where string, args ...any) ([]errand.Message, error) {
	var rows []messageRow
	if err := q.All(&rows, `SELECT `+columns+` FROM messages WHERE `+where, args...); err != nil {
		return nil, err
	}
	messages := make([]errand.Message, len(rows))
	for i, r := range rows {
		m, err := r.message()
		if err != nil {
			return nil, err
		}
		messages[i] = m
	}
	return messages, nil
}

func shownWhere(q sqldb.Querier, where string, args ...any) ([]errand.Message, error) {
	messages, err := messagesWhere(q, where, args...)
	for i := range messages {
		messages[i].Text = errand.Unmarked(messages[i].Text)
	}
	return messages, err
}

type summaryRow struct {
	Turn int
	Step int
	Text string
}

// summaryOf returns the latest summary of owner; the zero one where there is none.
func summaryOf(q sqldb.Querier, owner errand.Owner) (summaryRow, error) {
	row := summaryRow{Step: -1}
	_, err := q.Row(&row, `SELECT turn, step, text FROM summaries WHERE owner = ? ORDER BY turn DESC, step DESC LIMIT 1`, owner)
	return row, err
}

// readTranscript reads at most Window messages from the end, whatever the
// length of the session, and what of this turn they cannot be understood
// without.
func (b *stepBegin) readTranscript() error {
	sum, err := summaryOf(b, b.key.Owner)
	if err != nil {
		return err
	}
	b.out.Summary = sum.Text
	window := b.in.Window
	if window <= 0 {
		window = maxWindow
	}
	messages, err := promptMessagesWhere(b, `owner = ? AND (turn, step) > (?, ?) ORDER BY turn DESC, step DESC, idx DESC LIMIT ?`,
		b.key.Owner, sum.Turn, sum.Step, window+1)
	if err != nil {
		return err
	}
	slices.Reverse(messages)
	if len(messages) > window {
		messages = messages[1:]
		if messages, err = b.completeStart(messages, sum); err != nil {
			return err
		}
		_, err := b.Value(&b.out.Older, `SELECT COUNT(*) FROM (SELECT 1 FROM messages
			WHERE `+inPrompts+`owner = ? AND (turn, step) > (?, ?) ORDER BY turn DESC, step DESC, idx DESC LIMIT ? OFFSET ?) AS older`,
			b.key.Owner, sum.Turn, sum.Step, window, window)
		if err != nil {
			return err
		}
	}
	b.out.Transcript = wellFormed(messages)
	boundStates(b.out.Transcript)
	return nil
}

// maxStates bounds what providers want back of one transcript, in bytes.
const maxStates = 4 << 20

// boundStates leaves out what providers want back of the earliest answers, where it is too much.
func boundStates(messages []errand.Message) {
	size := 0
	for i := range slices.Backward(messages) {
		if state := messages[i].State; state != nil {
			if size += len(state.Data); size > maxStates {
				messages[i].State = nil
			}
		}
	}
}

// completeStart puts back what a window has cut off of the turn that is
// running: the call that the first tool result answers, and what was asked.
func (b *stepBegin) completeStart(messages []errand.Message, sum summaryRow) ([]errand.Message, error) {
	first := messages[0]
	if first.Turn != b.key.Turn {
		return messages, nil
	}
	head, err := promptMessagesWhere(b, `owner = ? AND turn = ? AND (step = 0 OR step = ?) AND (step, idx) < (?, ?) AND (turn, step) > (?, ?)
		ORDER BY step, idx LIMIT ?`, b.key.Owner, first.Turn, first.Step, first.Step, first.Index, sum.Turn, sum.Step, maxWindow)
	return append(head, messages...), err
}

// wellFormed returns messages as the OpenAI-compatible wire wants them, where
// each call of an answer is followed by its one result: results whose call is
// not there are left out, calls without a result get one.
func wellFormed(messages []errand.Message) []errand.Message {
	out := make([]errand.Message, 0, len(messages))
	var asked errand.Message // the answer whose calls are open
	open := map[string]bool{}
	answerRest := func() {
		for i, c := range asked.Calls {
			if open[c.ID] {
				out = append(out, errand.Message{
					Turn: asked.Turn, Step: asked.Step, Index: asked.Index + i + 1, Speaker: errand.FromTool, CallID: c.ID,
					Text: "error: this tool call did not finish; its outcome is unknown", Created: asked.Created,
				})
			}
		}
		clear(open)
	}
	for _, m := range messages {
		if m.Speaker == errand.FromTool {
			if open[m.CallID] {
				delete(open, m.CallID)
				out = append(out, m)
			}
			continue
		}
		if m.Speaker == errand.FromAgent && m.Text == "" && len(m.Calls) == 0 && m.State == nil {
			continue // the end of a turn that handed calls to its program
		}
		answerRest()
		out = append(out, m)
		if len(m.Calls) > 0 {
			asked = m
			for _, c := range m.Calls {
				open[c.ID] = true
			}
		}
	}
	answerRest()
	return out
}

// Transcript returns the limit latest messages of owner, oldest first, as they
// were stored. limit 0 means 200.
func (s *Store) Transcript(ctx context.Context, owner errand.Owner, limit int) ([]errand.Message, error) {
	messages, err := shownWhere(s.read(ctx), `owner = ? ORDER BY turn DESC, step DESC, idx DESC LIMIT ?`, owner, orDefault(limit, 200))
	slices.Reverse(messages)
	return messages, err
}

// A MessageCount is how many messages somebody wrote.
type MessageCount struct {
	Agent    errand.AgentName // empty: the person
	Messages int
}

// readByPeople are the messages that people read: no tool results, no bare calls.
const readByPeople = `speaker IN ('user', 'assistant') AND text <> ''`

// MessageCounts counts the messages of a transcript by who wrote them, the person
// first.
func (s *Store) MessageCounts(ctx context.Context, owner errand.Owner) ([]MessageCount, error) {
	var list []MessageCount
	err := s.read(ctx).All(&list, `SELECT agent, COUNT(*) AS messages FROM messages WHERE owner = ? AND `+readByPeople+`
		GROUP BY agent ORDER BY agent`, owner)
	return list, err
}

// LastMessages returns the last n messages of a transcript that people read, oldest
// first; only those of agent if it is not empty.
func (s *Store) LastMessages(ctx context.Context, owner errand.Owner, agent errand.AgentName, n int) ([]errand.Message, error) {
	messages, err := shownWhere(s.read(ctx), `owner = ? AND `+readByPeople+` AND (agent = ? OR ? = '')
		ORDER BY turn DESC, step DESC, idx DESC LIMIT ?`, owner, agent, agent, n)
	slices.Reverse(messages)
	return messages, err
}
