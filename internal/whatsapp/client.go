package whatsapp

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"net/url"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/store/sqlstore"
	_ "modernc.org/sqlite" // the stores of people's clients
)

// Configure makes a client talk to this server. Call it before Connect.
func (s *Server) Configure(cli *whatsmeow.Client) { point(cli, s.url, false) }

// Point makes a client talk to the server at a URL, which may be in another
// process. It also makes this process trust such servers, and therefore no
// longer the real one: see [Trust].
func Point(cli *whatsmeow.Client, server string) { point(cli, server, false) }

func point(cli *whatsmeow.Client, server string, phone bool) {
	Trust()
	at := &http.Client{Transport: towards{server, phone, &http.Transport{}}}
	cli.SetWebsocketHTTPClient(at)
	cli.SetPreLoginHTTPClient(at)
	cli.SetMediaHTTPClient(at)
}

// phoneHeader marks the requests of people's phones: orders to misbehave are
// mostly for the others.
const phoneHeader = "X-Phone"

// towards sends every request to one server, whatever host it is for.
type towards struct {
	server string
	phone  bool
	next   http.RoundTripper
}

func (t towards) RoundTrip(r *http.Request) (*http.Response, error) {
	at, err := url.Parse(t.server)
	if err != nil {
		return nil, fmt.Errorf("the server's URL: %w", err)
	}
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = at.Scheme, at.Host
	if t.phone {
		r.Header.Set(phoneHeader, "1")
	}
	return t.next.RoundTrip(r)
}

// OpenStore opens a store of a whatsmeow client in a SQLite file, as tests and
// people's clients need it. It does not survive a crash of the machine.
func OpenStore(ctx context.Context, path string) (*sqlstore.Container, error) {
	// Immediate: a transaction that reads first and then writes would otherwise
	// fail at once when another one has written in between.
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=foreign_keys(1)&_pragma=busy_timeout(20000)&_pragma=journal_mode(WAL)&_pragma=synchronous(0)&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(4)
	c := sqlstore.NewWithDB(db, "sqlite3", nil)
	if err := c.Upgrade(ctx); err != nil {
		c.Close()
		return nil, fmt.Errorf("prepare the store of a client: %w", err)
	}
	return c, nil
}

// Towards is Point for a server, to be called with each client.
func Towards(server string) func(*whatsmeow.Client) {
	return func(cli *whatsmeow.Client) { Point(cli, server) }
}
