package store

import (
	"context"

	"errand/internal/core"
)

// SaveSummary stores the summary of owner's transcript up to and including a step. The messages
// stay, but prompts begin after that step.
func (s *Store) SaveSummary(ctx context.Context, owner core.Owner, turn, step int, text string) error {
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`INSERT INTO summaries (owner, turn, step, text, created) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (owner, turn, step) DO UPDATE SET text = excluded.text, created = excluded.created`,
			owner, turn, step, text, t.now)
		return err
	})
}

// maxSummarise limits the messages of one summary.
const maxSummarise = 2000

// ToSummarise returns owner's messages after the last summary except the keep latest ones,
// oldest first, in whole steps. [Store.SaveSummary] takes the turn and step of the last one. It
// keeps a few more than keep, if necessary, so that calls and their results stay together.
func (s *Store) ToSummarise(ctx context.Context, owner core.Owner, keep int) ([]core.Message, error) {
	q := s.read(ctx)
	sum, err := summaryOf(q, owner)
	if err != nil {
		return nil, err
	}
	const after = inPrompts + `owner = ? AND (turn, step) > (?, ?)`
	where, args := after, []any{owner, sum.Turn, sum.Step}
	if keep > 0 {
		kept, err := messagesWhere(q, after+` ORDER BY turn DESC, step DESC, idx DESC LIMIT 1 OFFSET ?`, append(args, keep-1)...)
		if err != nil || len(kept) == 0 {
			return nil, err
		}
		where += ` AND (turn, step) < (?, ?)`
		args = append(args, kept[0].Turn, kept[0].Step)
	}
	messages, err := messagesWhere(q, where+` ORDER BY turn, step, idx LIMIT ?`, append(args, maxSummarise+1)...)
	if err != nil || len(messages) <= maxSummarise {
		return messages, err
	}
	// The last step may be incomplete: leave it to the next time.
	last := messages[len(messages)-1]
	n := len(messages)
	for n > 0 && messages[n-1].Turn == last.Turn && messages[n-1].Step == last.Step {
		n--
	}
	return messages[:n], nil
}
