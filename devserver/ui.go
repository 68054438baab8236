//go:build !nodevserver

package devserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"github.com/temporalio/ui-server/v2/server/api"
	uiconfig "github.com/temporalio/ui-server/v2/server/config"
	"github.com/temporalio/ui-server/v2/server/csrf"
	"github.com/temporalio/ui-server/v2/server/headers"
	"github.com/temporalio/ui-server/v2/server/route"
	assets "github.com/temporalio/ui-server/v2/ui"
)

// A ui is Temporal's Web UI. It is put together from the parts that ui-server
// exports instead of started by ui-server's own Server, which opens its port
// late and ends the process when it cannot.
type ui struct {
	http *http.Server
}

// startUI serves the Web UI on l, which it owns from now on.
func startUI(l net.Listener, o Options, log *slog.Logger) (*ui, error) {
	handler, err := uiHandler(o)
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("start Temporal's Web UI: %w", err)
	}
	u := &ui{http: &http.Server{
		Handler:           localOnly(handler),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}}
	go func() {
		if err := u.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Error("temporal: Web UI stopped", "error", err)
		}
	}()
	return u, nil
}

func (u *ui) stop(ctx context.Context) error {
	if err := u.http.Shutdown(ctx); err != nil {
		return errors.Join(err, u.http.Close())
	}
	return nil
}

func uiHandler(o Options) (http.Handler, error) {
	config, err := uiconfig.NewConfigProviderWithRefresh(&uiconfig.Config{
		TemporalGRPCAddress: o.address(),
		EnableUI:            true,
		DefaultNamespace:    o.Namespace,
		DisableNewsFetch:    true, // nothing is loaded from elsewhere
		CORS:                uiconfig.CORS{CookieInsecure: true},
		HideLogs:            true,
	})
	if err != nil {
		return nil, err
	}
	files, err := assets.Assets()
	if err != nil {
		return nil, err
	}
	local, err := fs.Sub(files, "local")
	if err != nil {
		return nil, err
	}
	e := echo.New()
	e.Logger.SetOutput(io.Discard)
	e.Use(middleware.Recover(), middleware.Gzip(), middleware.Secure())
	e.Use(csrf.EnsureTokenCookie(false), middleware.CSRFWithConfig(csrf.MiddlewareConfig(config, false)))
	route.SetHealthRoute(e)
	if err := route.SetAPIRoutes(e, config, []api.Middleware{headers.WithForwardHeaders([]string{"Caller-Type"})}); err != nil {
		return nil, err
	}
	if err := route.SetUIRoutes(e, "", local, config); err != nil {
		return nil, err
	}
	route.SetRenderRoute(e, "/")
	return e, nil
}

// localOnly refuses requests under any other name than this machine's own: a web
// page elsewhere could otherwise have its name resolved to 127.0.0.1 and read
// what is here (DNS rebinding).
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "only for localhost", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
