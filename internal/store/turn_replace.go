package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/prompt"
	"errand/internal/store/sqldb"
)

// A lastTurn is a person's last message and the turn that answered it.
type lastTurn struct {
	ID    int64 // of the message's row
	Owner string
	Turn  int
	Text  string
	Note  string
}

// TurnChanges returns the calls and tasks of the last turn that replacing its answer does not undo. It fails with ErrNotFound or ErrNotLast if [Store.Accept] would refuse to replace the message.
func (s *Store) TurnChanges(ctx context.Context, key core.SessionKey, messageID string) ([]core.TurnChange, error) {
	q := s.read(ctx)
	last, err := lastTurnOf(q, key, messageID, 0)
	if err != nil {
		return nil, err
	}
	return turnChanges(q, core.Owner(last.Owner), last.Turn)
}

// lastTurnOf checks that the turn of a message has ended, that no other turn or message came after it,
// and that the message is the last one of its turn. It ignores the message in row.
func lastTurnOf(q sqldb.Querier, key core.SessionKey, messageID string, row int64) (lastTurn, error) {
	var last lastTurn
	route, _, err := key.Parse()
	if err != nil {
		return last, err
	}
	found, err := q.Row(&last, `SELECT id, COALESCE(owner, '') AS owner, COALESCE(turn, 0) AS turn, text, note FROM inbox
		WHERE channel = ? AND account = ? AND chat = ? AND message_id = ? AND session_key = ? AND cause = 'message' AND NOT deleted
		ORDER BY revision DESC LIMIT 1`, route.Channel, route.Account, inboxChat(route, key), messageID, key)
	if err != nil {
		return last, err
	}
	if !found {
		return last, fmt.Errorf("message %q: %w", messageID, ErrNotFound)
	}
	var one int
	other, err := q.Value(&one, `SELECT 1 FROM sessions WHERE id = ? AND state = 'ended'
		UNION ALL SELECT 1 FROM turns WHERE owner = ? AND turn = ? AND open
		UNION ALL SELECT 1 FROM messages WHERE owner = ? AND turn > ?
		UNION ALL SELECT 1 FROM inbox WHERE owner = ? AND turn = ? AND cause = 'message' AND id > ? AND id <> ?
		UNION ALL SELECT 1 FROM inbox WHERE session_key = ? AND turn IS NULL AND NOT superseded AND id <> ?
		UNION ALL SELECT 1 FROM client_calls WHERE owner = ? AND turn = ? LIMIT 1`,
		last.Owner, last.Owner, last.Turn, last.Owner, last.Turn, last.Owner, last.Turn, last.ID, row, key, row, last.Owner, last.Turn)
	if err == nil && (other || last.Turn == 0) {
		err = fmt.Errorf("message %q: %w", messageID, ErrNotLast)
	}
	return last, err
}

// turnChanges leaves out calls that were not run, and those that failed.
func turnChanges(q sqldb.Querier, owner core.Owner, turn int) ([]core.TurnChange, error) {
	rows, err := answersOf(q, owner, turn)
	if err != nil {
		return nil, err
	}
	type place struct{ Step, Idx int }
	var ran []place
	err = q.All(&ran, `SELECT b.step, b.idx FROM begun_calls b LEFT JOIN messages m ON m.owner = b.owner AND m.turn = b.turn AND m.step = b.step AND m.idx = b.idx
		WHERE b.owner = ? AND b.turn = ? AND (m.text IS NULL OR SUBSTR(m.text, 1, 7) <> 'error: ' OR SUBSTR(m.text, 1, 22) = 'error: outcome unknown')`, owner, turn)
	if err != nil {
		return nil, err
	}
	list := []core.TurnChange{}
	for _, r := range rows {
		err := r.each(func(c core.ToolCall, p PlannedCall) {
			runs := p.By == ByActivity || p.By == ByApproval
			changes := runs && slices.Contains(ran, place{r.Step, p.Index}) || p.By == ByHandover || p.By == ByDelegation
			if !changes || p.ReadOnly || len(list) == mostCalls {
				return
			}
			list = append(list, core.TurnChange{Tool: toolName(c), About: c.About(), Task: p.Task})
		})
		if err != nil {
			return nil, err
		}
	}
	for i, change := range list {
		if change.Task == "" {
			continue
		}
		task, err := taskByID(q, change.Task)
		if err != nil {
			return nil, err
		}
		list[i].Title, list[i].State = task.Title, task.State
	}
	return list, nil
}

// replaceTurn takes the last turn out of the prompts, so that the next turn answers row instead. row
// gets the text and the files of the replaced message unless it has its own, and a note that tells the
// agent what the replaced turn did. The next turn also takes the earlier messages of the replaced turn,
// and the results for which it waited. What errand itself reported to the turn stays in the prompts.
func (t *tx) replaceTurn(m InboxMessage, row InboxRow) (lastTurn, error) {
	last, err := lastTurnOf(t, row.Session, m.Replaces, row.ID)
	if err != nil {
		return last, err
	}
	owner := core.Owner(last.Owner)
	changes, err := turnChanges(t, owner, last.Turn)
	if err != nil {
		return last, err
	}
	for i, c := range changes { // a model wrote the words
		changes[i].Tool, changes[i].About, changes[i].Title = content.Line(c.Tool), content.Line(c.About), content.Line(c.Title)
	}
	var notes []string
	for line := range strings.SplitSeq(strings.Join([]string{last.Note, m.Note, prompt.DoneBefore(changes)}, "\n"), "\n") {
		if line != "" && !slices.Contains(notes, line) { // an earlier version may have the same note
			notes = append(notes, line)
		}
	}
	for _, change := range []struct {
		query string
		args  []any
	}{
		{`UPDATE messages SET own = 'replaced' WHERE owner = ? AND turn = ? AND (speaker = 'assistant' AND result <> ''
			OR speaker = 'tool' AND SUBSTR(call_id, 1, 5) <> 'fold-'
			OR speaker = 'user' AND EXISTS (SELECT 1 FROM inbox WHERE inbox.owner = messages.owner AND inbox.turn = messages.turn AND inbox.step = messages.step + 1
				AND inbox.idx = messages.idx))`, []any{owner, last.Turn}},
		{`DELETE FROM summaries WHERE owner = ? AND (turn, step) >= (?, 0)`, []any{owner, last.Turn}},
		{`UPDATE sessions SET proposal = '' WHERE id = ?`, []any{owner}},
		{`UPDATE inbox SET owner = NULL, turn = NULL, step = NULL, idx = NULL WHERE owner = ? AND turn = ? AND id <> ?`,
			[]any{owner, last.Turn, last.ID}},
		{`UPDATE inbox SET text = CASE WHEN text = '' THEN ? ELSE text END, note = ? WHERE id = ?`,
			[]any{last.Text, strings.Join(notes, "\n"), row.ID}},
	} {
		if _, err := t.Exec(change.query, change.args...); err != nil {
			return last, err
		}
	}
	if err := t.undecide(owner, last.Turn, core.WayTurn); err != nil {
		return last, err
	}
	if len(m.Attached) == 0 {
		if err := t.replaceAttached(last.ID, row.ID); err != nil {
			return last, err
		}
	}
	if err := t.withdraw(`owner = ? AND turn = ? AND task = ''`, owner, last.Turn); err != nil {
		return last, err
	}
	return last, t.dropApprovals(`owner = ? AND turn = ?`, owner, last.Turn)
}
