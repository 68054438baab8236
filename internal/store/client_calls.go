package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"errand"
)

// What becomes of a call that a turn has ended with, for the program to carry out that talks
// with the agent.
const (
	callOpen       = "open"
	callUnanswered = "unanswered" // the conversation has gone on without
	callAnswered   = "answered"
	callLate       = "late" // answered after it was unanswered
)

// ErrNoSuchCall refuses a message with the output of a call that the agents of its
// conversation have not made, or that has its output.
var ErrNoSuchCall = errors.New("no such call waits for its output")

// ClientCalls are the calls that a turn has ended with, and what the agent said with them.
type ClientCalls struct {
	Text  string
	Calls []errand.ClientCall
}

const unansweredCall = "error: the program that has this tool did not answer the call"

// toClient ends the turn with the calls of the step before that the program carries out. What
// else that step has called is done, and what was said meanwhile is for the next turn.
func (b *stepBegin) toClient(before errand.StepKey, indexes []int) error {
	var row struct{ Text, Calls string }
	if _, err := b.Row(&row, `SELECT text, calls FROM messages WHERE owner = ? AND turn = ? AND step = ? AND idx = 0`, before.Owner, before.Turn, before.Step); err != nil {
		return err
	}
	var calls []errand.ToolCall
	if err := json.Unmarshal([]byte(row.Calls), &calls); err != nil {
		return fmt.Errorf("calls of step %s: %w", before, err)
	}
	lines := make([]string, 0, len(indexes)+1)
	if row.Text != "" {
		lines = append(lines, row.Text)
	}
	for _, index := range indexes {
		call := calls[index-1]
		_, err := b.Exec(`INSERT INTO client_calls (id, session_key, owner, turn, step, idx, call_id, name, state, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			"call_"+errand.ShortID(20), b.out.SessionKey, before.Owner, before.Turn, before.Step, index, call.ID, call.Name, callOpen, b.now)
		if err != nil {
			return err
		}
		lines = append(lines, callLine(call.Name, ""))
	}
	if _, err := b.Exec(`UPDATE turns SET open = FALSE, replied = TRUE, closed = ? WHERE owner = ? AND turn = ?`, b.now, b.key.Owner, b.key.Turn); err != nil {
		return err
	}
	result := StepResult{Final: true, Agent: b.out.Agent}
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	b.out.Done = &result
	if err := b.insertOutcome(b.key.Owner, errand.Message{Turn: b.key.Turn, Step: b.key.Step, Speaker: errand.FromAgent, Agent: b.out.Agent}, string(text)); err != nil {
		return err
	}
	return b.announce(errand.Event{Type: errand.EventReply, Key: b.out.SessionKey, Session: b.out.Session, Turn: b.key.Turn, Agent: b.out.Agent,
		Text: strings.Join(lines, "\n\n"), Cause: errand.ToolCalls})
}

// callLine stands in the log for a call, and for its output.
func callLine(name, output string) string {
	if output == "" {
		return "→ " + name
	}
	return "→ " + name + ": " + errand.Cut(output, 200)
}

// keepOutputs keeps what a message brings of calls, until a turn takes it.
func (t *tx) keepOutputs(row InboxRow, outputs []errand.ClientOutput) (lines []string, err error) {
	for _, o := range outputs {
		var name string
		found, err := t.Value(&name, `UPDATE client_calls SET state = CASE state WHEN 'open' THEN 'answered' ELSE 'late' END, output = ?, inbox = ?
			WHERE id = ? AND session_key = ? AND state IN ('open', 'unanswered') RETURNING name`, o.Text, row.ID, o.Call, row.Session)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, fmt.Errorf("call %s: %w", errand.Cut(o.Call, 80), ErrNoSuchCall)
		}
		lines = append(lines, callLine(name, o.Text))
	}
	return lines, nil
}

// returnOutputs opens the calls again whose outputs came by messages of a conversation that
// no turn will take: the program may bring them once more.
func (t *tx) returnOutputs(which string, key errand.SessionKey, args ...any) error {
	_, err := t.Exec(`UPDATE client_calls SET state = CASE state WHEN 'answered' THEN 'open' ELSE 'unanswered' END, output = '', inbox = 0
		WHERE inbox <> 0 AND inbox IN (SELECT id FROM inbox WHERE session_key = ? AND `+which+`)`, append([]any{key}, args...)...)
	return err
}

type clientCallRow struct {
	Owner     string
	Turn      int
	Step, Idx int
	CallID    string
	Name      string
	State     string
	Output    string
}

// takeOutputs puts what a message brings of calls behind them. Where the conversation has gone
// on since, they are in the transcript without, and the agent reads it now.
func (b *stepBegin) takeOutputs(r claimRow) error {
	if !r.Outputs {
		return nil
	}
	var rows []clientCallRow
	err := b.All(&rows, `SELECT owner, turn, step, idx, call_id, name, state, output FROM client_calls WHERE inbox = ? AND inbox <> 0 ORDER BY turn, step, idx`, r.ID)
	if err != nil {
		return err
	}
	for _, c := range rows {
		late := c.State == callLate || c.Owner != string(b.key.Owner)
		if !late {
			var one int
			late, err = b.Value(&one, `SELECT 1 FROM messages WHERE owner = ? AND turn > ? AND turn < ? AND step > 0 AND idx = 0 LIMIT 1`, c.Owner, c.Turn, b.key.Turn)
			if err != nil {
				return err
			}
		}
		m := errand.Message{Turn: c.Turn, Step: c.Step, Index: c.Idx, Speaker: errand.FromTool, CallID: c.CallID, Text: c.Output}
		if late {
			text := b.out.Nonce.Mark("what the call of "+c.Name+" came to, after you had gone on:") + "\n" + b.out.Nonce.Report(c.Output)
			err = b.append(errand.Message{Speaker: errand.FromPerson, Text: text})
		} else {
			err = b.insertMessage(b.key.Owner, m)
		}
		if err != nil {
			return err
		}
	}
	_, err = b.Exec(`UPDATE client_calls SET output = '' WHERE inbox = ? AND inbox <> 0`, r.ID)
	return err
}

// closeCalls closes the calls of earlier turns that the program has not answered: somebody has
// written something else.
func (b *stepBegin) closeCalls() error {
	if !b.called {
		return nil
	}
	b.called = false
	var rows []clientCallRow
	err := b.All(&rows, `UPDATE client_calls SET state = 'unanswered' WHERE owner = ? AND state = 'open' AND turn < ? RETURNING owner, turn, step, idx, call_id, name, state, output`,
		b.key.Owner, b.key.Turn)
	if err != nil {
		return err
	}
	slices.SortFunc(rows, func(x, y clientCallRow) int { return x.Idx - y.Idx })
	for _, c := range rows {
		err := b.insertMessage(b.key.Owner, errand.Message{Turn: c.Turn, Step: c.Step, Index: c.Idx, Speaker: errand.FromTool, CallID: c.CallID, Text: unansweredCall})
		if err != nil {
			return err
		}
	}
	return nil
}

// readClientTools notes what the program offers that the turn answers; with several messages,
// that of the latest which offers something.
func (b *stepBegin) readClientTools(text string) error {
	if text == "" {
		return nil
	}
	var c errand.ClientTools
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return fmt.Errorf("tools of a program: %w", err)
	}
	b.out.Client = &c
	return nil
}

func clientToolsText(c *errand.ClientTools) (string, error) {
	if c == nil || len(c.Tools) == 0 {
		return "", nil
	}
	text, err := json.Marshal(c)
	return string(text), err
}

// ClientCalls returns the calls that a turn of a conversation has ended with.
func (s *Store) ClientCalls(ctx context.Context, key errand.SessionKey, session errand.SessionID, turn int) (ClientCalls, error) {
	var out ClientCalls
	var rows []struct {
		ID, Name, Text, Calls string
		Idx                   int
	}
	err := s.read(ctx).All(&rows, `SELECT c.id, c.name, c.idx, m.text, m.calls FROM client_calls c
		JOIN messages m ON m.owner = c.owner AND m.turn = c.turn AND m.step = c.step AND m.idx = 0
		WHERE c.session_key = ? AND c.owner = ? AND c.turn = ? ORDER BY c.idx`, key, session, turn)
	for _, r := range rows {
		var calls []errand.ToolCall
		if err := json.Unmarshal([]byte(r.Calls), &calls); err != nil || r.Idx > len(calls) {
			return out, fmt.Errorf("calls of turn %d of %s: %v", turn, session, err)
		}
		out.Text = r.Text
		out.Calls = append(out.Calls, errand.ClientCall{ID: r.ID, Name: r.Name, Arguments: calls[r.Idx-1].Arguments})
	}
	return out, err
}

// CallOf returns the conversation that a call was made in, and whether it waits for its output.
// It fails with ErrNotFound.
func (s *Store) CallOf(ctx context.Context, id string) (key errand.SessionKey, route errand.Route, waits bool, err error) {
	var row struct {
		SessionKey, State              string
		Channel, Account, Chat, Thread string
	}
	found, err := s.read(ctx).Row(&row, `SELECT c.session_key, c.state, s.channel, s.account, s.chat, s.thread FROM client_calls c JOIN sessions s ON s.id = c.owner WHERE c.id = ?`, id)
	if err == nil && !found {
		err = fmt.Errorf("call %s: %w", errand.Cut(id, 80), ErrNotFound)
	}
	return errand.SessionKey(row.SessionKey), errand.Route{Channel: row.Channel, Account: row.Account, Chat: row.Chat, Thread: row.Thread},
		row.State == callOpen || row.State == callUnanswered, err
}
