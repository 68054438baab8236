// Package notifiers is the outbound half of all channels. It defines the Notifier interface, routes
// notifications to the notifier of their channel, and classifies failed deliveries. The inbound
// halves use [Failure] too. An [AccountLimiter] keeps to the rates that a platform permits.
package notifiers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"errand/internal/core"
)

// A Notifier delivers notifications on one platform.
//
// Notify runs in an activity: after a crash it may be called again with the same Key. If the
// platform can detect a repeat (a Discord nonce, a WhatsApp message id), a Notifier must not
// deliver a Key twice. Notify reports failures as [*SendError]. After any other error the outcome
// counts as unknown.
//
// If [core.Notification.Deletes] holds, Notify deletes the message. It is not an error if the
// message no longer exists, or if the platform does not delete it.
type Notifier interface {
	Notify(context.Context, core.Notification) (Receipt, error)
}

// A Checker can find out whether a notification with an unknown outcome was delivered.
type Checker interface {
	// Delivered returns the receipt of n if it has arrived. With ok false the caller may send n:
	// it has certainly not arrived, or the platform shows repeats with the same key only once.
	// If the notifier cannot find out, it returns [ErrCannotCheck].
	Delivered(ctx context.Context, n core.Notification) (r Receipt, ok bool, err error)
}

// A RateLimiter waits until the platform's rate limits permit a message. The caller waits before
// it records that it is sending. If the process dies during the wait, it is therefore certain
// that the message was not sent.
type RateLimiter interface {
	// WaitToSend waits up to patience until a message may be sent. It returns a context for
	// Notify, whose first message then does not wait again. Its errors are of type [*SendError]
	// with outcome [NotSent]. It returns no error for a route that Notify will refuse.
	WaitToSend(ctx context.Context, to core.Route, patience time.Duration) (context.Context, error)
}

// A FileSender can send the file of a notification with its text.
type FileSender interface {
	// MaxFile is the size limit of one file in bytes.
	MaxFile() int64
}

// A Typer can show in a chat that the agent is typing. The platform hides it after some seconds,
// or when the next message arrives.
type Typer interface {
	Typing(context.Context, core.Route) error
}

// A TypingDuration is a [Typer] whose indicator does not last [DefaultTypingDuration].
type TypingDuration interface {
	TypingDuration() time.Duration
}

// DefaultTypingDuration is how long a platform shows that the agent is typing.
const DefaultTypingDuration = 5 * time.Second

// A Progress can show progress in a message that it edits. Only platforms with editable messages
// implement it.
type Progress interface {
	// ShowProgress sends text as a new message, or replaces the text of the message id that an
	// earlier call returned. It returns the id of the message that now shows the text. The text
	// is plain: markup in it appears literally, and it must not ping anyone. ShowProgress does not
	// wait: if it cannot show the text now, it returns an error. A [*SendError] says when to retry.
	ShowProgress(ctx context.Context, to core.Route, text, id string) (newID string, err error)
}

// A Previewer can show a reply while the model writes it. A preview is not a delivery: Notify
// later replaces it with the whole reply, using the message id in Replaces.
type Previewer interface {
	// PreviewStyle returns how previews appear on a route.
	PreviewStyle(core.Route) PreviewStyle
	// Preview shows the part of n that is written so far. It edits the message id that an earlier
	// call returned, and returns the id of the message that shows the preview, or "" if the
	// preview is not a message. Preview does not wait: if it cannot show the text now, it returns
	// a [*SendError] that says when to retry.
	Preview(ctx context.Context, n core.Notification, id string) (newID string, err error)
}

// A PreviewStyle is how a channel shows a reply while the model writes it. The zero value means
// that the channel shows no previews.
type PreviewStyle struct {
	Every time.Duration // minimum time between changes
	// Fades is when the preview disappears by itself; such a preview is not a message. 0: the
	// preview is a message and stays.
	Fades time.Duration
}

// A Reactor can put a mark on a message that a person wrote.
type Reactor interface {
	// React replaces the current mark.
	React(ctx context.Context, to core.Route, messageID string, mark Mark) error
}

// A Mark shows the author of a message how far errand is with it.
type Mark string

// The marks.
const (
	None Mark = ""     // removes the mark
	Seen Mark = "seen" // it will be answered
	Done Mark = "done" // it has been answered
)

// ErrCannotShow means that a channel cannot show what was requested.
var ErrCannotShow = errors.New("the channel cannot show that")

// ErrCannotCheck means that a platform does not reveal what was delivered.
var ErrCannotCheck = errors.New("the platform cannot tell what was delivered")

// A Receipt has the ids of the messages that the platform created, one for each part.
type Receipt struct {
	IDs []string
}

// A SendError is a failed delivery.
type SendError struct {
	Outcome    Outcome
	RetryAfter time.Duration // requested by the platform; 0: no request
	Started    bool          // the first of several parts have arrived
	// AccountDown means that the account cannot send at all. RetryAfter is then a guess, and no
	// longer applies once the account is connected again.
	AccountDown bool
	// ChatGone means that the chat no longer exists, or that the account is not a member of it.
	ChatGone bool
	Err      error // without the text of the message
}

// An Outcome is what a failed attempt reveals about a notification.
type Outcome string

// The outcomes.
const (
	NotSent Outcome = "not sent" // it did not arrive; a retry is safe
	Refused Outcome = "refused"  // the platform will not accept it: a person has to decide
	Unknown Outcome = "in doubt" // it may have arrived
)

func (e *SendError) Error() string { return fmt.Sprintf("%s: %v", e.Outcome, e.Err) }

func (e *SendError) Unwrap() error { return e.Err }

// Refusedf returns the error of a notification that the platform does not accept. It formats the
// reason like [fmt.Errorf].
func Refusedf(format string, args ...any) *SendError {
	return &SendError{Outcome: Refused, Err: fmt.Errorf(format, args...)}
}

// NotSentf returns the error of a notification that did not arrive and should be retried after
// retryAfter; 0: at any time. It formats the reason like [fmt.Errorf].
func NotSentf(retryAfter time.Duration, format string, args ...any) *SendError {
	return &SendError{Outcome: NotSent, RetryAfter: retryAfter, Err: fmt.Errorf(format, args...)}
}

// Repeatable converts the error of a call that may be repeated safely: an unknown outcome becomes
// NotSent.
func (e *SendError) Repeatable() *SendError {
	if e.Outcome != Unknown {
		return e
	}
	again := *e
	again.Outcome = NotSent
	return &again
}

// NewSendError converts a platform failure into the error of a delivery.
func NewSendError(f Failure) *SendError {
	e := &SendError{Outcome: Unknown, RetryAfter: f.RetryAfter, ChatGone: f.ChatGone, Err: f.Err}
	switch f.Kind {
	case FailureNotDone:
		e.Outcome = NotSent
	case FailureLoggedOut:
		e.Outcome, e.AccountDown = NotSent, true
	case FailureRefused:
		e.Outcome = Refused
	}
	if f.Advice != "" {
		e.Err = fmt.Errorf("%w: %s", f.Err, f.Advice)
	}
	return e
}

// NotSetUp returns the error for an account that this process has no configuration for. Another
// worker may have one, because each worker has its own errand.yaml.
func NotSetUp(a core.Account) *SendError {
	return &SendError{Outcome: NotSent, AccountDown: true, RetryAfter: time.Minute, Err: fmt.Errorf("the account %s is not set up here", a)}
}

// After converts the error of the next part into that of the whole text, of which some parts have
// arrived. The outcome of the whole is Unknown even if the next part was not sent: if this
// process dies, no record says how many parts arrived.
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
