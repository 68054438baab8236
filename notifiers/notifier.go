// Package notifiers is the outbound half of all platforms: what a notifier is, which
// one has which channel, and how a delivery can fail.
package notifiers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"errand"
	"errand/internal/platform"
)

// A Notifier delivers notifications on one platform.
//
// Notify runs in an activity, so after a crash it may be called again with the
// same Key. Where the platform can tell the two apart (a Discord nonce, a
// WhatsApp message id), a Notifier must not deliver a Key twice. Notify reports
// failures as [*SendError]; any other error counts as one whose result is
// unknown.
type Notifier interface {
	Notify(context.Context, errand.Notification) (Receipt, error)
}

// A Checker can find out whether a notification whose outcome is unknown has been
// delivered.
type Checker interface {
	// Delivered returns the receipt of n; ok is false if n may be sent: it has not
	// arrived for certain, or the platform shows a key once, however often it is
	// sent. Where nobody can know, it returns [ErrCannotTell].
	Delivered(ctx context.Context, n errand.Notification) (r Receipt, ok bool, err error)
}

// A RateLimiter keeps to the pace that its platform permits, and can wait for it before
// it is noted that a message is being sent: one that only waits when the process
// dies has not arrived for certain.
type RateLimiter interface {
	// WaitToSend waits until a message may go, for no longer than patience, and returns
	// the context for a Notify that need not wait with its first message. An error
	// is a [*SendError] that is [NotSent]. A route that Notify would refuse is left
	// to Notify.
	WaitToSend(ctx context.Context, to errand.Route, patience time.Duration) (context.Context, error)
}

// A FileSender can send the file of a notification with its text.
type FileSender interface {
	// MaxFile is how large one may be, in bytes.
	MaxFile() int64
}

// A Typer can show in a chat that somebody is writing. What it shows goes away by
// itself after some seconds, or with the next message.
type Typer interface {
	Typing(context.Context, errand.Route) error
}

// A TypingDuration is a [Typer] that says for how long what it shows stays, where that is
// not [DefaultTypingDuration].
type TypingDuration interface {
	TypingDuration() time.Duration
}

// DefaultTypingDuration is how long it is shown that somebody is writing, where the platform
// does not say otherwise.
const DefaultTypingDuration = 5 * time.Second

// A Progress can show how far something is, in a message that changes. Only
// platforms whose messages can be edited have one.
type Progress interface {
	// ShowProgress sends text, or with the id of a message that it returned before
	// puts text in its place, and returns the id of the message that has it now.
	// The text is plain: marks in it are to be seen as they are, and it must not
	// ping anybody. What cannot be shown at once is not shown: the error says so,
	// and with a [*SendError] when to try again.
	ShowProgress(ctx context.Context, to errand.Route, text, id string) (newID string, err error)
}

// A Previewer can show a reply while it is being written. What it shows is no delivery:
// Notify, with the id of the message in Replaces, puts the whole reply in its place.
type Previewer interface {
	// PreviewStyle says how a reply is shown on a route while it is being written.
	PreviewStyle(errand.Route) PreviewStyle
	// Preview shows so much of n as is written, in the message with an id that it
	// returned before, and returns the id of the message that shows it; none where it is
	// not a message. What cannot be shown at once is not shown: the error, a [*SendError],
	// says when to try again.
	Preview(ctx context.Context, n errand.Notification, id string) (newID string, err error)
	// RemovePreview takes a message away. That it is gone already is no error.
	RemovePreview(ctx context.Context, to errand.Route, id string) error
}

// A PreviewStyle is how a reply is shown while it is being written. Its zero value says
// that it is not.
type PreviewStyle struct {
	Every time.Duration // how far changes are apart
	// Fades is how long it is shown if nothing is done: it is no message then, and nothing
	// of it stays. 0: it is a message.
	Fades time.Duration
	// Once is for how long the platform surely knows a message again that is sent anew, and
	// shows it once. 0: it does not.
	Once time.Duration
}

// A Reactor can mark a message that a person wrote.
type Reactor interface {
	// React puts a mark in the place of the one that is there.
	React(ctx context.Context, to errand.Route, messageID string, mark Mark) error
}

// A Mark says to the writer of a message how far it is.
type Mark string

// The marks.
const (
	None Mark = ""     // take away what is there
	Seen Mark = "seen" // it will be answered
	Done Mark = "done" // it has been answered
)

// ErrCannotShow says that a channel has no way to show what it was asked to.
var ErrCannotShow = errors.New("the channel cannot show that")

// ErrCannotCheck says that a platform does not show what was delivered.
var ErrCannotCheck = errors.New("the platform cannot tell what was delivered")

// A Receipt is what a platform answered: the ids of the messages it made, one
// for each part.
type Receipt struct {
	IDs []string
}

// A SendError says what became of a notification that was not delivered.
type SendError struct {
	Outcome    Outcome
	RetryAfter time.Duration // what the platform asked for; 0: nothing
	Started    bool          // of several parts the first have arrived
	// AccountDown says that it is the account that cannot send. RetryAfter is a guess
	// then, and void as soon as the account is connected again.
	AccountDown bool
	// ChatGone says that it was refused because the chat is not there any more, or
	// the account is not in it.
	ChatGone bool
	Err      error // without the text of the message
}

// An Outcome is what is known of a notification after a failed attempt.
type Outcome string

// The outcomes.
const (
	NotSent Outcome = "not sent" // it did not arrive; trying again is safe
	Refused Outcome = "refused"  // the platform will not take it: a person has to decide
	Unknown Outcome = "in doubt" // it may have arrived
)

func (e *SendError) Error() string { return fmt.Sprintf("%s: %v", e.Outcome, e.Err) }

func (e *SendError) Unwrap() error { return e.Err }

// Refusedf returns the error of a notification that its platform will not take. The reason is
// formatted as by [fmt.Errorf].
func Refusedf(format string, args ...any) *SendError {
	return &SendError{Outcome: Refused, Err: fmt.Errorf(format, args...)}
}

// NotSentf returns the error of a notification that did not arrive and is to be tried again
// after a time; 0: whenever it suits. The reason is formatted as by [fmt.Errorf].
func NotSentf(retryAfter time.Duration, format string, args ...any) *SendError {
	return &SendError{Outcome: NotSent, RetryAfter: retryAfter, Err: fmt.Errorf(format, args...)}
}

// NewSendError says of a notification what a failure of its platform means for it.
func NewSendError(f platform.Failure) *SendError {
	e := &SendError{Outcome: Unknown, RetryAfter: f.RetryAfter, ChatGone: f.ChatGone, Err: f.Err}
	switch f.Kind {
	case platform.NotDone:
		e.Outcome = NotSent
	case platform.LoggedOut:
		e.Outcome, e.AccountDown = NotSent, true
	case platform.Refused:
		e.Outcome = Refused
	}
	if f.Advice != "" {
		e.Err = fmt.Errorf("%w: %s", f.Err, f.Advice)
	}
	return e
}

// NotSetUp says that an account is not set up in this process. In another it may
// be: a worker has its own errand.yaml.
func NotSetUp(a errand.Account) *SendError {
	return &SendError{Outcome: NotSent, AccountDown: true, RetryAfter: time.Minute, Err: fmt.Errorf("the account %s is not set up here", a)}
}

// After says of a text of several parts what e says of the next one, when so many
// have arrived. The whole is in doubt then, also if the next was not sent: should
// this process die, nobody knows how far it came.
func (e *SendError) After(arrived int) *SendError {
	if arrived == 0 {
		return e
	}
	whole := *e
	whole.Started = true
	if e.Outcome == NotSent {
		whole.Outcome, whole.Err = Unknown, fmt.Errorf("%d parts have arrived, the next was not taken: %w", arrived, e.Err)
	}
	return &whole
}
