package whatsapp

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"go.mau.fi/whatsmeow/proto/waWa6"
	"go.mau.fi/whatsmeow/socket"
	"go.mau.fi/whatsmeow/util/keys"
	"golang.org/x/crypto/curve25519"
	"google.golang.org/protobuf/proto"
)

// noise is the state of a handshake, Noise_XX_25519_AESGCM_SHA256
// (https://noiseprotocol.org/noise.html), on the side that answers. whatsmeow
// has the other side only.
type noise struct {
	hash, salt []byte
	key        half
}

// half is one direction: a key, and how often it was used.
type half struct {
	aead cipher.AEAD
	n    uint32
}

func newHalf(key []byte) (half, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return half{}, err
	}
	aead, err := cipher.NewGCM(block)
	return half{aead: aead}, err
}

func (h *half) nonce() []byte {
	iv := make([]byte, 12)
	binary.BigEndian.PutUint32(iv[8:], h.n)
	h.n++
	return iv
}

func (h *half) seal(plain, with []byte) []byte { return h.aead.Seal(nil, h.nonce(), plain, with) }

func (h *half) open(sealed, with []byte) ([]byte, error) {
	return h.aead.Open(nil, h.nonce(), sealed, with)
}

func (n *noise) take(data []byte) {
	sum := sha256.Sum256(append(n.hash, data...))
	n.hash = sum[:]
}

func (n *noise) seal(plain []byte) []byte {
	sealed := n.key.seal(plain, n.hash)
	n.take(sealed)
	return sealed
}

func (n *noise) open(sealed []byte) ([]byte, error) {
	plain, err := n.key.open(sealed, n.hash)
	if err == nil {
		n.take(sealed)
	}
	return plain, err
}

func (n *noise) expand(secret []byte) (first, second []byte, err error) {
	out, err := hkdf.Key(sha256.New, secret, n.salt, "", 64)
	if err != nil {
		return nil, nil, err
	}
	return out[:32], out[32:], nil
}

func (n *noise) mix(priv *[32]byte, pub []byte) error {
	secret, err := curve25519.X25519(priv[:], pub)
	if err != nil {
		return err
	}
	salt, key, err := n.expand(secret)
	if err != nil {
		return err
	}
	n.salt = salt
	n.key, err = newHalf(key)
	return err
}

type hello struct {
	key         [32]byte // of its device
	payload     *waWa6.ClientPayload
	read, write half
}

// shake carries the handshake out. It does no more than authenticate the key of
// the client's device: what that key may do is the login's business.
func shake(rw io.ReadWriter, cert *certificate) (*hello, error) {
	header := make([]byte, len(socket.WAConnHeader))
	if _, err := io.ReadFull(rw, header); err != nil {
		return nil, err
	}
	if string(header) != string(socket.WAConnHeader) {
		return nil, fmt.Errorf("a connection began with %q", header)
	}
	n := &noise{hash: []byte(socket.NoiseStartPattern), salt: []byte(socket.NoiseStartPattern)}
	n.take(header)
	var msg waWa6.HandshakeMessage
	if err := readProto(rw, &msg); err != nil {
		return nil, err
	}
	theirs := msg.GetClientHello().GetEphemeral()
	if len(theirs) != 32 {
		return nil, errors.New("a client hello without a key")
	}
	n.take(theirs)
	ours := keys.NewKeyPair()
	n.take(ours.Pub[:])
	if err := n.mix(ours.Priv, theirs); err != nil {
		return nil, err
	}
	static := n.seal(cert.key.Pub[:])
	if err := n.mix(cert.key.Priv, theirs); err != nil {
		return nil, err
	}
	answer, err := proto.Marshal(&waWa6.HandshakeMessage{ServerHello: &waWa6.HandshakeMessage_ServerHello{
		Ephemeral: ours.Pub[:], Static: static, Payload: n.seal(cert.chain)}})
	if err != nil {
		return nil, err
	}
	if err := writeFrame(rw, answer); err != nil {
		return nil, err
	}
	return n.finish(rw, ours)
}

func (n *noise) finish(rw io.ReadWriter, ours *keys.KeyPair) (*hello, error) {
	var msg waWa6.HandshakeMessage
	if err := readProto(rw, &msg); err != nil {
		return nil, err
	}
	key, err := n.open(msg.GetClientFinish().GetStatic())
	if err != nil || len(key) != 32 {
		return nil, fmt.Errorf("the key of a client does not open: %w", err)
	}
	if err := n.mix(ours.Priv, key); err != nil {
		return nil, err
	}
	plain, err := n.open(msg.GetClientFinish().GetPayload())
	if err != nil {
		return nil, fmt.Errorf("the payload of a client does not open: %w", err)
	}
	h := &hello{key: [32]byte(key), payload: &waWa6.ClientPayload{}}
	if err := proto.Unmarshal(plain, h.payload); err != nil {
		return nil, err
	}
	read, write, err := n.expand(nil)
	if err != nil {
		return nil, err
	}
	if h.read, err = newHalf(read); err != nil {
		return nil, err
	}
	h.write, err = newHalf(write)
	return h, err
}

func readProto(r io.Reader, to proto.Message) error {
	frame, err := readFrame(r)
	if err != nil {
		return err
	}
	return proto.Unmarshal(frame, to)
}

// readFrame reads three bytes of length and what they announce.
func readFrame(r io.Reader) ([]byte, error) {
	var size [socket.FrameLengthSize]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	frame := make([]byte, int(size[0])<<16|int(size[1])<<8|int(size[2]))
	_, err := io.ReadFull(r, frame)
	return frame, err
}

func writeFrame(w io.Writer, frame []byte) error {
	n := len(frame)
	_, err := w.Write(append([]byte{byte(n >> 16), byte(n >> 8), byte(n)}, frame...))
	return err
}
