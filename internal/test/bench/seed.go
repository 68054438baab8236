package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/store"
)

// What the stored sessions are made of.
const (
	seedTurns  = 10 // of a session, of two messages each
	seedPeople = 1000
	seedWords  = 20_000 // in the language they speak
	rareWord   = "xylophone"
	commonWord = "train"
	seedBatch  = 1000 // sessions of one transaction
)

// A seeder writes sessions as errand would have left them.
type seeder struct {
	db    *sql.DB
	rand  *rand.Rand
	words []string
	now   time.Time
	n     int
	id    int // of the last message
}

// seed makes a store in dir with n sessions, without errand: by its tables. One
// in fifty ended long ago and is past retention; of the others half have not
// been used for long.
func seed(ctx context.Context, dir string, n int) error {
	path := filepath.Join(dir, "data", "errand.db")
	if err := makeStore(ctx, path); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=synchronous(off)&_pragma=journal_mode(wal)&_pragma=cache_size(-200000)")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	s := &seeder{db: db, rand: rand.New(rand.NewPCG(1, 2)), now: time.Now(), n: n}
	s.makeWords()
	return errors.Join(s.run(ctx), addTasks(ctx, db, s.now), db.Close())
}

func makeStore(ctx context.Context, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	st, err := store.Open(ctx, store.Options{SQLite: path})
	if err != nil {
		return err
	}
	return st.Close()
}

// makeWords makes up words that are as often said as words are: the nth one n times
// more seldom than the first.
func (s *seeder) makeWords() {
	syllables := strings.Fields("ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu")
	s.words = make([]string, seedWords)
	for i := range s.words {
		word := ""
		for v := i + len(syllables); v > 0; v /= len(syllables) {
			word += syllables[v%len(syllables)]
		}
		s.words[i] = word
	}
}

func (s *seeder) run(ctx context.Context) error {
	// The index is filled at the end, all at once.
	var trigger string
	if err := s.db.QueryRowContext(ctx, `SELECT sql FROM sqlite_master WHERE name = 'words_in'`).Scan(&trigger); err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, `DROP TRIGGER words_in`); err != nil {
		return err
	}
	for from := 0; from < s.n; from += seedBatch {
		if err := s.batch(ctx, from, min(from+seedBatch, s.n)); err != nil {
			return err
		}
	}
	for _, query := range []string{
		`INSERT INTO words (rowid, text, person) SELECT m.id, m.text, s.person FROM messages m JOIN sessions s ON s.id = m.owner`,
		`INSERT INTO words (words) VALUES ('optimize')`, // as maintenance leaves it
		trigger,
		`PRAGMA wal_checkpoint(truncate)`,
	} {
		if _, err := s.db.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	return nil
}

func (s *seeder) batch(ctx context.Context, from, to int) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after a commit it does nothing
	session, err := tx.PrepareContext(ctx, `INSERT INTO sessions (id, key, channel, account, chat, thread, person, agent, state, turns, created, active, ended, nonce)
		VALUES (?, ?, 'web', 'local', ?, '', ?, 'nikki', ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	const turn = `(?, ?, ?, 0, 0, 'user', '', ?, '', ?), (?, ?, ?, 1, 0, 'assistant', 'nikki', ?, '{"final":true}', ?), `
	transcript, err := tx.PrepareContext(ctx, `INSERT INTO messages (id, owner, turn, step, idx, speaker, agent, text, result, created)
		VALUES `+strings.TrimSuffix(strings.Repeat(turn, seedTurns), ", "))
	if err != nil {
		return err
	}
	for i := from; i < to; i++ {
		if err := s.session(ctx, i, session, transcript); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (s *seeder) session(ctx context.Context, i int, session, transcript *sql.Stmt) error {
	person := core.PersonID(fmt.Sprintf("p-seed%04d", i%seedPeople))
	if i%seedPeople == 0 {
		person = app.Owner
	}
	route := core.WebRoute(fmt.Sprintf("seed%d", i))
	active := s.now.Add(-time.Duration(s.rand.Float64() * float64(60*24*time.Hour)))
	state, ended := store.SessionSuspended, int64(0)
	if i%50 == 7 {
		active = s.now.Add(-500 * 24 * time.Hour)
		state, ended = store.SessionEnded, active.UnixMicro()
	}
	id := uuid.NewString()
	_, err := session.ExecContext(ctx, id, core.NewSessionKey(route, person), route.Chat, person, state, seedTurns, active.UnixMicro(), active.UnixMicro(), ended,
		core.NewNonce())
	if err != nil {
		return err
	}
	args := make([]any, 0, 10*seedTurns)
	for n := 1; n <= seedTurns; n++ {
		text, answered := s.sentence(8), s.sentence(16)
		if n == 1 && i%(max(s.n/20, 1)) == 0 {
			text += " " + rareWord
		}
		s.id += 2
		args = append(args, s.id-1, id, n, text, active.UnixMicro(), s.id, id, n, answered, active.UnixMicro())
	}
	_, err = transcript.ExecContext(ctx, args...)
	return err
}

// sentence makes up a sentence; one in four has the common word.
func (s *seeder) sentence(words int) string {
	var b strings.Builder
	for range words {
		// Zipf's law: the logarithm of the rank is even.
		rank := int(math.Pow(seedWords, s.rand.Float64())) - 1
		b.WriteString(s.words[min(rank, seedWords-1)])
		b.WriteByte(' ')
	}
	if s.rand.IntN(4) == 0 {
		b.WriteString(commonWord)
	}
	return strings.TrimSpace(b.String())
}
