//go:build nodevserver

package devserver

import (
	"context"
	"errors"

	"go.temporal.io/sdk/client"
)

// Available reports whether the embedded server was compiled in.
const Available = false

// Version is "" in this build.
const Version = ""

// A Server is never created by this build.
type Server struct{}

// Start always returns an error.
func Start(context.Context, Options) (*Server, error) {
	return nil, errors.New("this build has no embedded Temporal server (build tag nodevserver): set TEMPORAL_ADDRESS to the address of a Temporal cluster")
}

// Address returns "".
func (*Server) Address() string { return "" }

// ClientOptions returns empty options.
func (*Server) ClientOptions() client.Options { return client.Options{} }

// UIAddress returns "".
func (*Server) UIAddress() string { return "" }

// Stop does nothing.
func (*Server) Stop(context.Context) error { return nil }
