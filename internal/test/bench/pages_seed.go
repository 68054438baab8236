package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"time"

	"github.com/google/uuid"

	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/store"
)

// What the pages show.
const (
	longChat     = "long"
	longMessages = 1000 // of the long chat
	lastWords    = "That was the last of them."
	answered     = "The **night train** leaves at `19:52`, and it arrives at 09:40 in the morning:\n\n- it has a place to sleep\n- it is late for a meeting\n\nSee [the timetable](https://example.org/trains) for the days on which it goes."
)

// seedPages makes a store whose owner has a long chat and many tasks, without errand.
func seedPages(ctx context.Context, file string) error {
	if err := makeStore(ctx, file); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=synchronous(off)&_pragma=journal_mode(wal)")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	return errors.Join(addTasks(ctx, db, time.Now()), addChat(ctx, db, time.Now()), db.Close())
}

// addChat writes the log of a chat as errand would have left it: a message, an answer, and
// so on.
func addChat(ctx context.Context, db *sql.DB, now time.Time) error {
	route := core.WebRoute(longChat)
	key, id := core.NewSessionKey(route, app.Owner), uuid.NewString()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after a commit it does nothing
	_, err = tx.ExecContext(ctx, `INSERT INTO sessions (id, key, channel, account, chat, thread, person, agent, state, turns, created, active, nonce)
		VALUES (?, ?, 'web', 'local', ?, '', ?, 'nikki', ?, ?, ?, ?, ?)`, id, key, route.Chat, app.Owner, store.SessionSuspended, longMessages/2, now.UnixMicro(), now.UnixMicro(), core.NewNonce())
	if err != nil {
		return err
	}
	event, err := tx.PrepareContext(ctx, `INSERT INTO events (session_key, type, session, turn, agent, text, message_id, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	for n := range longMessages {
		kind, agent, text, message := core.EventMessage, "", fmt.Sprintf("When does night train %d leave?", n), fmt.Sprintf("m-%d", n)
		if n%2 == 1 {
			kind, agent, text, message = core.EventReply, "nikki", answered, ""
		}
		if n == longMessages-1 {
			text += "\n\n" + lastWords
		}
		if _, err := event.ExecContext(ctx, key, kind, id, n/2+1, agent, text, message, now.Add(time.Duration(n-longMessages)*time.Minute).UnixMicro()); err != nil {
			return err
		}
	}
	return tx.Commit()
}

var nextPage = regexp.MustCompile(`<([^>]+)>; rel="next"`)

func (p program) page(ctx context.Context, url, query string) (next string, err error) {
	resp, err := p.ask(ctx, http.MethodGet, url+query, "")
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return "", err
	}
	if m := nextPage.FindStringSubmatch(resp.Header.Get("Link")); m != nil {
		next = m[1]
	}
	return next, nil
}
