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

	"errand/internal/prepared"
)

const pluginName = "sqlite-keeping-statements"

// maxStatements is how many prepared statements its connection keeps. The server has
// about a hundred; its lists have as many as people think of.
const maxStatements = 256

// plugin is the server's own for SQLite, on connections that keep their statements.
// That one insists on the driver it knows by name, so its pool of connections is
// replaced once it has made it.
type plugin struct {
	mu     sync.Mutex
	warned bool // that it keeps no statements
}

// The server knows plugins by their registration alone.
func init() { persistence.RegisterPlugin(pluginName, new(plugin)) }

// GetVisibilityQueryConverter returns that of the server's plugin.
func (*plugin) GetVisibilityQueryConverter() sqlplugin.VisibilityQueryConverter {
	c, err := persistence.GetPluginVisibilityQueryConverter(sqliteplugin.PluginName)
	if err != nil {
		panic(err) // it is imported above
	}
	return c
}

// CreateDB makes what the server's plugin makes. All that it makes for one file has
// one pool, so that is replaced at the first call, before anybody uses it. Where it is
// not found, the server goes on with its own, which is slower and otherwise the same.
func (p *plugin) CreateDB(kind sqlplugin.DbKind, cfg *config.SQL, r resolver.ServiceResolver, l log.Logger, m metrics.Handler) (sqlplugin.GenericDB, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	theirs := *cfg
	theirs.PluginName = sqliteplugin.PluginName
	db, err := persistence.NewSQLDB(kind, &theirs, r, l, m)
	if err != nil {
		return nil, err
	}
	pool := poolOf(db)
	if pool == nil {
		if !p.warned {
			p.warned = true
			l.Warn("this Temporal server keeps its connections to SQLite in another way: it parses each statement anew")
		}
		return db, nil
	}
	if prepared.Kept(pool.Driver()) {
		return db, nil
	}
	return db, keepStatements(pool, cfg)
}

// poolOf is the pool that the server's plugin has opened for db; nil if it is nowhere
// to be found. The plugin does not show it: its field is read by name.
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

func keepStatements(pool *sqlx.DB, cfg *config.SQL) error {
	connector, err := sqlite.NewConnector(dataSource(cfg))
	if err != nil {
		return err
	}
	opened := pool.DB
	pool.DB = sql.OpenDB(prepared.Keep(connector, prepared.Options{Most: maxStatements, Short: true}))
	pool.DB.SetMaxOpenConns(cfg.MaxConns)
	pool.DB.SetMaxIdleConns(cfg.MaxIdleConns)
	return opened.Close()
}

// dataSource names the file and its settings as the server's plugin does.
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
