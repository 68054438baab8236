package activities

import (
	"context"

	"errand/internal/core"
	"errand/internal/temporal/wire"
)

// Connections are the live connections to platforms. Package internal/app implements it.
type Connections interface {
	// Connect holds the connection of an account in this process until ctx ends. If another process
	// holds it, Connect waits for its turn.
	Connect(context.Context, core.Account) error
	// Holds reports whether this process sends on an account: it holds the account's connection, or
	// the account needs none.
	Holds(core.Account) bool
	// Ready reports whether this process can send on an account, and a message is likely to arrive
	// now.
	Ready(core.Account) bool
	// ReadyElsewhere reports whether another process is ready to send on an account.
	ReadyElsewhere(context.Context, core.Account) (bool, error)
}

// A Connector holds the live connections of accounts.
type Connector struct {
	*worker
	connections Connections
}

// Connect holds the live connection of an account until the workflow ends it.
func (c *Connector) Connect(ctx context.Context, in wire.ConnectInput) error {
	if err := c.at(in.Store); err != nil {
		return err
	}
	return failed(c.connections.Connect(ctx, in.Account))
}

type noConnections struct{}

func (noConnections) Connect(context.Context, core.Account) error { return ErrNoConnection }
func (noConnections) Holds(core.Account) bool                     { return true }
func (noConnections) Ready(core.Account) bool                     { return true }
func (noConnections) ReadyElsewhere(context.Context, core.Account) (bool, error) {
	return false, nil
}
