package activities

import (
	"context"

	"errand"
)

// Connections are the live connections to platforms; package internal/app has
// them.
type Connections interface {
	// Connect has the connection of an account held by this process until ctx ends,
	// and waits for its turn while another process holds it.
	Connect(context.Context, errand.Account) error
	// Holds reports whether this process is the one that sends on an account: it holds
	// the account's connection, or the account has none.
	Holds(errand.Account) bool
	// Ready reports whether what is told on an account can be sent by this process,
	// and is likely to arrive now.
	Ready(errand.Account) bool
	// ReadyElsewhere reports the same of another process.
	ReadyElsewhere(context.Context, errand.Account) (bool, error)
}

// A ConnectInput names an account.
type ConnectInput struct {
	Store   string         `json:"store"`
	Account errand.Account `json:"account"`
}

// Connect holds the live connection of an account for as long as the workflow
// wants it.
func (a *Activities) Connect(ctx context.Context, in ConnectInput) error {
	if err := a.at(in.Store); err != nil {
		return err
	}
	defer beat(ctx)()
	return failed(a.Connections.Connect(ctx, in.Account))
}

type noConnections struct{}

func (noConnections) Connect(context.Context, errand.Account) error { return ErrNoConnection }
func (noConnections) Holds(errand.Account) bool                     { return true }
func (noConnections) Ready(errand.Account) bool                     { return true }
func (noConnections) ReadyElsewhere(context.Context, errand.Account) (bool, error) {
	return false, nil
}
