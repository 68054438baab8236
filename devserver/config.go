//go:build !nodevserver

package devserver

import (
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/membership/static"
	sqliteplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
)

const (
	// clusterName and clusterID are stored in the database: a server that comes
	// with others would argue with it.
	clusterName = "active"
	clusterID   = "8d3d94a1-57a6-4a5c-9d0a-6a1f0e7c5b21" // any UUID
)

// services are the parts of the server, all in this process, which find each
// other by address.
var services = []primitives.ServiceName{
	primitives.FrontendService,
	primitives.HistoryService,
	primitives.MatchingService,
	primitives.WorkerService, // schedules and the Web UI's batch operations
}

// servicePorts returns the port of every service: the frontend's own, and free
// ones for those that only the server itself talks to.
func servicePorts(o Options) (map[primitives.ServiceName]int, error) {
	free, err := freePorts(o.Host, len(services)-1)
	if err != nil {
		return nil, err
	}
	ports := map[primitives.ServiceName]int{services[0]: o.Port}
	for i, s := range services[1:] {
		ports[s] = free[i]
	}
	return ports, nil
}

func staticHosts(o Options, ports map[primitives.ServiceName]int) map[primitives.ServiceName]static.Hosts {
	hosts := make(map[primitives.ServiceName]static.Hosts, len(ports))
	for s, port := range ports {
		hosts[s] = static.SingleLocalHost(net.JoinHostPort(o.Host, strconv.Itoa(port)))
	}
	return hosts
}

// serverConfig is the server's static configuration: no metrics, no profiler, no
// HTTP port, no archival, no gossip between hosts.
func serverConfig(o Options, ports map[primitives.ServiceName]int) *config.Config {
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
		Services:            make(map[string]config.Service, len(ports)),
		PublicClient:        config.PublicClient{HostPort: o.address()},
	}
	c.Global.Membership.MaxJoinDuration = 30 * time.Second
	c.Global.Membership.BroadcastAddress = o.Host
	c.Archival.History.State = "disabled"
	c.Archival.Visibility.State = "disabled"
	c.NamespaceDefaults.Archival.History.State = "disabled"
	c.NamespaceDefaults.Archival.Visibility.State = "disabled"
	for s, port := range ports {
		c.Services[string(s)] = config.Service{RPC: config.RPC{GRPCPort: port, BindOnIP: o.Host}}
	}
	return c
}

// sqlConfig opens the file in WAL mode on one connection: a second one gets
// "database is locked" whenever a read turns into a write.
func sqlConfig(o Options) *config.SQL {
	return &config.SQL{
		PluginName:   sqliteplugin.PluginName,
		DatabaseName: escapePath(filepath.Join(o.Dir, databaseName)),
		MaxConns:     1,
		MaxIdleConns: 1,
		ConnectAttributes: map[string]string{
			"mode":               "rw", // made by openOrCreate
			"busy_timeout":       "5000",
			"journal_mode":       "wal",
			"synchronous":        strings.ToUpper(string(o.Durability)),
			"cache_size":         "-16000",   // 16 MB
			"journal_size_limit": "67108864", // a burst does not leave a big -wal behind
			"temp_store":         "memory",
		},
	}
}
