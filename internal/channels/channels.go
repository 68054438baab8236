// Package channels is the shared code of all inbound connections: their interfaces, their status,
// and the lease that decides which worker holds a connection. Each platform has its own subfolder,
// which wraps the vendor's library.
package channels

import (
	"context"

	"errand/internal/intake"
)

// A Receiver accepts incoming messages. [intake.Intake] implements it. If Receive returns a
// [*service.Error], the message can never be accepted and its sender has been informed. After any
// other error the caller receives the message again.
type Receiver interface {
	Receive(context.Context, intake.Inbound) (intake.Outcome, error)
}

// A Connection is the live connection of one account to its platform. It acknowledges a message to
// the platform only after the receiver has committed it. If the process dies in between, the
// platform delivers the message again, and the inbox detects the duplicate.
type Connection interface {
	// Run connects and receives messages until ctx ends. It returns ctx's error after it has
	// disconnected. It reports failures through the status and retries.
	Run(ctx context.Context) error
}
