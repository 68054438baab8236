package store

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"errand/internal/store/sqldb"
)

// Errors that callers branch on.
var (
	ErrNotFound  = errors.New("not found")
	ErrAmbiguous = errors.New("fits more than one")
	// ErrClosed refuses a step or an outcome whose turn, or a task above it,
	// is closed: stopped, canceled or finished.
	ErrClosed = errors.New("closed")
	// ErrEnded refuses a step because its session is over, which is closed, too:
	// it was ended or deleted, and no turn of it was running to be closed.
	ErrEnded = fmt.Errorf("the session has ended: %w", ErrClosed)
	// ErrAnswered refuses to begin a call that has a result: the agent goes by that.
	ErrAnswered = errors.New("the call has its result")
	// ErrBusy refuses to send what another sender is sending.
	ErrBusy = errors.New("being sent")
	// ErrPaused refuses a step while the installation is paused.
	ErrPaused = errors.New("errand is paused")
	// ErrUntranscribed refuses a step that would take voice notes which nobody has
	// written down.
	ErrUntranscribed = errors.New("not written down yet")
	// ErrNoted refuses a message of a program's that has come before: what it was for then counts.
	ErrNoted = errors.New("it has come before")
	// ErrWrongStore refuses work that was begun on another store.
	ErrWrongStore = errors.New("wrong store")
	// ErrTooManyTasks refuses a task of a person who has [Limits.OpenTasks] open.
	ErrTooManyTasks = errors.New("too many tasks are running")
	// ErrTooLarge refuses what is longer than the store takes.
	ErrTooLarge = errors.New("too large")
)

// IsAway reports whether err is that the store cannot be reached, or takes no writes, just now.
func IsAway(err error) bool { return sqldb.IsAway(err) }

// IsFull reports whether err is that the disk of the store is full.
func IsFull(err error) bool { return sqldb.IsFull(err) }

// A BudgetError refuses a step, or what came with a message, because a budget
// would be exceeded.
type BudgetError struct {
	Budget string // which one: "turn", "person_day"; of files "person_day", "day"
	What   string // what ran out: "calls", "tokens", "cost"; of files "bytes"
	Limit  float64
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("the %s budget of %s %s is used up", e.Budget, strconv.FormatFloat(e.Limit, 'f', -1, 64), e.What)
}

// A LookupError is that there is no thing of a name that a person gave, or that there
// are several.
type LookupError struct {
	Thing string   // what was looked for: "task", "session", "reminder", "person", "token", "pairing code"
	Name  string   // as it was given
	Fits  []string // some of those that it fits, where that is known
	Err   error    // ErrNotFound or ErrAmbiguous
}

func (e *LookupError) Error() string {
	if len(e.Fits) > 0 {
		return fmt.Sprintf("%s %q %v: %s", e.Thing, e.Name, e.Err, strings.Join(e.Fits, ", "))
	}
	return fmt.Sprintf("%s %q: %v", e.Thing, e.Name, e.Err)
}

func (e *LookupError) Unwrap() error { return e.Err }
