//go:build !nodevserver

package devserver

import (
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/primitives"
)

const (
	// clusterName and clusterID are stored in the database and must not change.
	clusterName = "active"
	clusterID   = "8d3d94a1-57a6-4a5c-9d0a-6a1f0e7c5b21" // any UUID
)

var services = []primitives.ServiceName{
	primitives.FrontendService,
	primitives.InternalFrontendService, // for the server's own workers, which have no key
	primitives.HistoryService,
	primitives.MatchingService,
	primitives.WorkerService, // schedules and the Web UI's batch operations
}

type endpoint struct {
	ip   string
	port int
}

func (e endpoint) String() string { return net.JoinHostPort(e.ip, strconv.Itoa(e.port)) }

func endpoints(o Options) (map[primitives.ServiceName]endpoint, error) {
	ip := innerIP(o)
	free, err := FreePorts(ip, len(services)-1)
	if err != nil {
		return nil, err
	}
	at := map[primitives.ServiceName]endpoint{services[0]: {o.Host, o.Port}}
	for i, s := range services[1:] {
		at[s] = endpoint{ip, free[i]}
	}
	return at, nil
}

// innerIP returns an address whose free ports most likely stay free: they are found first and
// opened later by the server, and another errand could take them in between. On Linux it picks a
// random address of 127.0.0.0/8.
func innerIP(o Options) string {
	if runtime.GOOS != "linux" {
		return o.Host
	}
	return fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254))
}

func staticHosts(at map[primitives.ServiceName]endpoint) map[primitives.ServiceName]static.Hosts {
	hosts := make(map[primitives.ServiceName]static.Hosts, len(at))
	for s, e := range at {
		hosts[s] = static.SingleLocalHost(e.String())
	}
	return hosts
}

// serverConfig turns off metrics, profiler, HTTP port, archival and gossip between hosts.
func serverConfig(o Options, at map[primitives.ServiceName]endpoint) *config.Config {
	const store = "file"
	c := &config.Config{
		Persistence: config.Persistence{
			DefaultStore:     store,
			VisibilityStore:  store,
			NumHistoryShards: 1, // there is one connection to the file anyway
			DataStores:       map[string]config.DataStore{store: {SQL: sqlConfig(o)}},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10,
			MasterClusterName:        clusterName,
			CurrentClusterName:       clusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{
				clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: o.address(), ClusterID: clusterID},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Services:            make(map[string]config.Service, len(at)),
	}
	c.Global.Membership.MaxJoinDuration = 30 * time.Second
	c.Global.Membership.BroadcastAddress = o.Host
	c.Archival.History.State = "disabled"
	c.Archival.Visibility.State = "disabled"
	c.NamespaceDefaults.Archival.History.State = "disabled"
	c.NamespaceDefaults.Archival.Visibility.State = "disabled"
	for s, e := range at {
		c.Services[string(s)] = config.Service{RPC: config.RPC{GRPCPort: e.port, BindOnIP: e.ip}}
	}
	return c
}

// sqlConfig uses one connection in WAL mode. A second one would get "database is locked" whenever a
// read turns into a write.
func sqlConfig(o Options) *config.SQL {
	return &config.SQL{
		PluginName:   pluginName,
		DatabaseName: escapePath(filepath.Join(o.Dir, databaseName)),
		MaxConns:     1,
		MaxIdleConns: 1,
		ConnectAttributes: map[string]string{
			"mode":               "rw", // openOrCreate has created it
			"busy_timeout":       "5000",
			"journal_mode":       "wal",
			"synchronous":        strings.ToUpper(string(o.Durability)),
			"cache_size":         "-8000",    // 8 MB; the system caches the rest of the file
			"journal_size_limit": "67108864", // shrink a big -wal after a burst
			// In pages, so 16 MB. Most pages change again and again, and SQLite copies them once.
			"wal_autocheckpoint": "16000",
			"temp_store":         "memory",
			// Overwrite deleted data if that writes no extra page.
			"secure_delete": "fast",
		},
	}
}
