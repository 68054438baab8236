package store

import (
	"context"
	"strings"

	"errand"
)

// botKey is where it is kept which bot an account of ours is.
const botKey = "bot/"

// Bots returns which bot each of our accounts was last, by the platform's id.
func (s *Store) Bots(ctx context.Context) (map[errand.Account]string, error) {
	var rows []struct{ Key, Value string }
	if err := s.read(ctx).All(&rows, `SELECT key, value FROM meta WHERE key LIKE ?`, botKey+"%"); err != nil {
		return nil, err
	}
	bots := make(map[errand.Account]string, len(rows))
	for _, r := range rows {
		channel, name, _ := strings.Cut(strings.TrimPrefix(r.Key, botKey), "/")
		bots[errand.Account{Channel: channel, Name: name}] = r.Value
	}
	return bots, nil
}

// NoteBot keeps which bot an account is.
func (s *Store) NoteBot(ctx context.Context, a errand.Account, id string) error {
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, botKey+a.String(), id)
		return err
	})
}
