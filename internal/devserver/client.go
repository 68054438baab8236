package devserver

import "go.temporal.io/sdk/client"

// clientOptions say where the server is and show it the key. The way there is
// this machine's loopback, so the key goes without TLS.
func (o Options) clientOptions() client.Options {
	return client.Options{
		HostPort: o.address(), Namespace: o.Namespace,
		Credentials: client.NewAPIKeyStaticCredentials(o.Key),
		ConnectionOptions: client.ConnectionOptions{
			TLSDisabled: true, GrpcCompression: &client.GrpcCompressionNone{}, // nothing leaves the machine
		},
	}
}

// ClientEnv returns the environment variables by which the command temporal, and
// every program that reads Temporal's environment configuration, reaches an
// embedded server and is let in.
func ClientEnv(address, namespace, key string) []string {
	return []string{
		"TEMPORAL_ADDRESS=" + address,
		"TEMPORAL_NAMESPACE=" + namespace,
		"TEMPORAL_API_KEY=" + key,
		"TEMPORAL_TLS=false", // a key turns TLS on otherwise
	}
}
