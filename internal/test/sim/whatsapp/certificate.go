package whatsapp

import (
	"crypto/sha256"
	"sync"
	"time"

	"go.mau.fi/libsignal/ecc"
	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waCert"
	"go.mau.fi/whatsmeow/util/keys"
	"google.golang.org/protobuf/proto"
)

// root signs the certificates of all servers of this package, in every process:
// [whatsapp.Redirect] has its other half.
var root = sync.OnceValue(func() *keys.KeyPair {
	priv := sha256.Sum256([]byte("the root key of local WhatsApp servers; it protects nothing"))
	priv[0] &= 248
	priv[31] = priv[31]&127 | 64
	return keys.NewKeyPairFromPrivateKey(priv)
})

// A certificate is what a server shows in the handshake.
type certificate struct {
	key   *keys.KeyPair
	chain []byte
}

func issue() (*certificate, error) {
	between, leaf := keys.NewKeyPair(), keys.NewKeyPair()
	sign := func(by, key *keys.KeyPair, serial, issuer uint32) (*waCert.CertChain_NoiseCertificate, error) {
		details, err := proto.Marshal(&waCert.CertChain_NoiseCertificate_Details{Serial: &serial, IssuerSerial: &issuer, Key: key.Pub[:],
			NotBefore: proto.Uint64(uint64(time.Now().Add(-time.Hour).Unix())), NotAfter: proto.Uint64(uint64(time.Now().AddDate(1, 0, 0).Unix()))})
		return &waCert.CertChain_NoiseCertificate{Details: details, Signature: signature(by, details)}, err
	}
	middle, err := sign(root(), between, 1, whatsmeow.WACertIssuerSerial)
	if err != nil {
		return nil, err
	}
	last, err := sign(between, leaf, 2, 1)
	if err != nil {
		return nil, err
	}
	chain, err := proto.Marshal(&waCert.CertChain{Leaf: last, Intermediate: middle})
	return &certificate{leaf, chain}, err
}

func signature(by *keys.KeyPair, what []byte) []byte {
	sig := ecc.CalculateSignature(ecc.NewDjbECPrivateKey(*by.Priv), what)
	return sig[:]
}
