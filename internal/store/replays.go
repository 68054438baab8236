package store

import (
	"errors"

	"errand/internal/core"
)

// A Replay identifies a repeated request of a program by its key and a hash of its body. A key
// is unique per person while its task is stored.
type Replay struct {
	Key, Body string
}

// ErrOtherRequest means that the key was used for another request.
var ErrOtherRequest = errors.New("the key was used for another request")

// replayed loads the task of a repeated request. A new request is stored without a task;
// [tx.giveReplayTask] adds it.
func (t *tx) replayed(r *Replay, task *core.Task) (there bool, err error) {
	if r == nil {
		return false, nil
	}
	n, err := t.Exec(`INSERT INTO replays (person, key, body, created) VALUES (?, ?, ?, ?) ON CONFLICT (person, key) DO NOTHING`,
		task.Origin.Person, r.Key, r.Body, t.now)
	if err != nil || n > 0 {
		return false, err
	}
	var row struct {
		Task core.TaskID
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

func (t *tx) giveReplayTask(r *Replay, task *core.Task) error {
	if r == nil {
		return nil
	}
	_, err := t.Exec(`UPDATE replays SET task = ? WHERE person = ? AND key = ?`, task.ID, task.Origin.Person, r.Key)
	return err
}
