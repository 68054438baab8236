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

// A keyMapper gives all rights to a caller with the key. The server does not call it for the
// internal frontend, which checks certificates.
type keyMapper struct{ bearer []byte }

var _ authorization.ClaimMapper = keyMapper{}

func newKeyMapper(key string) keyMapper { return keyMapper{bearer: []byte("Bearer " + key)} }

// GetClaims returns no claims for a wrong key. It returns no error, because the server logs errors,
// and a stranger could fill the log with them.
func (m keyMapper) GetClaims(info *authorization.AuthInfo) (*authorization.Claims, error) {
	if !m.is(info.AuthToken) {
		return nil, nil
	}
	return &authorization.Claims{Subject: "owner", System: authorization.RoleAdmin}, nil
}

func (m keyMapper) is(header string) bool {
	return subtle.ConstantTimeCompare([]byte(header), m.bearer) == 1
}

// An adminsOnly authorizer refuses all calls, including health checks, except those of the owner
// and of the server itself.
type adminsOnly struct{}

var _ authorization.Authorizer = adminsOnly{}

func (adminsOnly) Authorize(_ context.Context, claims *authorization.Claims, _ *authorization.CallTarget) (authorization.Result, error) {
	if claims == nil || claims.System != authorization.RoleAdmin {
		return authorization.Result{Decision: authorization.DecisionDeny, Reason: `the owner's key is missing or wrong: eval "$(errand env)"`}, nil
	}
	return authorization.Result{Decision: authorization.DecisionAllow}, nil
}

// internodeName is not the name of a host.
const internodeName = "errand-temporal"

// internodeTLS authenticates the parts of the server to each other, with one certificate that is
// made at every start and kept in memory only.
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
		// The certificate must outlast the process, and a clock may be set back.
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

// ClientOptions returns the address and the credentials of the server.
func (s *Server) ClientOptions() client.Options { return s.options.clientOptions() }
