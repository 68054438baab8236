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
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"github.com/temporalio/ui-server/v2/server/api"
	uiconfig "github.com/temporalio/ui-server/v2/server/config"
	"github.com/temporalio/ui-server/v2/server/csrf"
	"github.com/temporalio/ui-server/v2/server/headers"
	"github.com/temporalio/ui-server/v2/server/route"
	assets "github.com/temporalio/ui-server/v2/ui"
	"google.golang.org/grpc/metadata"

	"errand/internal/limit"
)

// A ui uses the parts that ui-server exports. ui-server's own Server opens the port late, and ends
// the process if it cannot.
type ui struct {
	http *http.Server
}

// startUI takes ownership of l.
func startUI(l net.Listener, o Options, log *slog.Logger) (*ui, error) {
	handler, err := uiHandler(o)
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("start Temporal's Web UI: %w", err)
	}
	limits := limit.NewConnections(limit.ConnectionOptions{Logger: log})
	u := &ui{http: limits.Server(localOnly(http.NewCrossOriginProtection().Handler(authorized(handler, o))))}
	go func() {
		if err := u.http.Serve(limits.Listener(l)); !errors.Is(err, http.ErrServerClosed) {
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
		DisableNewsFetch:    true, // load nothing from the internet
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
	e.Use(csrf.EnsureTokenCookie(false), middleware.CSRFWithConfig(csrf.MiddlewareConfig(config, false)), withKey(o.Key))
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

// authorized redirects unauthorized page requests to the login, and refuses other requests.
func authorized(next http.Handler, o Options) http.Handler {
	may := o.Authorized
	if may == nil {
		bearer := newKeyMapper(o.Key)
		may = func(r *http.Request) bool { return bearer.is(r.Header.Get("Authorization")) }
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html")
		switch {
		case may(r):
			limit.Identify(r.Context(), "owner")
			// ui-server skips the CSRF check if there is an Authorization header.
			r.Header.Del("Authorization")
			next.ServeHTTP(w, r)
		case page && o.LogIn != nil:
			http.Redirect(w, r, o.LogIn(r), http.StatusSeeOther)
		default:
			http.Error(w, "log in on errand's own pages first, as the owner", http.StatusUnauthorized)
		}
	})
}

// withKey adds the key to requests to the server in two ways: grpc-gateway uses the header, and the
// download of a history uses the context.
func withKey(key string) echo.MiddlewareFunc {
	bearer := "Bearer " + key
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			if strings.HasPrefix(r.URL.Path, "/api/") {
				r = r.WithContext(metadata.AppendToOutgoingContext(r.Context(), "authorization", bearer))
				r.Header.Set("Authorization", bearer)
				c.SetRequest(r)
			}
			return next(c)
		}
	}
}

// localOnly refuses other host names. Otherwise a web page could have its host name resolved to
// 127.0.0.1 and read the Web UI (DNS rebinding).
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
