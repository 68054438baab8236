package push

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// checkProof reads the header Authorization as RFC 8292 has it, and says who can be written to.
func checkProof(header, key, audience string, now time.Time) (contact string, err error) {
	params, ok := strings.CutPrefix(header, "vapid ")
	if !ok {
		return "", fmt.Errorf("the header Authorization is %.20q", header)
	}
	values := map[string]string{}
	for part := range strings.SplitSeq(params, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		values[name] = value
	}
	if values["k"] != key {
		return "", errors.New("the key is not the one of the subscription")
	}
	parts := strings.Split(values["t"], ".")
	if len(parts) != 3 {
		return "", errors.New("t is no JWT")
	}
	var head struct{ Alg string }
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	for i, to := range []any{&head, &claims} {
		raw, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil {
			return "", err
		}
		if err := json.Unmarshal(raw, to); err != nil {
			return "", err
		}
	}
	point, err := base64.RawURLEncoding.DecodeString(key)
	if err != nil {
		return "", err
	}
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		return "", err
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || len(signature) != 64 {
		return "", errors.New("the signature is not 64 bytes")
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	expires := time.Unix(claims.Exp, 0)
	switch {
	case head.Alg != "ES256":
		return "", fmt.Errorf("alg is %q", head.Alg)
	case !ecdsa.Verify(public, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])):
		return "", errors.New("the signature is wrong")
	case claims.Aud != audience:
		return "", fmt.Errorf("aud is %q, not %q", claims.Aud, audience)
	case !expires.After(now) || expires.After(now.Add(24*time.Hour)):
		return "", fmt.Errorf("exp is %s", expires)
	case !strings.HasPrefix(claims.Sub, "mailto:") && !strings.HasPrefix(claims.Sub, "https://"):
		return "", fmt.Errorf("sub is %q", claims.Sub) // Apple's service refuses that
	}
	return claims.Sub, nil
}
