//go:build !nodevserver

package devserver

import (
	"database/sql"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"sync"

	"github.com/jmoiron/sqlx"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/metrics"
	persistence "go.temporal.io/server/common/persistence/sql"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	sqliteplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/resolver"
	"modernc.org/sqlite"

	"errand/internal/store/sqldb"
)

const pluginName = "sqlite-keeping-statements"

// A plugin is the server's SQLite plugin with connections that cache prepared statements. The
// server's plugin always opens the driver by name, so this one replaces the connection pool
// afterwards.
type plugin struct {
	mu     sync.Mutex
	warned bool // that the server's pool was not found
}

// The server finds plugins only in its registry.
func init() { persistence.RegisterPlugin(pluginName, new(plugin)) }

// GetVisibilityQueryConverter returns the converter of the server's plugin.
func (*plugin) GetVisibilityQueryConverter() sqlplugin.VisibilityQueryConverter {
	c, err := persistence.GetPluginVisibilityQueryConverter(sqliteplugin.PluginName)
	if err != nil {
		panic(err) // it is imported above
	}
	return c
}

// CreateDB calls the server's plugin and replaces the pool of the result.
func (p *plugin) CreateDB(kind sqlplugin.DbKind, cfg *config.SQL, r resolver.ServiceResolver, l log.Logger, m metrics.Handler) (sqlplugin.GenericDB, error) {
	theirs := *cfg
	theirs.PluginName = sqliteplugin.PluginName
	db, err := persistence.NewSQLDB(kind, &theirs, r, l, m)
	if err != nil {
		return nil, err
	}
	return db, p.keepStatements(db, cfg, l)
}

// keepStatements replaces the pool of db. All databases of one file share a pool, so only the first
// call replaces it, before the pool is used. If the pool is not found, the server keeps its own,
// which is slower but otherwise the same.
func (p *plugin) keepStatements(db sqlplugin.GenericDB, cfg *config.SQL, l log.Logger) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	pool := poolOf(db)
	if pool == nil && !p.warned {
		p.warned = true
		l.Warn("the connection pool of Temporal's SQLite plugin was not found: the server parses each statement again, which takes more CPU")
	}
	if pool == nil || sqldb.Kept(pool.Driver()) {
		return nil
	}
	connector, err := sqlite.NewConnector(dataSource(cfg))
	if err != nil {
		return err
	}
	opened := pool.DB
	pool.DB = sql.OpenDB(sqldb.Keep(connector, sqldb.StatementOptions{Short: true}))
	pool.DB.SetMaxOpenConns(cfg.MaxConns)
	pool.DB.SetMaxIdleConns(cfg.MaxIdleConns)
	return opened.Close()
}

// poolOf returns the connection pool that the server's plugin has opened for db. It reads an
// unexported field by name, and returns nil if there is no such field.
func poolOf(db sqlplugin.GenericDB) *sqlx.DB {
	v := reflect.ValueOf(db)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return nil
	}
	field := v.Elem().FieldByName("db")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*sqlx.DB]() {
		return nil
	}
	return (*sqlx.DB)(field.UnsafePointer())
}

func dataSource(cfg *config.SQL) string {
	q := url.Values{"_time_format": {"sqlite"}}
	for _, name := range slices.Sorted(maps.Keys(cfg.ConnectAttributes)) {
		if value := cfg.ConnectAttributes[name]; name == "mode" {
			q.Set(name, value)
		} else {
			q.Add("_pragma", name+"="+value)
		}
	}
	return "file:" + cfg.DatabaseName + "?" + q.Encode()
}
