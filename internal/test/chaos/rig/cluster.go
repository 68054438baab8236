package rig

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/signal"
	"syscall"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql"
	"go.temporal.io/server/common/primitives"
	temporalschema "go.temporal.io/server/schema"
	v12 "go.temporal.io/server/schema/postgresql/v12"
	"go.temporal.io/server/temporal"
	"google.golang.org/protobuf/types/known/durationpb"
)

const clusterShards = 4

// RunTemporal is Temporal as people run it: the real server on PostgreSQL, with its
// default settings (four shards of history, four partitions of each task queue). It runs
// until SIGTERM, in a process of its own, so that it can be killed. ports are those of
// frontend, history, matching and worker.
func RunTemporal(ports [4]int, postgres int) error {
	logger := log.NewZapLogger(log.BuildZapLogger(log.Config{Stdout: true, Level: "error"}))
	at := map[primitives.ServiceName]int{
		primitives.FrontendService: ports[0], primitives.HistoryService: ports[1],
		primitives.MatchingService: ports[2], primitives.WorkerService: ports[3],
	}
	c := clusterConfig(at, postgres)
	hosts := map[primitives.ServiceName]static.Hosts{}
	for service, port := range at {
		hosts[service] = static.SingleLocalHost(fmt.Sprintf("127.0.0.1:%d", port))
	}
	s, err := temporal.NewServer(
		temporal.WithConfig(c), temporal.ForServices(temporal.DefaultServices), temporal.WithStaticHosts(hosts),
		temporal.WithDynamicConfigClient(dynamicconfig.StaticClient{}), temporal.WithLogger(logger),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
	)
	if err != nil {
		return err
	}
	if err := s.Start(); err != nil {
		return err
	}
	if err := Patiently(func() error { return RegisterNamespace(ports[0]) }); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	<-ctx.Done()
	return s.Stop()
}

func clusterConfig(at map[primitives.ServiceName]int, postgres int) *config.Config {
	database := func(name string) config.DataStore {
		return config.DataStore{SQL: &config.SQL{
			PluginName: postgresql.PluginNamePGX, DatabaseName: name, User: "errand", Password: "none",
			ConnectAddr: fmt.Sprintf("127.0.0.1:%d", postgres), ConnectProtocol: "tcp",
			MaxConns: 20, MaxIdleConns: 20, MaxConnLifetime: time.Hour,
		}}
	}
	frontend := fmt.Sprintf("127.0.0.1:%d", at[primitives.FrontendService])
	c := &config.Config{
		Persistence: config.Persistence{
			DefaultStore: "default", VisibilityStore: "visibility", NumHistoryShards: clusterShards,
			DataStores: map[string]config.DataStore{"default": database("temporal"), "visibility": database("temporal_visibility")},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10, MasterClusterName: "active", CurrentClusterName: "active",
			ClusterInformation: map[string]cluster.ClusterInformation{"active": {Enabled: true, InitialFailoverVersion: 1, RPCAddress: frontend}},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Services:            map[string]config.Service{},
		PublicClient:        config.PublicClient{HostPort: frontend},
	}
	c.Global.Membership.MaxJoinDuration = 30 * time.Second
	c.Global.Membership.BroadcastAddress = "127.0.0.1"
	c.Archival.History.State, c.Archival.Visibility.State = "disabled", "disabled"
	c.NamespaceDefaults.Archival.History.State, c.NamespaceDefaults.Archival.Visibility.State = "disabled", "disabled"
	for service, port := range at {
		c.Services[string(service)] = config.Service{RPC: config.RPC{GRPCPort: port, BindOnIP: "127.0.0.1"}}
	}
	return c
}

// PrepareTemporal makes Temporal's two databases, in the version of the server
// that is compiled in.
func PrepareTemporal(ctx context.Context, p *Postgres) error {
	for _, d := range []struct{ name, folder, version string }{
		{"temporal", "temporal", v12.Version}, {"temporal_visibility", "visibility", v12.VisibilityVersion},
	} {
		if err := p.Exec(ctx, "postgres", "CREATE DATABASE "+d.name); err != nil {
			return err
		}
		tables, err := fs.ReadFile(temporalschema.Assets(), "postgresql/v12/"+d.folder+"/schema.sql")
		if err != nil {
			return err
		}
		// What the server reads at its start of the tables that Temporal's own tool keeps.
		version := `CREATE TABLE schema_version (version_partition INT NOT NULL, db_name VARCHAR(255) NOT NULL, creation_time TIMESTAMP,
			curr_version VARCHAR(64), min_compatible_version VARCHAR(64), PRIMARY KEY (version_partition, db_name));
			INSERT INTO schema_version VALUES (0, '` + d.name + `', now(), '` + d.version + `', '` + d.version + `')`
		if err := p.Exec(ctx, d.name, string(tables)+";"+version); err != nil {
			return fmt.Errorf("prepare Temporal's database %s: %w", d.name, err)
		}
	}
	return nil
}

// RegisterNamespace makes the namespace "default", unless it is there.
func RegisterNamespace(port int) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	c, err := client.NewNamespaceClient(client.Options{HostPort: fmt.Sprintf("127.0.0.1:%d", port)})
	if err != nil {
		return err
	}
	defer c.Close()
	err = c.Register(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: "default", WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
	})
	if there := (*serviceerror.NamespaceAlreadyExists)(nil); errors.As(err, &there) {
		return nil
	}
	return err
}

// Patiently tries for a minute.
func Patiently(try func() error) (err error) {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if err = try(); err == nil {
			return nil
		}
	}
	return err
}
