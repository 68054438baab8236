//go:build !nodevserver

package devserver

import (
	"database/sql"
	"path/filepath"
	"testing"

	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/log/tag"
	"go.temporal.io/server/common/metrics"
	persistence "go.temporal.io/server/common/persistence/sql"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	"go.temporal.io/server/common/resolver"

	"errand/internal/store/sqldb"
)

// TestServerKeepsStatements proves that the server's connection to its file keeps
// statements, with the settings that it is configured with: this reaches into the server's
// plugin, and a newer one may look different.
func TestServerKeepsStatements(t *testing.T) {
	o, err := Options{Dir: t.TempDir()}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	if err := openOrCreate(t.Context(), filepath.Join(o.Dir, databaseName)); err != nil {
		t.Fatal(err)
	}
	var pools []*sql.DB
	for _, kind := range []sqlplugin.DbKind{sqlplugin.DbKindMain, sqlplugin.DbKindVisibility} {
		db, err := persistence.NewSQLDB(kind, sqlConfig(o), resolver.NewNoopResolver(), log.NewNoopLogger(), metrics.NoopMetricsHandler)
		if err != nil {
			t.Fatal(err)
		}
		if db.PluginName() != "sqlite" {
			t.Errorf("the server takes it for %q", db.PluginName())
		}
		pool := poolOf(db)
		if pool == nil {
			t.Fatal("the server's pool is not found: see plugin.go")
		}
		pools = append(pools, pool.DB)
	}
	if pools[0] != pools[1] {
		t.Error("there are two pools for one file")
	}
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "1", "busy_timeout": "5000", "temp_store": "2", "cache_size": "-8000",
		"page_size": "1024", "wal_autocheckpoint": "16000",
	} {
		var got string
		if err := pools[0].QueryRow(`PRAGMA ` + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q, want %q; %v", pragma, got, want, err)
		}
	}
	if got := pools[0].Stats().MaxOpenConnections; got != 1 {
		t.Errorf("%d connections, want 1", got)
	}
	if !sqldb.Kept(pools[0].Driver()) {
		t.Errorf("its driver is a %T", pools[0].Driver())
	}
}

// TestServerWithoutThatField proves that the server's plugin is used as it is, with one warning, if the
// field with its pool has another name or type.
func TestServerWithoutThatField(t *testing.T) {
	p, warnings := new(plugin), new(warnings)
	for _, db := range []sqlplugin.GenericDB{
		struct{ sqlplugin.GenericDB }{},
		&struct{ sqlplugin.GenericDB }{},
		&struct {
			sqlplugin.GenericDB
			db *sql.DB
		}{},
	} {
		if err := p.keepStatements(db, &config.SQL{}, warnings); err != nil {
			t.Errorf("%T: %v", db, err)
		}
	}
	if warnings.n != 1 {
		t.Errorf("%d warnings, want 1", warnings.n)
	}
}

type warnings struct {
	log.Logger
	n int
}

func (w *warnings) Warn(string, ...tag.Tag) { w.n++ }
