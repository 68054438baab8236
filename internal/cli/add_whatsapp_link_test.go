//go:build !nowhatsapp

package cli_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/api"
	live "errand/internal/channels/whatsapp"
	"errand/internal/cli"
	"errand/internal/cli/accounts"
	"errand/internal/cli/console"
	"errand/internal/intake"
	"errand/internal/test/clitest"
	platform "errand/internal/test/sim/whatsapp"
)

type letters chan string

func (l letters) Receive(_ context.Context, in intake.Inbound) (intake.Outcome, error) {
	l <- in.Text
	return intake.Outcome{}, nil
}

// TestLinkWhatsApp proves that what the command shows links a phone, by either
// way, to a worker's live client, and that the first message then arrives.
func TestLinkWhatsApp(t *testing.T) {
	for name, flags := range map[string][]string{"scanned": nil, "typed": {"--phone", "+49 30 100"}} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			server, err := platform.New(platform.Options{})
			require.NoError(t, err)
			t.Cleanup(func() { server.Close() })
			phone, err := server.AddAccount("Errand", "+4930100")
			require.NoError(t, err)
			ana, err := server.AddPerson("Ana", "+491711234567")
			require.NoError(t, err)
			came := make(letters, 1)
			f, c := linkable(t, server, came)
			out, ended := clitest.NewOutput(), make(chan int, 1)
			go func() {
				ended <- cli.Run(t.Context(), append([]string{"channels", "add", "whatsapp"}, flags...), console.Console{
					In: strings.NewReader(""), Out: out, Err: io.Discard, Getenv: clitest.Env(map[string]string{"ERRAND_SERVER": f.URL}),
				})
			}()
			out.Await(t, 0, "Linked devices")
			if name == "typed" {
				begin := out.Await(t, 0, "two minutes:\n\n")
				out.Await(t, begin, "\n")
				code, _, _ := strings.Cut(strings.TrimSpace(out.String()[begin:]), "\n")
				require.NoError(t, phone.EnterCode(t.Context(), code))
			} else {
				code, err := accounts.Drawing(c.Status().Link)
				require.NoError(t, err)
				out.Await(t, 0, strings.Join(code, "\n"))
				require.NoError(t, phone.Scan(t.Context(), c.Status().Link))
			}
			out.Await(t, 0, "whatsapp/main is linked, as +4930100. Write to it from another phone.")
			assert.Equal(t, 0, <-ended)
			_, err = ana.Write(t.Context(), phone.JID(), "hello")
			require.NoError(t, err)
			assert.Equal(t, "hello", <-came)
		})
	}
}

// linkable plays a worker, with a real client of an account that no phone has
// linked.
func linkable(t *testing.T, server *platform.Server, gate letters) (*clitest.FakeWorker, *live.Channel) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "whatsapp.db")+"?_pragma=foreign_keys(1)&_pragma=busy_timeout(20000)&_pragma=journal_mode(wal)&_txlock=immediate")
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	devices, err := live.OpenDevices(t.Context(), db, false)
	require.NoError(t, err)
	c, err := live.New(live.Options{Account: "main", Devices: devices, Receiver: gate, Prepare: server.Configure, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); c.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	f := clitest.NewFakeWorker(t, cli.Run)
	f.Mux.HandleFunc("GET /api/channels", func(w http.ResponseWriter, _ *http.Request) {
		s := c.Status()
		json.NewEncoder(w).Encode([]api.Connection{{Channel: "whatsapp", Account: "main", State: s.State, Detail: s.Detail, Link: s.Link}})
	})
	f.Mux.HandleFunc("POST /api/channels/whatsapp/main/code", func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Phone string }
		json.NewDecoder(r.Body).Decode(&in)
		code, err := devices.AskCode(r.Context(), "main", in.Phone)
		assert.NoError(t, err)
		json.NewEncoder(w).Encode(map[string]string{"code": code})
	})
	return f, c
}
