package store_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand"
	"errand/internal/store"
)

// TestMigrateFromFirst proves that a file of the first schema is brought up to
// date with all that is in it, and that its words can be searched.
func TestMigrateFromFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "errand.db")
	files, err := filepath.Glob("migrations/sqlite/00001_*.sql")
	require.NoError(t, err)
	require.Len(t, files, 1)
	first, err := os.ReadFile(files[0])
	require.NoError(t, err)
	up, _, _ := strings.Cut(string(first), "-- +goose Down")
	raw(t, path, up)
	raw(t, path, `
		CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')));
		INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1), (1, 1);
		INSERT INTO meta VALUES ('id', 'the-old-store');
		INSERT INTO people VALUES ('ada', 'Ada', 'partner', 1);
		INSERT INTO memory (person, agent, key, value, updated) VALUES ('ada', 'nikki', 'k', 'v', 1);
		INSERT INTO sessions (id, key, channel, account, chat, thread, person, agent, state, turns, created, active)
			VALUES ('0b5e', 'session/web/local/main/-/ada', 'web', 'local', 'main', '', 'ada', 'nikki', 'suspended', 1, 1, 2);
		INSERT INTO messages (owner, turn, step, idx, speaker, agent, text, created) VALUES
			('0b5e', 1, 0, 0, 'user', '', 'where is the Xylophone?', 1), ('0b5e', 1, 1, 0, 'assistant', 'nikki', 'here it is', 2),
			('t-22222222/sasha', 1, 0, 0, 'user', '', 'look for a xylophone', 2);
		INSERT INTO outbox (key, channel, account, chat, thread, session_key, agent, task, event, text, reply_to, made_by, made_turn, state, created)
			VALUES ('turn:0b5e:1', 'web', 'local', 'main', '', 'session/web/local/main/-/ada', 'nikki', '', 'reply', 'here it is', '', '0b5e', 1, 'sent', 2);`)

	s := openAt(t, store.Options{SQLite: path})
	require.Equal(t, "the-old-store", s.ID())
	hits, err := s.Search(t.Context(), "xylophone", "ada", 0)
	require.NoError(t, err)
	require.Len(t, hits, 1)
	require.Equal(t, "where is the Xylophone?", hits[0].Excerpt)
	e, err := s.Export(t.Context(), "0b5e")
	require.NoError(t, err)
	require.Len(t, e.Messages, 2)
	note, err := s.Recall(t.Context(), "ada", "nikki", "k")
	require.NoError(t, err)
	require.Equal(t, "v", note.Value)

	// Names from before are compared with those of strangers.
	stranger, _, err := s.AdmitSender(t.Context(), "telegram", "main", []string{"7"}, store.Person{Name: "Аdа", Role: errand.Guest}) // in Cyrillic
	require.NoError(t, err)
	require.Regexp(t, `^Аdа \(p-...\)$`, stranger.Name)

	// What is written from now on is found beside it, and goes with the session.
	route := errand.WebRoute("main")
	row, err := s.Accept(t.Context(), store.InboxMessage{Route: route, Person: "ada", Role: errand.Partner, MessageID: "m", Text: "the xylophone again"})
	require.NoError(t, err)
	_, err = s.BeginStep(t.Context(), store.BeginStep{Key: errand.StepKey{Owner: "0b5e", Turn: 2, Step: 1}, Session: row.Session, Rows: store.ClaimAll})
	require.NoError(t, err)
	hits, err = s.Search(t.Context(), "xylophone", "ada", 0)
	require.NoError(t, err)
	require.Len(t, hits, 2)
	_, err = s.MarkForDeletion(t.Context(), "0b5e", true)
	require.NoError(t, err)
	_, err = s.DeleteSession(t.Context(), "0b5e", nil)
	require.NoError(t, err)
	hits, err = s.Search(t.Context(), "xylophone", "", 0)
	require.NoError(t, err)
	require.Empty(t, hits)
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close()
	require.Equal(t, []string{"ok"}, column(t, db, `PRAGMA integrity_check`))
}
