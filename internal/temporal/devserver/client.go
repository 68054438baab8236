package devserver

import "go.temporal.io/sdk/client"

// clientOptions use no TLS, because the connection is over loopback.
func (o Options) clientOptions() client.Options {
	return client.Options{
		HostPort: o.address(), Namespace: o.Namespace,
		Credentials: client.NewAPIKeyStaticCredentials(o.Key),
		ConnectionOptions: client.ConnectionOptions{
			TLSDisabled: true, GrpcCompression: &client.GrpcCompressionNone{}, // nothing leaves the machine
		},
	}
}

// ClientEnv returns the environment variables with which the command temporal, and every program
// that reads Temporal's environment configuration, reaches an embedded server.
func ClientEnv(address, namespace, key string) []string {
	return []string{
		"TEMPORAL_ADDRESS=" + address,
		"TEMPORAL_NAMESPACE=" + namespace,
		"TEMPORAL_API_KEY=" + key,
		"TEMPORAL_TLS=false", // with a key, TLS would be on by default
	}
}
