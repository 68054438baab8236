package whatsapp

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/pbkdf2"
	"crypto/sha256"
	"errors"
	"strings"

	"go.mau.fi/util/random"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/util/keys"
	"golang.org/x/crypto/curve25519"
)

// A linkCode is what a client and a phone agree on when the person types a code
// instead of scanning a text.
type linkCode struct {
	number  string // of the phone it is meant for
	ref     string
	wrapped []byte // the client's key of the moment, under the code
	theirs  []byte // the same, once the code is known
	ours    *keys.KeyPair
	account *Account
}

// linkCode carries out the client's half of it.
func (s *Server) linkCode(c *conn, n *node) {
	reg := n.GetChildByTag("link_code_companion_reg")
	switch text(&reg, "stage") {
	case "companion_hello":
		jid := address(&reg, "jid")
		if s.person(jid) == nil {
			c.error(n, 404, "item-not-found")
			return
		}
		c.link.code = &linkCode{number: jid.User, ref: "code" + s.stanza(), wrapped: bytesOf(reg.GetChildByTag("link_code_pairing_wrapped_companion_ephemeral_pub"))}
		c.result(n, node{Tag: "link_code_companion_reg", Attrs: attrs{"stage": "companion_hello"},
			Content: []node{{Tag: "link_code_pairing_ref", Content: []byte(c.link.code.ref)}}})
	case "companion_finish":
		c.result(n)
		code := c.link.code
		if code == nil || code.account == nil {
			return
		}
		secret, err := code.secret(bytesOf(reg.GetChildByTag("link_code_pairing_wrapped_key_bundle")))
		if err == nil {
			err = code.account.adopt(c.link, secret)
		}
		if err != nil {
			code.account = nil
			c.link.finish(errors.Join(errors.New("the code is wrong"), err))
		}
	}
}

// EnterCode is the person typing the code that a client shows, as
// [whatsmeow.Client.PairPhone] returns it. The client is linked when EnterCode
// returns without an error, and connects again by itself.
func (a *Account) EnterCode(ctx context.Context, code string) error {
	code = strings.ReplaceAll(code, "-", "")
	a.s.mu.Lock()
	var l *link
	for c := range a.s.conns {
		if c.link != nil && c.link.code != nil && c.link.code.number == a.Number && len(c.link.code.wrapped) == 80 {
			l = c.link
		}
	}
	if l == nil {
		a.s.mu.Unlock()
		return errors.New("no client waits for a code")
	}
	lc := l.code
	lc.account, lc.ours = a, keys.NewKeyPair()
	wrapped := random.Bytes(80)
	var err error
	if lc.theirs, err = under(code, lc.wrapped[:48], lc.wrapped[48:]); err == nil {
		var ours []byte
		ours, err = under(code, wrapped[:48], lc.ours.Pub[:])
		copy(wrapped[48:], ours)
	}
	if err != nil {
		a.s.mu.Unlock()
		return err
	}
	l.conn.send(node{Tag: "notification", Attrs: attrs{"type": "link_code_companion_reg", "from": types.ServerJID, "id": a.s.stanza()},
		Content: []node{{Tag: "link_code_companion_reg", Attrs: attrs{"stage": "primary_hello"}, Content: []node{
			{Tag: "link_code_pairing_wrapped_primary_ephemeral_pub", Content: wrapped},
			{Tag: "primary_identity_pub", Content: a.identity.Pub[:]}, {Tag: "link_code_pairing_ref", Content: []byte(lc.ref)}}}}})
	a.s.mu.Unlock()
	return a.adopted(ctx, l)
}

// under encrypts or decrypts a key with a code; both are the same.
func under(code string, salt, key []byte) ([]byte, error) {
	secret, err := pbkdf2.Key(sha256.New, code, salt[:32], 2<<16, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, err
	}
	out := make([]byte, len(key))
	cipher.NewCTR(block, salt[32:48]).XORKeyStream(out, key)
	return out, nil
}

func (lc *linkCode) secret(bundle []byte) ([]byte, error) {
	if len(bundle) < 44 {
		return nil, errors.New("the key bundle is too short")
	}
	shared, err := curve25519.X25519(lc.ours.Priv[:], lc.theirs)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, shared, bundle[:32], "link_code_pairing_key_bundle_encryption_key", 32)
	if err != nil {
		return nil, err
	}
	h, err := newHalf(key)
	if err != nil {
		return nil, err
	}
	plain, err := h.aead.Open(nil, bundle[32:44], bundle[44:], nil)
	if err != nil || len(plain) != 96 {
		return nil, errors.New("the key bundle does not open")
	}
	identity, err := curve25519.X25519(lc.account.identity.Priv[:], plain[:32])
	if err != nil {
		return nil, err
	}
	return hkdf.Key(sha256.New, join(shared, identity, plain[64:]), nil, "adv_secret", 32)
}
