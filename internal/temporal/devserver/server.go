//go:build !nodevserver

package devserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/headers"
	"go.temporal.io/server/temporal"

	"errand/internal/ownerkey"
)

// Available reports whether the embedded server was compiled in.
const Available = true

// Version is the version of the embedded server: 1.32.1.
const Version = headers.ServerVersion

// A Server is a running Temporal server with its Web UI. It is safe for concurrent use.
type Server struct {
	options  Options
	temporal temporal.Server
	ui       *ui // nil without a Web UI
	stopping *atomic.Bool
	stop     sync.Once
	stopErr  error
}

// Start starts the server and returns when it accepts requests: namespace, search attributes and
// Web UI are ready. It returns a [*PortInUseError] or an [*IncompatibleError] before it changes
// anything. After a kill, the server continues where it was.
func Start(ctx context.Context, o Options) (_ *Server, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("start embedded Temporal: %w", err)
		}
	}()
	o, err = o.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := probe(o.Host, o.Port, "Temporal"); err != nil {
		return nil, err
	}
	if o.UIPort == 0 {
		return startServer(ctx, o)
	}
	uiListener, err := listen(o.Host, o.UIPort, "Temporal's Web UI")
	if err != nil {
		return nil, err
	}
	s, err := startServer(ctx, o)
	if err != nil {
		uiListener.Close()
		return nil, err
	}
	if s.ui, err = startUI(uiListener, s.options, o.Logger); err != nil {
		return nil, errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}
	return s, nil
}

func startServer(ctx context.Context, o Options) (*Server, error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make folder for the database: %w", err)
	}
	if err := openOrCreate(ctx, filepath.Join(o.Dir, databaseName)); err != nil {
		return nil, err
	}
	if o.Key == "" {
		key, err := ownerkey.Ensure(o.Dir)
		if err != nil {
			return nil, err
		}
		o.Key = key
	}
	if err := ensureNamespace(o); err != nil {
		return nil, err
	}
	s := &Server{options: o, stopping: new(atomic.Bool)}
	if err := s.launch(); err != nil {
		return nil, err
	}
	if err := prepare(ctx, o); err != nil {
		return nil, errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}
	return s, nil
}

// launch turns panics into errors: logger.Fatal panics where the server would end the process.
func (s *Server) launch() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the server gave up: %v", p)
		}
	}()
	at, err := endpoints(s.options)
	if err != nil {
		return err
	}
	internode, err := internodeTLS()
	if err != nil {
		return err
	}
	s.temporal, err = temporal.NewServer(
		temporal.WithConfig(serverConfig(s.options, at)),
		temporal.ForServices(temporal.Services),
		temporal.WithStaticHosts(staticHosts(at)),
		temporal.WithDynamicConfigClient(tuning(s.options)),
		temporal.WithLogger(logger{to: s.options.Logger, quiet: s.stopping}),
		temporal.WithAuthorizer(adminsOnly{}),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper {
			return newKeyMapper(s.options.Key)
		}),
		temporal.WithTLSConfigFactory(internode),
	)
	if err != nil {
		return err
	}
	return s.temporal.Start()
}

// Address returns the address for clients, host:port.
func (s *Server) Address() string { return s.options.address() }

// UIAddress returns the address of the Web UI, host:port; "" if it is off.
func (s *Server) UIAddress() string {
	if s.options.UIPort == 0 {
		return ""
	}
	return s.options.uiAddress()
}

// Stop stops the Web UI and then the server, and leaves one complete file. Stop workers and clients
// first. It returns when everything has ended or ctx is done. In the second case the rest ends with
// the process, like after a kill.
func (s *Server) Stop(ctx context.Context) error {
	s.stop.Do(func() { s.stopErr = s.shutdown(ctx) })
	return s.stopErr
}

func (s *Server) shutdown(ctx context.Context) error {
	s.stopping.Store(true)
	var uiErr error
	if s.ui != nil {
		uiErr = s.ui.stop(ctx)
	}
	done := make(chan error, 1)
	go func() { done <- s.temporal.Stop() }()
	select {
	case err := <-done:
		if err == nil {
			err = checkpoint(ctx, filepath.Join(s.options.Dir, databaseName))
		}
		if err != nil {
			err = fmt.Errorf("stop embedded Temporal: %w", err)
		}
		return errors.Join(uiErr, err)
	case <-ctx.Done():
		return fmt.Errorf("stop embedded Temporal: %w", ctx.Err())
	}
}
