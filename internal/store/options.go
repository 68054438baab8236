package store

import (
	"time"

	"errand"
)

// Options open a store. Exactly one of SQLite and PostgreSQL is set.
type Options struct {
	SQLite     string // path of the database file
	PostgreSQL string // a URL, postgres://…
	Full       bool   // SQLite: synchronous=FULL, which a power cut cannot undo
	Limits     Limits
	Now        func() time.Time // the clock; default time.Now
	// NewTaskID draws the id of a task; default errand.NewTaskID.
	NewTaskID func() errand.TaskID
	// Notification words how the outcome of a task is told by a notification, in a
	// person's language (BCP 47; empty: not known). No transaction waits for it: one
	// that lacks the words is undone, and repeated when they are there.
	// Default: the id, the state and the outcome.
	Notification func(task *errand.Task, language string) string
	// Trace, if set, is called with every statement before it runs, without its
	// arguments. It may be called from many goroutines.
	Trace func(query string)
}

// bareNotification tells an outcome in nobody's words.
func bareNotification(task *errand.Task, _ string) string {
	return string(task.ID) + ", " + string(task.State) + ":\n\n" + task.Result + task.Error
}
