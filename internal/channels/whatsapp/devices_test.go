package whatsapp_test

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/types"

	"errand/internal/channels/whatsapp"

	"errand/internal/service"
)

func databases(t *testing.T) map[string]func(t *testing.T) (*sql.DB, bool) {
	dbs := map[string]func(t *testing.T) (*sql.DB, bool){"SQLite": func(t *testing.T) (*sql.DB, bool) {
		return openDB(t, filepath.Join(t.TempDir(), "whatsapp.db")), false
	}}
	if at := os.Getenv("ERRAND_TEST_POSTGRES"); at != "" {
		dbs["PostgreSQL"] = func(t *testing.T) (*sql.DB, bool) { return openPostgres(t, at), true }
	}
	return dbs
}

func openPostgres(t *testing.T, at string) *sql.DB {
	t.Helper()
	admin, err := sql.Open("pgx", at)
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("whatsapp_%d_%d", os.Getpid(), time.Now().UnixNano())
	if _, err := admin.Exec("CREATE DATABASE " + name); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	db, err := sql.Open("pgx", u.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		db.Close()
		if _, err := admin.Exec("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Error(err)
		}
		admin.Close()
	})
	return db
}

// TestDevices proves that it is known, after a restart too, which device is which
// account's, and by which name the chat with a person has been known first.
func TestDevices(t *testing.T) {
	for name, open := range databases(t) {
		t.Run(name, func(t *testing.T) {
			r := newRigUnlinked(t, service.AccessOpen)
			db, postgres := open(t)
			restart := func() *whatsapp.Devices {
				t.Helper()
				d, err := whatsapp.OpenDevices(t.Context(), db, postgres)
				if err != nil {
					t.Fatal(err)
				}
				return d
			}
			d := restart()
			dev, err := d.Device(t.Context(), "main")
			if err != nil || dev.ID != nil {
				t.Fatal(dev, err)
			}
			planned := types.NewADJID("4930100", 0, 9)
			if err := d.Link(t.Context(), "main", planned); err != nil { // and then it dies
				t.Fatal(err)
			}
			if again, err := restart().Device(t.Context(), "main"); err != nil || again.ID != nil {
				t.Fatalf("a device that was never saved is %v, %v", again.ID, err)
			}
			if err := r.account.Link(t.Context(), dev); err != nil {
				t.Fatal(err)
			}
			if err := d.Link(t.Context(), "main", *dev.ID); err != nil {
				t.Fatal(err)
			}
			if again, err := restart().Device(t.Context(), "main"); err != nil || again.ID == nil || *again.ID != *dev.ID || *again.NoiseKey.Priv != *dev.NoiseKey.Priv {
				t.Fatalf("after the restart it is %v, %v", again.ID, err)
			}
			if other, err := d.Device(t.Context(), "second"); err != nil || other.ID != nil {
				t.Errorf("another account has it: %v, %v", other.ID, err)
			}
			if err := d.Link(t.Context(), "second", planned); err == nil || !strings.Contains(err.Error(), `"main"`) {
				t.Errorf("its number is linked twice: %v", err)
			}
			pn, lid := r.ana.JID(), r.ana.LID()
			chats := []struct {
				by   whatsapp.Person
				want string
			}{
				{whatsapp.Person{LID: lid}, lid.String()},
				{whatsapp.Person{PN: pn, LID: lid}, lid.String()},
				{whatsapp.Person{PN: pn}, lid.String()},
				{whatsapp.Person{PN: types.NewJID("1", types.DefaultUserServer)}, "1@s.whatsapp.net"},
				{whatsapp.Person{LID: types.NewJID("2", types.HiddenUserServer)}, "2@lid"},
				// Two that turn out to be one go on as the one by number.
				{whatsapp.Person{PN: types.NewJID("1", types.DefaultUserServer), LID: types.NewJID("2", types.HiddenUserServer)}, "1@s.whatsapp.net"},
				{whatsapp.Person{LID: types.NewJID("2", types.HiddenUserServer)}, "1@s.whatsapp.net"},
			}
			for _, again := range []bool{false, true} {
				if again {
					d = restart()
				}
				for i, c := range chats {
					if again && i == 4 {
						continue // it is known by now
					}
					if got, err := d.Chat(t.Context(), c.by); err != nil || got != c.want {
						t.Errorf("chat %d, restarted %v: %q, %v; want %q", i, again, got, err, c.want)
					}
				}
			}
			if _, err := d.Chat(t.Context(), whatsapp.Person{}); err == nil {
				t.Error("nobody has a chat")
			}
			if err := d.Unlink(t.Context(), "main"); err != nil {
				t.Fatal(err)
			}
			if gone, err := restart().Device(t.Context(), "main"); err != nil || gone.ID != nil {
				t.Errorf("after unlinking it is %v, %v", gone.ID, err)
			}
			if err := d.Unlink(t.Context(), "main"); err != nil {
				t.Errorf("once more: %v", err)
			}
		})
	}
}

// TestDevicesOfOneSchema proves that what another installation keeps in the same database,
// in a schema of its own, is not taken for this one's.
func TestDevicesOfOneSchema(t *testing.T) {
	at := os.Getenv("ERRAND_TEST_POSTGRES")
	if at == "" {
		t.Skip("ERRAND_TEST_POSTGRES is not set")
	}
	db := openPostgres(t, at)
	for _, schema := range []string{"first", "second", "first"} {
		if _, err := db.Exec("CREATE SCHEMA IF NOT EXISTS " + schema); err != nil {
			t.Fatal(err)
		}
		var name string
		if err := db.QueryRow("SELECT current_database()").Scan(&name); err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		query := u.Query()
		query.Set("search_path", schema)
		u.Path, u.RawQuery = "/"+name, query.Encode()
		own, err := sql.Open("pgx", u.String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := whatsapp.OpenDevices(t.Context(), own, true); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
		own.Close()
	}
}
