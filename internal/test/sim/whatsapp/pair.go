package whatsapp

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.mau.fi/libsignal/ecc"
	"go.mau.fi/util/random"
	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waAdv"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"
)

// A link is a client that wants to be linked, and shows QR texts.
type link struct {
	conn   *conn
	refs   []string // in the texts
	owner  *Person  // who has scanned one
	number uint16
	code   *linkCode // if it shows a code to type instead
	done   chan error
}

// offerLink gives a client what its QR texts begin with. WhatsApp gives six,
// which are shown one after the other for 160 seconds.
func (s *Server) offerLink(c *conn) {
	c.link = &link{conn: c, done: make(chan error, 1)}
	var refs []node
	for range 6 {
		ref := "2@" + base64.StdEncoding.EncodeToString(random.Bytes(48))
		s.links[ref] = c.link
		c.link.refs = append(c.link.refs, ref)
		refs = append(refs, node{Tag: "ref", Content: []byte(ref)})
	}
	c.send(node{Tag: "iq", Attrs: attrs{"from": types.ServerJID, "type": "set", "id": s.stanza(), "xmlns": "md"},
		Content: []node{{Tag: "pair-device", Content: refs}}})
	s.happened()
}

// Scan is the account's phone scanning the QR text of a client, which is linked
// when Scan returns without an error. The client connects again by itself.
func (a *Account) Scan(ctx context.Context, qr string) error {
	_, data, _ := strings.Cut(qr, "#")
	parts := strings.Split(data, ",")
	if len(parts) < 4 {
		return fmt.Errorf("%q is not the QR text of a client", qr)
	}
	var raw [3][]byte // keys of the noise and the identity, secret
	for i := range raw {
		var err error
		if raw[i], err = base64.StdEncoding.DecodeString(parts[i+1]); err != nil {
			return fmt.Errorf("the QR text of a client: %w", err)
		}
	}
	a.s.mu.Lock()
	l := a.s.links[parts[0]]
	if l == nil || string(raw[0]) != string(l.conn.hello.key[:]) || string(raw[1]) != string(l.identity()) {
		a.s.mu.Unlock()
		return errors.New("the QR text is not valid, or no longer")
	}
	err := a.adopt(l, raw[2])
	a.s.mu.Unlock()
	if err != nil {
		return err
	}
	return a.adopted(ctx, l)
}

// adopted waits until the client has agreed, and welcomes it.
func (a *Account) adopted(ctx context.Context, l *link) error {
	if err := l.wait(ctx); err != nil {
		return err
	}
	return a.welcome(ctx, l.number)
}

func (l *link) identity() []byte { return l.conn.hello.payload.GetDevicePairingData().GetEIdent() }

// finish reports the outcome to the waiter. Later calls do nothing.
func (l *link) finish(err error) {
	select {
	case l.done <- err:
	default:
	}
}

func (l *link) wait(ctx context.Context) error {
	select {
	case err := <-l.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// adopt tells a client that it is one of the account's devices from now on. That
// the phone has its secret is what makes the client believe it.
func (a *Account) adopt(l *link, secret []byte) error {
	identity, err := vouch(a.identity, l.identity(), uint32(a.last+1))
	if err != nil {
		return err
	}
	details, err := proto.Marshal(identity)
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write(details)
	sealed, err := proto.Marshal(&waAdv.ADVSignedDeviceIdentityHMAC{Details: details, HMAC: mac.Sum(nil)})
	if err != nil {
		return err
	}
	a.last++
	l.owner, l.number = a.Person, a.last
	l.conn.send(node{Tag: "iq", Attrs: attrs{"from": types.ServerJID, "type": "set", "id": a.s.stanza(), "xmlns": "md"},
		Content: []node{{Tag: "pair-success", Content: []node{{Tag: "device-identity", Content: sealed},
			{Tag: "device", Attrs: attrs{"jid": at(a.JID(), a.last), "lid": at(a.LID(), a.last)}}, {Tag: "platform", Attrs: attrs{"name": "local"}}}}}})
	return nil
}

func (s *Server) signed(c *conn, n *node) {
	l := c.link
	if l.owner == nil {
		return
	}
	if text(n, "type") == "error" {
		failure := n.GetChildByTag("error")
		l.finish(fmt.Errorf("the client refuses: %s", text(&failure, "text")))
		l.owner = nil
		return
	}
	answer, ok := n.GetOptionalChildByTag("pair-device-sign", "device-identity")
	if !ok {
		return
	}
	var id waAdv.ADVSignedDeviceIdentity
	if err := proto.Unmarshal(bytesOf(answer), &id); err != nil || len(id.DeviceSignature) != 64 || len(l.identity()) != 32 {
		l.finish(errors.New("the client's answer has no signature"))
		return
	}
	lines := join(whatsmeow.AdvDeviceSignaturePrefix, id.Details, l.identity(), l.owner.identity.Pub[:])
	if !ecc.VerifySignature(ecc.NewDjbECPublicKey([32]byte(l.identity())), lines, [64]byte(id.DeviceSignature)) {
		l.finish(errors.New("the client's signature is wrong"))
		return
	}
	data := c.hello.payload.GetDevicePairingData()
	l.owner.joined(&Device{Number: l.number, s: s, owner: l.owner, noise: c.hello.key, identity: l.identity(), registered: data.GetERegid(),
		signed: node{Tag: "skey", Content: []node{{Tag: "id", Content: data.GetESkeyID()}, {Tag: "value", Content: data.GetESkeyVal()}, {Tag: "signature", Content: data.GetESkeySig()}}}})
	c.send(node{Tag: "stream:error", Attrs: attrs{"code": "515"}})
	c.end(forClient)
	l.finish(nil)
	s.forget(l)
}

func (s *Server) forget(l *link) {
	for _, ref := range l.refs {
		delete(s.links, ref)
	}
	l.finish(errors.New("the client is gone"))
}

// ExpireQR ends the connections of clients that wait to be linked, as WhatsApp
// does when nobody has scanned their texts.
func (s *Server) ExpireQR() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.links {
		l.conn.end(forServer)
	}
}

func (s *Server) leave(c *conn, n *node) {
	if _, ok := n.GetOptionalChildByTag("remove-companion-device"); ok && c.device.Number != 0 {
		delete(c.device.owner.devices, c.device.Number)
		s.devicesChanged(c.device.owner)
	}
	c.result(n)
}

// Presence is how the device that was linked last has said to be there: as
// "available as Ana"; empty if it never has.
func (a *Account) Presence() string {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	all := a.inOrder()
	return all[len(all)-1].presence
}

// Linked returns the addresses of the devices that are linked to the phone.
func (a *Account) Linked() []types.JID {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	var list []types.JID
	for _, d := range a.inOrder() {
		if d.Number != 0 {
			list = append(list, d.jid())
		}
	}
	return slices.Clip(list)
}
