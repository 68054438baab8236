package push

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// A Subscription has the fields of a browser's PushSubscription.
type Subscription struct {
	Endpoint string
	P256DH   string // the browser's public key: an uncompressed point of P-256, in base64url
	Auth     string // 16 random bytes, in base64url
}

// Sizes from RFC 8291 and its content encoding, RFC 8188.
const (
	pointBytes  = 65
	authBytes   = 16
	saltBytes   = 16
	recordBytes = 4096 // the size that every push service must accept, including the header
	headerBytes = saltBytes + 4 + 1 + pointBytes
	tagBytes    = 16
	// MaxBody is the maximum size of a message.
	MaxBody = recordBytes - headerBytes - tagBytes - 1
)

// padding hides the length of a message.
const padding = 1024

// Encrypt encrypts a message that only the browser of s can decrypt.
func (s Subscription) Encrypt(message []byte) ([]byte, error) {
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	salt := make([]byte, saltBytes)
	rand.Read(salt)
	fill := min((len(message)/padding+1)*padding, MaxBody) - len(message)
	return s.seal(message, fill, key, salt)
}

func (s Subscription) keys() (public *ecdh.PublicKey, auth []byte, err error) {
	point, err := decode(s.P256DH, pointBytes)
	if err != nil {
		return nil, nil, fmt.Errorf("p256dh %w", err)
	}
	if public, err = ecdh.P256().NewPublicKey(point); err != nil {
		return nil, nil, errors.New("p256dh is no point of P-256")
	}
	if auth, err = decode(s.Auth, authBytes); err != nil {
		return nil, nil, fmt.Errorf("auth %w", err)
	}
	return public, auth, nil
}

func decode(text string, size int) ([]byte, error) {
	if len(text) > 2*size {
		return nil, fmt.Errorf("is not %d bytes", size)
	}
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	switch {
	case err != nil:
		return nil, errors.New("is not base64url")
	case len(raw) != size:
		return nil, fmt.Errorf("is %d bytes, not %d", len(raw), size)
	}
	return raw, nil
}

func (s Subscription) seal(message []byte, fill int, key *ecdh.PrivateKey, salt []byte) ([]byte, error) {
	if len(message)+max(fill, 0) > MaxBody {
		return nil, fmt.Errorf("a message of %d bytes is longer than %d", len(message), MaxBody)
	}
	public, auth, err := s.keys()
	if err != nil {
		return nil, err
	}
	shared, err := key.ECDH(public)
	if err != nil {
		return nil, err
	}
	ours := key.PublicKey().Bytes()
	info := "WebPush: info\x00" + string(public.Bytes()) + string(ours)
	input, err := hkdf.Key(sha256.New, shared, auth, info, 32)
	if err != nil {
		return nil, err
	}
	secret, err := hkdf.Key(sha256.New, input, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, input, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	out := bytes.Clone(salt)
	out = binary.BigEndian.AppendUint32(out, recordBytes)
	out = append(out, byte(len(ours)))
	out = append(out, ours...)
	// The delimiter 2 marks the only record as the last one.
	plain := append(append(bytes.Clone(message), 2), make([]byte, max(fill, 0))...)
	return gcm.Seal(out, nonce, plain, nil), nil
}
