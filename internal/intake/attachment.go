package intake

import (
	"context"
	"errors"
	"io"
)

// ErrGone means that an attachment has expired or was deleted. Errors of [Attachment.Open] wrap it.
var ErrGone = errors.New("the attachment is gone")

// A TooLargeError of [Attachment.Open] has the platform's limit, in bytes.
type TooLargeError struct{ Limit int64 }

func (e *TooLargeError) Error() string { return "the attachment is too large" }

// An Attachment is a file, a picture or a recording of a message. Nothing in it is trusted.
type Attachment struct {
	ID   string // the platform's id, for the log; may be empty
	Name string // claimed; empty: the platform knows none
	Type string // claimed, a MIME type
	Size int64  // claimed, in bytes; 0: unknown
	Most int64  // the platform's limit, in bytes; 0: unknown
	// Voice means that it was recorded for this message, so its words are the message.
	Voice bool
	// Open starts reading. The intake calls it only after it has admitted the sender and counted
	// the message, once per delivery, and reads at most limits.attachment_bytes. After an error
	// other than [ErrGone] the channel has to deliver the message again.
	Open func(context.Context) (io.ReadCloser, error)
}
