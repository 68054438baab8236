package app_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"errand/internal/app"
	"errand/internal/store"
	"errand/internal/temporal/devserver"
)

// TestStartRefused proves that what cannot work is said at start, with the
// remedy, and that nothing is touched.
func TestStartRefused(t *testing.T) {
	t.Parallel()
	garbage := []byte(strings.Repeat("this is no database ", 500))
	tests := []struct {
		name    string
		prepare func(t *testing.T, o *app.Options)
		want    []string
	}{
		{"the port of the pages is taken", func(t *testing.T, o *app.Options) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			o.Config.Listen = l.Addr().String()
		}, []string{"address already in use", "--port-offset"}},
		{"the port of Temporal is taken", func(t *testing.T, o *app.Options) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			o.Config.TemporalPort = l.Addr().(*net.TCPAddr).Port
		}, []string{"another program", "--port-offset"}},
		{"the store is damaged", func(t *testing.T, o *app.Options) {
			put(t, filepath.Join(o.Config.Data, "errand.db"), garbage)
		}, []string{"errand.db", "not a SQLite database"}},
		{"Temporal's file is damaged", func(t *testing.T, o *app.Options) {
			put(t, filepath.Join(o.Config.Data, "temporal.db"), garbage)
			st, err := store.Open(t.Context(), store.Options{SQLite: filepath.Join(o.Config.Data, "errand.db")})
			if err != nil {
				t.Fatal(err)
			}
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
		}, []string{"temporal.db", "errand upgrade"}},
		{"the store is gone and Temporal's file is not", func(t *testing.T, o *app.Options) {
			if err := os.Remove(filepath.Join(o.Config.Data, "errand.db")); err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(o.Config.Data, "temporal.db"), garbage)
		}, []string{"errand.db is missing", "errand upgrade"}},
		{"another process works on the folder", func(t *testing.T, o *app.Options) {
			unlock, err := app.LockData(o.Config.Data)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := unlock(); err != nil {
					t.Error(err)
				}
			})
		}, []string{"another errand is running", "ERRAND_DATA"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := app.Options{Config: testConfig(t, t.TempDir()), Model: script(nil)}
			if o.Config.DatabaseURL != "" && strings.HasPrefix(test.name, "the store is") {
				t.Skip("the store is not a file here")
			}
			test.prepare(t, &o)
			a, err := app.Start(t.Context(), o)
			if err == nil {
				a.Stop(t.Context())
				t.Fatal("it started")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error is %q, without %q", err, want)
				}
			}
			for _, file := range []string{"errand.db", "temporal.db"} {
				if kept, err := os.ReadFile(filepath.Join(o.Config.Data, file)); err == nil && strings.HasPrefix(string(kept), "this is no") && string(kept) != string(garbage) {
					t.Errorf("%s was touched", file)
				}
			}
		})
	}
}

func put(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestTemporalComesLater proves that a worker waits for a cluster that is not
// there yet, and says so.
func TestTemporalComesLater(t *testing.T) {
	o := app.Options{Config: testConfig(t, t.TempDir()), Model: script(nil)}
	var out page
	o.Out = &out
	port := devserver.FreePort(t)
	o.Config.Temporal.Address = fmt.Sprintf("127.0.0.1:%d", port)
	for _, v := range devserver.ClientEnv(o.Config.Temporal.Address, devserver.DefaultNamespace, "a key") {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	started := make(chan error, 1)
	var a *app.App
	go func() {
		var err error
		a, err = app.Start(t.Context(), o)
		started <- err
	}()
	deadline := time.After(limit)
	for !strings.Contains(out.String(), "waiting for it") {
		select {
		case err := <-started:
			t.Fatalf("Start = %v before there was a cluster", err)
		case <-deadline:
			t.Fatalf("it does not say that it waits: %q", out.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
	server, err := devserver.Start(t.Context(), devserver.Options{Dir: t.TempDir(), Port: port, Key: "a key"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	select {
	case err := <-started:
		if err != nil {
			t.Fatal(err)
		}
		a.Stop(t.Context())
	case <-deadline:
		t.Fatal("it did not start")
	}
}
