package intake

import (
	"context"
	"errors"
	"io"
)

// ErrGone is wrapped by errors of [Attachment.Open] that say that it cannot be had
// any more, and never will be: it has expired, or was taken back.
var ErrGone = errors.New("the attachment is gone")

// A TooLargeError is an error of [Attachment.Open] that says that the platform
// hands over no more than so many bytes of a file.
type TooLargeError struct{ Limit int64 }

func (e *TooLargeError) Error() string { return "the attachment is too large" }

// An Attachment is something other than text that a message came with. What is
// said of it is the platform's word, or its sender's: hostile, both.
type Attachment struct {
	ID   string // what the platform knows it by, for the log; it may be empty
	Name string // claimed; empty where the platform knows none
	Type string // claimed, a MIME type; it is not trusted
	Size int64  // claimed, in bytes; 0: not known
	Most int64  // the platform hands over no more of any file, in bytes; 0: it does not say
	// Voice says that it was spoken, for this message: what was said is the
	// message.
	Voice bool
	// Open begins to read it. It is called only after the sender was let in and
	// their rate measured, once for each time that the message is received, and
	// not more than limits.attachment_bytes of it are read. An error that wraps
	// [ErrGone] says that it cannot be had any more, and never will be; after any
	// other the message is to come again.
	Open func(context.Context) (io.ReadCloser, error)
}
