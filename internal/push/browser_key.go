package push

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// A Key identifies the sender to push services. Browsers get its public half when they subscribe,
// and push services reject messages that another key has signed (RFC 8292).
type Key struct{ private *ecdsa.PrivateKey }

// NewKey generates a key.
func NewKey() (Key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Key{}, fmt.Errorf("draw a key for web push: %w", err)
	}
	return Key{private}, nil
}

// Private returns the private key in its stored form.
func (k Key) Private() string {
	raw, err := k.private.Bytes()
	if err != nil {
		return "" // only for another curve
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// ParseKey parses the result of Private.
func ParseKey(kept string) (Key, error) {
	raw, err := base64.RawURLEncoding.DecodeString(kept)
	if err != nil {
		return Key{}, errors.New("the key for web push is not base64")
	}
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), raw)
	if err != nil {
		return Key{}, fmt.Errorf("the key for web push: %w", err)
	}
	return Key{private}, nil
}

// Public returns the public key for browsers: an uncompressed point, in base64url.
func (k Key) Public() string {
	raw, err := k.private.PublicKey.Bytes()
	if err != nil {
		return "" // only for another curve
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// proofValid is less than the 24 hours that RFC 8292 allows.
const proofValid = time.Hour

// proof returns the Authorization header: a JWT (ES256) for the push service and the public key.
func (k Key) proof(endpoint *url.URL, contact string, at time.Time) (string, error) {
	claims, err := json.Marshal(struct {
		Audience string `json:"aud"`
		Expires  int64  `json:"exp"`
		Subject  string `json:"sub,omitempty"`
	}{endpoint.Scheme + "://" + endpoint.Host, at.Add(proofValid).Unix(), contact})
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + encode(claims)
	digest := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, k.private, digest[:])
	if err != nil {
		return "", err
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return "vapid t=" + signed + "." + encode(signature) + ", k=" + k.Public(), nil
}
