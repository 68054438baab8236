package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"errand/internal/core"
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
	Own     string
	Created int64

	StateFor string // loaded for prompts only
	State    []byte
}

const messageColumns = `turn, step, idx, speaker, agent, text, calls, call_id, own, created`

// promptColumns adds the provider's state, which only prompts need.
const promptColumns = messageColumns + `, state_for, state`

func (r messageRow) message() (core.Message, error) {
	m := core.Message{
		Turn: r.Turn, Step: r.Step, Index: r.Idx, Speaker: core.Speaker(r.Speaker), Agent: core.AgentName(r.Agent),
		Text: r.Text, CallID: r.CallID, Replaced: core.Own(r.Own) == core.OwnReplaced, Created: at(r.Created),
	}
	if r.StateFor != "" {
		m.State = &core.ProviderState{For: r.StateFor, Data: r.State}
	}
	if r.Calls == "" {
		return m, nil
	}
	if err := json.Unmarshal([]byte(r.Calls), &m.Calls); err != nil {
		return m, fmt.Errorf("calls of message %d:%d:%d: %w", r.Turn, r.Step, r.Idx, err)
	}
	return m, nil
}

func messagesWhere(q sqldb.Querier, where string, args ...any) ([]core.Message, error) {
	return messagesOf(q, messageColumns, where, args...)
}

// inPrompts leaves out replaced turns and errand's error messages. A model would take an error message
// for its own text, and repeat it.
const inPrompts = `own NOT IN ('error', 'replaced') AND `

func promptMessagesWhere(q sqldb.Querier, where string, args ...any) ([]core.Message, error) {
	return messagesOf(q, promptColumns, inPrompts+where, args...)
}

func messagesOf(q sqldb.Querier, columns, where string, args ...any) ([]core.Message, error) {
	var rows []messageRow
	if err := q.All(&rows, `SELECT `+columns+` FROM messages WHERE `+where, args...); err != nil {
		return nil, err
	}
	messages := make([]core.Message, len(rows))
	for i, r := range rows {
		m, err := r.message()
		if err != nil {
			return nil, err
		}
		messages[i] = m
	}
	return messages, nil
}

func shownWhere(q sqldb.Querier, where string, args ...any) ([]core.Message, error) {
	messages, err := messagesWhere(q, where, args...)
	for i := range messages {
		messages[i].Text = core.Unmarked(messages[i].Text)
	}
	return messages, err
}

type summaryRow struct {
	Turn int
	Step int
	Text string
}

// summaryOf returns the latest summary of a transcript, or an empty one with step -1.
func summaryOf(q sqldb.Querier, owner core.Owner) (summaryRow, error) {
	row := summaryRow{Step: -1}
	_, err := q.Row(&row, `SELECT turn, step, text FROM summaries WHERE owner = ? ORDER BY turn DESC, step DESC LIMIT 1`, owner)
	return row, err
}

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

// maxStates limits the providers' states of one transcript, in bytes.
const maxStates = 4 << 20

func boundStates(messages []core.Message) {
	size := 0
	for i := range slices.Backward(messages) {
		if state := messages[i].State; state != nil {
			if size += len(state.Data); size > maxStates {
				messages[i].State = nil
			}
		}
	}
}

// completeStart restores the parts of the running turn that a window has cut off: the question,
// and the call of the first result.
func (b *stepBegin) completeStart(messages []core.Message, sum summaryRow) ([]core.Message, error) {
	first := messages[0]
	if first.Turn != b.key.Turn {
		return messages, nil
	}
	head, err := promptMessagesWhere(b, `owner = ? AND turn = ? AND (step = 0 OR step = ?) AND (step, idx) < (?, ?) AND (turn, step) > (?, ?)
		ORDER BY step, idx LIMIT ?`, b.key.Owner, first.Turn, first.Step, first.Step, first.Index, sum.Turn, sum.Step, maxWindow)
	return append(head, messages...), err
}

// wellFormed puts exactly one result behind each call, as OpenAI-compatible APIs require. It
// drops results without a call and adds missing results.
func wellFormed(messages []core.Message) []core.Message {
	out := make([]core.Message, 0, len(messages))
	var asked core.Message // the answer with the open calls
	open := map[string]bool{}
	answerRest := func() {
		for i, c := range asked.Calls {
			if open[c.ID] {
				out = append(out, core.Message{
					Turn: asked.Turn, Step: asked.Step, Index: asked.Index + i + 1, Speaker: core.FromTool, CallID: c.ID,
					Text: "error: this tool call did not finish; its outcome is unknown", Created: asked.Created,
				})
			}
		}
		clear(open)
	}
	for _, m := range messages {
		if m.Speaker == core.FromTool {
			if open[m.CallID] {
				delete(open, m.CallID)
				out = append(out, m)
			}
			continue
		}
		if m.Speaker == core.FromAgent && m.Text == "" && len(m.Calls) == 0 && m.State == nil {
			continue // the end of a turn that left its calls to a program
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

// Transcript returns the latest limit messages of owner, oldest first. limit 0 means 200.
func (s *Store) Transcript(ctx context.Context, owner core.Owner, limit int) ([]core.Message, error) {
	messages, err := shownWhere(s.read(ctx), `owner = ? ORDER BY turn DESC, step DESC, idx DESC LIMIT ?`, owner, orDefault(limit, 200))
	slices.Reverse(messages)
	return messages, err
}

// A MessageCount is the number of messages of one author.
type MessageCount struct {
	Agent    core.AgentName // empty: the person
	Messages int
}

// readByPeople selects messages that people read: no tool results, no calls without text.
const readByPeople = `speaker IN ('user', 'assistant') AND text <> ''`

// MessageCounts counts the messages of a transcript by author, the person first.
func (s *Store) MessageCounts(ctx context.Context, owner core.Owner) ([]MessageCount, error) {
	var list []MessageCount
	err := s.read(ctx).All(&list, `SELECT agent, COUNT(*) AS messages FROM messages WHERE owner = ? AND `+readByPeople+`
		GROUP BY agent ORDER BY agent`, owner)
	return list, err
}

// LastMessages returns the last n messages that people read, oldest first. If agent is set, it
// returns only that agent's messages.
func (s *Store) LastMessages(ctx context.Context, owner core.Owner, agent core.AgentName, n int) ([]core.Message, error) {
	messages, err := shownWhere(s.read(ctx), `owner = ? AND `+readByPeople+` AND (agent = ? OR ? = '')
		ORDER BY turn DESC, step DESC, idx DESC LIMIT ?`, owner, agent, agent, n)
	slices.Reverse(messages)
	return messages, err
}
