package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"errand/internal/core"
)

// States of a call that ended a turn and that the calling program carries out.
const (
	callOpen       = "open"
	callUnanswered = "unanswered" // the conversation went on without the output
	callAnswered   = "answered"
	callLate       = "late" // the output came after the call became unanswered
)

// ErrNoSuchCall refuses a message with the output of a call that its conversation does not
// have, or that already has its output.
var ErrNoSuchCall = errors.New("no such call waits for its output")

// ClientCalls are the calls that ended a turn, and the agent's text with them.
type ClientCalls struct {
	Text  string
	Calls []core.ClientCall
}

const unansweredCall = "error: the program that has this tool did not answer the call"

// toClient ends the turn with those calls of the previous step that the program carries out.
// The step's other calls are done. Messages that came meanwhile are for the next turn.
func (b *stepBegin) toClient(before core.StepKey, indexes []int) error {
	var row struct{ Text, Calls string }
	if _, err := b.Row(&row, `SELECT text, calls FROM messages WHERE owner = ? AND turn = ? AND step = ? AND idx = 0`, before.Owner, before.Turn, before.Step); err != nil {
		return err
	}
	var calls []core.ToolCall
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
			"call_"+core.ShortID(20), b.out.SessionKey, before.Owner, before.Turn, before.Step, index, call.ID, call.Name, callOpen, b.now)
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
	if err := b.insertOutcome(b.key.Owner, core.Message{Turn: b.key.Turn, Step: b.key.Step, Speaker: core.FromAgent, Agent: b.out.Agent}, string(text)); err != nil {
		return err
	}
	return b.announce(core.Event{Type: core.EventReply, Key: b.out.SessionKey, Session: b.out.Session, Turn: b.key.Turn, Agent: b.out.Agent,
		Text: strings.Join(lines, "\n\n"), Cause: core.ToolCalls})
}

func callLine(name, output string) string {
	if output == "" {
		return "→ " + name
	}
	return "→ " + name + ": " + core.Cut(output, 200)
}

func (t *tx) keepOutputs(row InboxRow, outputs []core.ClientOutput) (lines []string, err error) {
	for _, o := range outputs {
		var name string
		found, err := t.Value(&name, `UPDATE client_calls SET state = CASE state WHEN 'open' THEN 'answered' ELSE 'late' END, output = ?, inbox = ?
			WHERE id = ? AND session_key = ? AND state IN ('open', 'unanswered') RETURNING name`, o.Text, row.ID, o.Call, row.Session)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, fmt.Errorf("call %s: %w", core.Cut(o.Call, 80), ErrNoSuchCall)
		}
		lines = append(lines, callLine(name, o.Text))
	}
	return lines, nil
}

// returnOutputs reopens calls if their outputs came with messages that no turn will take. The
// program may send the outputs again.
func (t *tx) returnOutputs(which string, key core.SessionKey, args ...any) error {
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

// takeOutputs puts the outputs that a message brings behind their calls. If the conversation
// has gone on since, the transcript already says that a call is unanswered; then the agent
// reads the output as a new message.
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
		m := core.Message{Turn: c.Turn, Step: c.Step, Index: c.Idx, Speaker: core.FromTool, CallID: c.CallID, Text: c.Output}
		if late {
			text := b.out.Nonce.Mark("the result of "+c.Name+", which came after you had continued:") + "\n" + b.out.Nonce.Report(c.Output)
			err = b.append(core.Message{Speaker: core.FromPerson, Text: text})
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

// closeCalls closes unanswered calls of earlier turns, because the person has gone on without them.
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
		err := b.insertMessage(b.key.Owner, core.Message{Turn: c.Turn, Step: c.Step, Index: c.Idx, Speaker: core.FromTool, CallID: c.CallID, Text: unansweredCall})
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *stepBegin) readClientTools(text string) error {
	if text == "" {
		return nil
	}
	var c core.ClientTools
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return fmt.Errorf("tools of a program: %w", err)
	}
	b.out.Client = &c
	return nil
}

func clientToolsText(c *core.ClientTools) (string, error) {
	if c == nil || len(c.Tools) == 0 {
		return "", nil
	}
	text, err := json.Marshal(c)
	return string(text), err
}

// ClientCalls returns the calls that ended a turn of a conversation.
func (s *Store) ClientCalls(ctx context.Context, key core.SessionKey, session core.SessionID, turn int) (ClientCalls, error) {
	var out ClientCalls
	var rows []struct {
		ID, Name, Text, Calls string
		Idx                   int
	}
	err := s.read(ctx).All(&rows, `SELECT c.id, c.name, c.idx, m.text, m.calls FROM client_calls c
		JOIN messages m ON m.owner = c.owner AND m.turn = c.turn AND m.step = c.step AND m.idx = 0
		WHERE c.session_key = ? AND c.owner = ? AND c.turn = ? ORDER BY c.idx`, key, session, turn)
	for _, r := range rows {
		var calls []core.ToolCall
		if err := json.Unmarshal([]byte(r.Calls), &calls); err != nil || r.Idx > len(calls) {
			return out, fmt.Errorf("calls of turn %d of %s: %v", turn, session, err)
		}
		out.Text = r.Text
		out.Calls = append(out.Calls, core.ClientCall{ID: r.ID, Name: r.Name, Arguments: calls[r.Idx-1].Arguments})
	}
	return out, err
}

// CallOf returns the conversation in which a call was made, and whether the call waits for its
// output. It fails with ErrNotFound.
func (s *Store) CallOf(ctx context.Context, id string) (key core.SessionKey, route core.Route, waits bool, err error) {
	var row struct {
		SessionKey, State              string
		Channel, Account, Chat, Thread string
	}
	found, err := s.read(ctx).Row(&row, `SELECT c.session_key, c.state, s.channel, s.account, s.chat, s.thread FROM client_calls c JOIN sessions s ON s.id = c.owner WHERE c.id = ?`, id)
	if err == nil && !found {
		err = fmt.Errorf("call %s: %w", core.Cut(id, 80), ErrNotFound)
	}
	return core.SessionKey(row.SessionKey), core.Route{Channel: row.Channel, Account: row.Account, Chat: row.Chat, Thread: row.Thread},
		row.State == callOpen || row.State == callUnanswered, err
}
