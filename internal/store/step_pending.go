package store

import (
	"context"
	"errors"

	"errand/internal/core"
)

// KeepPending records that a provider works on the answer of a step, so that a later attempt can
// fetch it. The zero value deletes the record. It fails with ErrClosed if the turn was closed.
func (s *Store) KeepPending(ctx context.Context, b *StepInput, p core.PendingResponse) error {
	return s.write(ctx, b.conversation(), func(t *tx) error {
		if p == (core.PendingResponse{}) {
			return t.forgetPending(b.Key)
		}
		turn, found, err := turnOf(t, b.Key.Owner, b.Key.Turn)
		if err != nil {
			return err
		}
		if !found || !turn.Open {
			return ErrClosed
		}
		_, err = t.Exec(`INSERT INTO pending_responses (owner, turn, step, provider, response, prompt, created) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (owner, turn, step) DO UPDATE SET provider = excluded.provider, response = excluded.response, prompt = excluded.prompt, created = excluded.created`,
			b.Key.Owner, b.Key.Turn, b.Key.Step, p.Provider, p.ID, p.Prompt, t.now)
		return err
	})
}

func (t *tx) forgetPending(key core.StepKey) error {
	_, err := t.Exec(`DELETE FROM pending_responses WHERE owner = ? AND turn = ? AND step = ?`, key.Owner, key.Turn, key.Step)
	return err
}

func (b *stepBegin) readPending() error {
	if b.out.Attempts.Number < 2 {
		return nil
	}
	var row pendingRow
	_, err := b.Row(&row, `SELECT `+pendingColumns+` FROM pending_responses WHERE owner = ? AND turn = ? AND step = ?`,
		b.key.Owner, b.key.Turn, b.key.Step)
	b.out.Pending = row.response()
	return err
}

const pendingColumns = `owner, turn, step, provider, response, prompt`

type pendingRow struct {
	Owner      string
	Turn, Step int
	Provider   string
	Response   string
	Prompt     string
}

func (r pendingRow) response() core.PendingResponse {
	return core.PendingResponse{ID: r.Response, Provider: r.Provider, Prompt: r.Prompt}
}

// An Abandoned is an answer for a closed turn on which a provider may still work.
type Abandoned struct {
	Key      core.StepKey
	Response core.PendingResponse
}

// Abandoned returns a limited number of answers that no turn waits for.
func (s *Store) Abandoned(ctx context.Context) ([]Abandoned, error) {
	var rows []pendingRow
	err := s.read(ctx).All(&rows, `SELECT `+pendingColumns+` FROM pending_responses p
		WHERE NOT EXISTS (SELECT 1 FROM turns t WHERE t.owner = p.owner AND t.turn = p.turn AND t.open) ORDER BY created LIMIT ?`, deleteBatch)
	list := make([]Abandoned, len(rows))
	for i, r := range rows {
		list[i] = Abandoned{core.StepKey{Owner: core.Owner(r.Owner), Turn: r.Turn, Step: r.Step}, r.response()}
	}
	return list, err
}

// PendingResponses returns the number of answers on which providers work.
func (s *Store) PendingResponses(ctx context.Context) (n int, err error) {
	_, err = s.read(ctx).Value(&n, `SELECT COUNT(*) FROM pending_responses`)
	return n, err
}

// ForgetAbandoned deletes the record of an answer, unless the step has another answer by now.
func (s *Store) ForgetAbandoned(ctx context.Context, a Abandoned) error {
	err := s.writeOwner(ctx, a.Key.Owner, func(t *tx) error {
		_, err := t.Exec(`DELETE FROM pending_responses WHERE owner = ? AND turn = ? AND step = ? AND response = ?`,
			a.Key.Owner, a.Key.Turn, a.Key.Step, a.Response.ID)
		return err
	})
	if errors.Is(err, ErrNotFound) { // it was deleted with its session
		return nil
	}
	return err
}
