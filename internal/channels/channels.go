// Package channels is what the inbound connections of all platforms share: what they
// hand over, their states, and the lease that says which worker holds a connection.
// Each platform has a folder of its own, the home of its vendor's library.
package channels

import (
	"context"

	"errand/internal/intake"
)

// A Receiver takes in what arrives; [intake.Intake] is one. Of the errors of
// Receive, a [*service.Error] says that the message never will be taken, and
// that its sender has been told; with any other it is received again.
type Receiver interface {
	Receive(context.Context, intake.Inbound) (intake.Outcome, error)
}

// A Connection is the live connection of one account of ours to its platform.
// The platform is told that a message came only when the receiver has committed it,
// so one that the process dies with is delivered again, and the inbox knows it.
type Connection interface {
	// Run connects and takes in messages until ctx ends, and returns its error:
	// by then nothing is connected any more. Whatever goes wrong meanwhile is
	// seen in the status, and tried again.
	Run(ctx context.Context) error
}
