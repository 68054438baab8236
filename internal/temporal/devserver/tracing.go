//go:build !nodevserver

package devserver

import (
	"os"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.temporal.io/server/common/headers"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/common/telemetry"
	"go.temporal.io/server/temporal"
	"go.uber.org/fx"
)

// The server's own description of a service asks for the name of the process's user. It fails if
// the user is not in /etc/passwd, as in containers that run with any user id.
func init() {
	temporal.ServiceTracingModule = fx.Options(temporal.ServiceTracingModule, fx.Decorate(describeService))
}

// describeService returns what traces say about a service of the server.
func describeService(name primitives.ServiceName) *resource.Resource {
	return resource.NewSchemaless(
		attribute.String("service.name", telemetry.ResourceServiceName(name, os.LookupEnv)),
		attribute.String("service.version", headers.ServerVersion),
	)
}
