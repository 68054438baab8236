//go:build !nodevserver

package devserver

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/rpc/encryption"
)

// A keyMapper says who a caller of the frontend is: whoever shows the key may do
// everything, and nobody else anything. It is not asked about callers of the
// internal frontend, whose certificate has been checked.
type keyMapper struct{ bearer []byte }

var _ authorization.ClaimMapper = keyMapper{}

func newKeyMapper(key string) keyMapper { return keyMapper{bearer: []byte("Bearer " + key)} }

// GetClaims returns no claims, rather than an error, for a wrong key: the server
// logs errors, and a stranger could fill the log with them.
func (m keyMapper) GetClaims(info *authorization.AuthInfo) (*authorization.Claims, error) {
	if !m.is(info.AuthToken) {
		return nil, nil
	}
	return &authorization.Claims{Subject: "owner", System: authorization.RoleAdmin}, nil
}

// is reports whether an Authorization header shows the key.
func (m keyMapper) is(header string) bool {
	return subtle.ConstantTimeCompare([]byte(header), m.bearer) == 1
}

// An adminsOnly authorizer refuses everything, health checks too, to everybody
// but the owner and the server itself.
type adminsOnly struct{}

var _ authorization.Authorizer = adminsOnly{}

func (adminsOnly) Authorize(_ context.Context, claims *authorization.Claims, _ *authorization.CallTarget) (authorization.Result, error) {
	if claims == nil || claims.System != authorization.RoleAdmin {
		return authorization.Result{Decision: authorization.DecisionDeny, Reason: `the owner's key is missing or wrong: eval "$(errand env)"`}, nil
	}
	return authorization.Result{Decision: authorization.DecisionAllow}, nil
}

// internodeName is the name in the certificate. It is no host's.
const internodeName = "errand-temporal"

// internodeTLS is what the parts of the server know each other by: one
// certificate, made at every start and kept in memory only. A part serves, and
// calls, nobody who does not have it.
func internodeTLS() (encryption.TLSConfigProvider, error) {
	cert, pool, err := internodeCertificate()
	if err != nil {
		return nil, fmt.Errorf("make the certificate of the server's parts: %w", err)
	}
	return &encryption.FixedTLSConfigProvider{
		InternodeServerConfig: &tls.Config{
			MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert},
			ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool,
		},
		InternodeClientConfig: &tls.Config{
			MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert},
			RootCAs: pool, ServerName: internodeName,
		},
	}, nil
}

func internodeCertificate() (tls.Certificate, *x509.CertPool, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: internodeName}, DNSNames: []string{internodeName},
		// It ends with the process, which must not end with it; a clock may be set back.
		NotBefore: now.AddDate(-10, 0, 0), NotAfter: now.AddDate(100, 0, 0),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IsCA:        true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private, Leaf: leaf}, pool, nil
}

// ClientOptions are what a client needs to reach the server and to be let in.
func (s *Server) ClientOptions() client.Options { return s.options.clientOptions() }
