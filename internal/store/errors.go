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
	// ErrClosed refuses a step or an outcome if its turn, or a task above it, was stopped,
	// canceled or finished.
	ErrClosed = errors.New("closed")
	// ErrEnded refuses a step because its session was ended or deleted while no turn was running.
	ErrEnded = fmt.Errorf("the session has ended: %w", ErrClosed)
	// ErrAnswered refuses to begin a call that has a result: the agent gets that result.
	ErrAnswered = errors.New("the call has its result")
	// ErrBusy refuses to send a row that another sender is sending.
	ErrBusy = errors.New("being sent")
	// ErrTaken refuses the outcome of an attempt if a later attempt has begun the step, because
	// this worker was taken for dead.
	ErrTaken = errors.New("another attempt has begun the step")
	// ErrPaused refuses a step while the installation is paused.
	ErrPaused = errors.New("errand is paused")
	// ErrNotLast refuses to replace a turn that is not the last one, or that has not ended.
	ErrNotLast = errors.New("not the last turn")
	// ErrUntranscribed refuses a step with voice notes that have no transcript yet.
	ErrUntranscribed = errors.New("not written down yet")
	// ErrNoted refuses a program's message that was noted earlier. The first one counts.
	ErrNoted = errors.New("it has come before")
	// ErrWrongStore refuses work that began on another store.
	ErrWrongStore = errors.New("wrong store")
	// ErrTooManyTasks refuses a task of a person who has [Limits.OpenTasks] open.
	ErrTooManyTasks = errors.New("too many tasks are running")
	// ErrTooLarge refuses data that is larger than the store accepts.
	ErrTooLarge = errors.New("too large")
)

// IsAway reports whether err means that the store cannot be reached or accepts no writes now.
func IsAway(err error) bool { return sqldb.IsAway(err) }

// IsFull reports whether err means that the store's disk is full.
func IsFull(err error) bool { return sqldb.IsFull(err) }

// A BudgetError refuses a step or a message's attachments because they would exceed a budget.
type BudgetError struct {
	Budget string // "turn" or "person_day"; for files "person_day" or "day"
	What   string // what ran out: "calls", "tokens" or "cost"; for files "bytes"
	Limit  float64
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("the %s budget of %s %s is used up", e.Budget, strconv.FormatFloat(e.Limit, 'f', -1, 64), e.What)
}

// A LookupError means that a name that a person gave fits no thing, or several.
type LookupError struct {
	Thing string   // "task", "session", "reminder", "person", "token" or "pairing code"
	Name  string   // as the person gave it
	Fits  []string // some of the matches, if known
	Err   error    // ErrNotFound or ErrAmbiguous
}

func (e *LookupError) Error() string {
	if len(e.Fits) > 0 {
		return fmt.Sprintf("%s %q %v: %s", e.Thing, e.Name, e.Err, strings.Join(e.Fits, ", "))
	}
	return fmt.Sprintf("%s %q: %v", e.Thing, e.Name, e.Err)
}

func (e *LookupError) Unwrap() error { return e.Err }
