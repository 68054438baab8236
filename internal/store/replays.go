package store

import (
	"errors"

	"errand"
)

// A Replay is what makes a request of a program the same one when it comes again: its key, of
// the program's own choosing, and a hash of what it says. Of a person, a key counts once for
// as long as its task is kept.
type Replay struct {
	Key, Body string
}

// ErrOtherRequest says that a key was used for another request.
var ErrOtherRequest = errors.New("the key was used for another request")

// replayed finds the task that a request has already; then it is in task. Else the request is
// kept, for [tx.giveReplayTask].
func (t *tx) replayed(r *Replay, task *errand.Task) (there bool, err error) {
	if r == nil {
		return false, nil
	}
	n, err := t.Exec(`INSERT INTO replays (person, key, body, created) VALUES (?, ?, ?, ?) ON CONFLICT (person, key) DO NOTHING`,
		task.Origin.Person, r.Key, r.Body, t.now)
	if err != nil || n > 0 {
		return false, err
	}
	var row struct {
		Task errand.TaskID
		Body string
	}
	if _, err := t.Row(&row, `SELECT task, body FROM replays WHERE person = ? AND key = ?`, task.Origin.Person, r.Key); err != nil {
		return false, err
	}
	if row.Body != r.Body {
		return false, ErrOtherRequest
	}
	*task, err = taskByID(t, row.Task)
	return true, err
}

func (t *tx) giveReplayTask(r *Replay, task *errand.Task) error {
	if r == nil {
		return nil
	}
	_, err := t.Exec(`UPDATE replays SET task = ? WHERE person = ? AND key = ?`, task.ID, task.Origin.Person, r.Key)
	return err
}
