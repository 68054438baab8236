package backup_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/backup"
	"errand/internal/core"
	"errand/internal/ownerkey"
	"errand/internal/store"
	"errand/internal/test/storetest"
)

// A database makes empty places of one kind.
type database func(t *testing.T) backup.Options

// databases are SQLite and, where ERRAND_TEST_POSTGRES is a URL of a database in which schemas may be
// made, PostgreSQL.
func databases() map[string]database {
	all := map[string]database{"SQLite": onSQLite}
	if address := os.Getenv("ERRAND_TEST_POSTGRES"); address != "" {
		all["PostgreSQL"] = func(t *testing.T) backup.Options {
			return backup.Options{Data: t.TempDir(), Store: store.Options{PostgreSQL: storetest.Schema(t, address)}, Owner: "ada", Devices: makeDevicesAt}
		}
	}
	return all
}

func onSQLite(t *testing.T) backup.Options {
	dir := t.TempDir()
	return backup.Options{Data: dir, Store: store.Options{SQLite: filepath.Join(dir, store.File)}, Version: "1.2.3", Owner: "ada"}
}

func makeDevicesAt(ctx context.Context, address string) error {
	db, err := sql.Open("pgx", address)
	if err != nil {
		return err
	}
	return errors.Join(makeDevices(ctx, db), db.Close())
}

func makeDevices(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, `CREATE TABLE errand_whatsapp_devices (key TEXT)`)
	return err
}

func connect(t *testing.T, o backup.Options) *sql.DB {
	t.Helper()
	driver, address := "sqlite", o.Store.SQLite
	if o.Store.PostgreSQL != "" {
		driver, address = "pgx", o.Store.PostgreSQL
	}
	db, err := sql.Open(driver, address)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// newInstallation has a row for everything that is secret.
func newInstallation(t *testing.T, on database) (backup.Options, *store.Store) {
	t.Helper()
	o := on(t)
	o.Version = "1.2.3"
	s, err := store.Open(t.Context(), o.Store)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	_, err = s.EnsurePerson(t.Context(), "ada", "Ada", core.Member)
	require.NoError(t, err)
	db := connect(t, o)
	for _, query := range []string{
		`INSERT INTO tokens (id, hash, person, kind, name, created) VALUES ('k-1', 'SECRET-token', 'ada', 'api', 'laptop', 1)`,
		`INSERT INTO push_subscriptions (id, person, login, endpoint, p256dh, auth, label, created) VALUES ('b-1', 'ada', 'k-1', 'SECRET-endpoint', 'SECRET-p256dh', 'SECRET-auth', 'Firefox', 1)`,
		`INSERT INTO pushes (id, subscription, session_key, event, created) VALUES ('p-1', 'b-1', 'x', 1, 1)`,
		`INSERT INTO webhook_keys (person, key, created) VALUES ('ada', 'SECRET-webhook', 1)`,
		`INSERT INTO a2a_pushes (task, id, base, url, token, credentials, created) VALUES ('t-1', 'c', '', '', 'SECRET-a2a', 'SECRET-credentials', 1)`,
		`INSERT INTO meta (key, value) VALUES ('push_key', 'SECRET-push')`,
		`INSERT INTO audit (at, person, what, kind, subject) VALUES (1, 'ada', 'installation.pause', 'installation', '')`,
		`INSERT INTO connections (channel, account, link) VALUES ('whatsapp', 'main', 'SECRET-link'), ('telegram', 'main', '')`,
		`INSERT INTO pairings (code, channel, account, external_id, name, language, chat, thread, token_hash, state, created, expires)
			VALUES ('1', 'web', '', 'x', '', '', '', '', 'SECRET-browser', 'pending', 1, 1)`,
	} {
		_, err := db.Exec(query)
		require.NoError(t, err, query)
	}
	require.NoError(t, os.WriteFile(filepath.Join(o.Data, ownerkey.File), []byte("SECRET-owner"), 0o600))
	if o.Store.SQLite != "" {
		db = connect(t, backup.Options{Store: store.Options{SQLite: filepath.Join(o.Data, store.DevicesFile)}})
	}
	require.NoError(t, makeDevices(t.Context(), db))
	_, err = db.Exec(`INSERT INTO errand_whatsapp_devices VALUES ('SECRET-device')`)
	require.NoError(t, err)
	return o, s
}

func unzip(t *testing.T, file string) []byte {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	zipped, err := gzip.NewReader(f)
	require.NoError(t, err)
	raw, err := io.ReadAll(zipped)
	require.NoError(t, err)
	return raw
}

// TestSecrets proves that no byte of a secret is in a backup without secrets, and that each is in one
// with them.
func TestSecrets(t *testing.T) {
	names := []string{"token", "endpoint", "p256dh", "auth", "webhook", "a2a", "credentials", "push", "link", "browser", "owner", "device"}
	for kind, on := range databases() {
		o, _ := newInstallation(t, on)
		for _, with := range []bool{false, true} {
			file := filepath.Join(t.TempDir(), "backup")
			m, err := backup.Write(t.Context(), o, file, with)
			require.NoError(t, err)
			for _, table := range []string{"tokens", "connections"} {
				assert.Equal(t, !with, m.Copy.LeftOut[table] == 1, "%s: %v", kind, m.Copy.LeftOut)
			}
			raw := unzip(t, file)
			for _, name := range names {
				assert.Equal(t, with, bytes.Contains(raw, []byte("SECRET-"+name)), "%s: %s, with secrets: %v", kind, name, with)
			}
			assert.Contains(t, string(raw), "Ada")
			entries, err := os.ReadDir(filepath.Dir(file))
			require.NoError(t, err)
			assert.Len(t, entries, 1, "no other file is left")
		}
	}
}

// TestRestore proves that a backup is restored into an empty place only, by a store with another id;
// and that what was made before the backup and is told after it counts as a possible repeat.
func TestRestore(t *testing.T) {
	for kind, on := range databases() {
		t.Run(kind, func(t *testing.T) {
			o, s := newInstallation(t, on)
			origin := core.Origin{Route: core.Route{Channel: "telegram", Account: "main", Chat: "1"}, Person: "ada"}
			task, err := s.CreateTask(t.Context(), origin, store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "two trains"}, "")
			require.NoError(t, err)
			notice := func(key string, task core.TaskID) core.Notification {
				return core.Notification{Key: key, Route: origin.Route, Event: core.EventNotice, Text: key, Task: task}
			}
			_, err = s.Answer(t.Context(), notice("open", ""))
			require.NoError(t, err)

			file := filepath.Join(t.TempDir(), "backup")
			_, err = backup.Write(t.Context(), o, file, true)
			require.NoError(t, err)
			_, err = backup.Write(t.Context(), o, file, true)
			require.ErrorContains(t, err, "exists")
			require.ErrorAs(t, backup.Restore(t.Context(), o, file), new(*backup.NotEmptyError))

			to := on(t)
			m, err := backup.Verify(to, file)
			require.NoError(t, err)
			assert.Equal(t, "1.2.3", m.Errand)
			require.NoError(t, backup.Restore(t.Context(), to, file))
			require.ErrorAs(t, backup.Restore(t.Context(), to, file), new(*backup.NotEmptyError))
			key, err := os.ReadFile(filepath.Join(to.Data, ownerkey.File))
			require.NoError(t, err)
			assert.Equal(t, "SECRET-owner", string(key))
			devices := to
			if to.Store.SQLite != "" {
				devices.Store.SQLite = filepath.Join(to.Data, store.DevicesFile)
			}
			var device string
			require.NoError(t, connect(t, devices).QueryRow(`SELECT key FROM errand_whatsapp_devices`).Scan(&device))
			assert.Equal(t, "SECRET-device", device)

			restored, err := store.Open(t.Context(), to.Store)
			require.NoError(t, err)
			defer restored.Close()
			assert.NotEqual(t, s.ID(), restored.ID())
			assert.Equal(t, s.ID(), store.InstallationOf(restored), "browsers stay logged in")
			entries, err := restored.Audit(t.Context(), store.AuditFilter{})
			require.NoError(t, err)
			require.Len(t, entries, 2)
			assert.Equal(t, core.AuditEntry{
				ID: entries[0].ID, Time: entries[0].Time, Doer: core.Doer{Person: "ada", Door: "cli"}, Name: "Ada",
				Deed: core.DeedRestore, Kind: "installation", Detail: m.Copy.Moment(),
			}, entries[0])
			assert.WithinDuration(t, time.Now(), entries[0].Time, time.Minute)
			for _, n := range []core.Notification{notice("of the backup", task.ID), notice("new", "")} {
				_, err := restored.Answer(t.Context(), n)
				require.NoError(t, err)
			}
			rows, err := restored.Deliveries(t.Context(), nil, store.Page{})
			require.NoError(t, err)
			require.Len(t, rows, 3)
			slices.SortFunc(rows, func(a, b core.Notification) int { return int(a.ID - b.ID) })
			open, again, fresh := rows[0], rows[1], rows[2]
			assert.Equal(t, core.Unknown, open.State)
			assert.Equal(t, "open", open.IdempotencyKey(), "the platform recognizes it")
			assert.True(t, again.Repeated)
			assert.False(t, fresh.Repeated)
			assert.NotEqual(t, "new", fresh.IdempotencyKey(), "the lost store may have used it for something else")
			assert.Greater(t, again.ID, open.ID+1000, "ids of the lost store stand for nothing else")
		})
	}
}

// TestDamaged proves that a file which was cut off or changed anywhere is refused, and that the
// place stays empty. A few bits of the compression mean nothing: after a change there, the content is
// as it was.
func TestDamaged(t *testing.T) {
	o, _ := newInstallation(t, onSQLite)
	file := filepath.Join(t.TempDir(), "backup")
	_, err := backup.Write(t.Context(), o, file, false)
	require.NoError(t, err)
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	refused := func(what string, at int, raw []byte) {
		t.Helper()
		bad, to := filepath.Join(t.TempDir(), "bad"), onSQLite(t)
		require.NoError(t, os.WriteFile(bad, raw, 0o600))
		_, err := backup.Verify(to, bad)
		assert.ErrorIs(t, err, backup.ErrDamaged, "%s at %d", what, at)
		assert.ErrorIs(t, backup.Restore(t.Context(), to, bad), backup.ErrDamaged, "%s at %d", what, at)
		entries, err := os.ReadDir(to.Data)
		require.NoError(t, err)
		assert.Empty(t, entries, "%s at %d", what, at)
	}
	const header = 10 // of gzip: its time and system may be anything
	changed := 0
	for i := range 50 {
		at := header + i*(len(whole)-header)/50
		refused("cut off", at, whole[:at])
		flipped := bytes.Clone(whole)
		flipped[at] ^= 0x10
		if !sameContent(whole, flipped) {
			refused("changed", at, flipped)
			changed++
		}
	}
	assert.Greater(t, changed, 45)
	refused("cut off", len(whole)-1, whole[:len(whole)-1])
	refused("longer", len(whole), append(bytes.Clone(whole), "more"...))
	refused("empty", 0, nil)
	refused("a text", 0, []byte("errand"))
}

func sameContent(a, b []byte) bool {
	var contents [2][]byte
	for i, raw := range [][]byte{a, b} {
		zipped, err := gzip.NewReader(bytes.NewReader(raw))
		if err == nil {
			contents[i], err = io.ReadAll(zipped)
		}
		if err != nil {
			return false
		}
	}
	return bytes.Equal(contents[0], contents[1])
}

// TestOthers proves that a whole file with other tables, of another format or with other checksums is
// refused.
func TestOthers(t *testing.T) {
	o, _ := newInstallation(t, onSQLite)
	file := filepath.Join(t.TempDir(), "backup")
	_, err := backup.Write(t.Context(), o, file, false)
	require.NoError(t, err)
	for want, change := range map[string]func(*backup.Manifest){
		"other tables":           func(m *backup.Manifest) { m.Copy.Schema = "0011" },
		"use a newer errand":     func(m *backup.Manifest) { m.Copy.Version = 1000 },
		"use errand 1.2.3":       func(m *backup.Manifest) { m.Format = 2 },
		"restore it into Po":     func(m *backup.Manifest) { m.Copy.Database = store.PostgreSQL },
		"another checksum":       func(m *backup.Manifest) { m.Members[0].SHA256 = strings.Repeat("0", 64) },
		"where ../x should be":   func(m *backup.Manifest) { m.Members[0].Name = "../x" },
		"list of files is not c": func(m *backup.Manifest) { m.Members = nil },
	} {
		bad, to := filepath.Join(t.TempDir(), "bad"), onSQLite(t)
		rewrite(t, file, bad, change)
		_, err := backup.Verify(to, bad)
		assert.ErrorContains(t, err, want)
	}
}

// rewrite changes the manifest of a backup.
func rewrite(t *testing.T, from, to string, change func(*backup.Manifest)) {
	t.Helper()
	f, err := os.Create(to)
	require.NoError(t, err)
	defer f.Close()
	zipped := gzip.NewWriter(f)
	in, out := tar.NewReader(bytes.NewReader(unzip(t, from))), tar.NewWriter(zipped)
	for first := true; ; first = false {
		header, err := in.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		raw, err := io.ReadAll(in)
		require.NoError(t, err)
		if first {
			var m backup.Manifest
			require.NoError(t, json.Unmarshal(raw, &m))
			change(&m)
			raw, err = json.Marshal(m)
			require.NoError(t, err)
			header.Size = int64(len(raw))
		}
		require.NoError(t, out.WriteHeader(header))
		_, err = out.Write(raw)
		require.NoError(t, err)
	}
	require.NoError(t, out.Close())
	require.NoError(t, zipped.Close())
}
