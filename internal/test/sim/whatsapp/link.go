package whatsapp

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waAdv"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/util/keys"
	"google.golang.org/protobuf/proto"
)

// Link links a device of a client's store to the account without a QR text
// being shown or scanned: the store holds what it would hold afterwards. It is
// the quick way for tests that are not about linking.
func (a *Account) Link(ctx context.Context, dev *store.Device) error {
	if dev.ID != nil {
		return errors.New("the device has been linked before")
	}
	a.s.mu.Lock()
	a.last++
	number := a.last
	a.s.mu.Unlock()
	return a.provision(ctx, dev, number)
}

// joined makes a device one of the person's. The caller holds mu.
func (p *Person) joined(d *Device) {
	p.devices[d.Number] = d
	if d.Number != 0 {
		p.s.devicesChanged(p)
	}
	p.s.happened()
}

func vouch(phone *keys.KeyPair, device []byte, index uint32) (*waAdv.ADVSignedDeviceIdentity, error) {
	details, err := proto.Marshal(&waAdv.ADVDeviceIdentity{RawID: proto.Uint32(1), KeyIndex: &index, Timestamp: proto.Uint64(uint64(time.Now().Unix()))})
	if err != nil {
		return nil, err
	}
	return &waAdv.ADVSignedDeviceIdentity{Details: details, AccountSignatureKey: phone.Pub[:],
		AccountSignature: signature(phone, join(whatsmeow.AdvAccountSignaturePrefix, details, device))}, nil
}

func deviceSignature(id *waAdv.ADVSignedDeviceIdentity, device *keys.KeyPair) []byte {
	return signature(device, join(whatsmeow.AdvDeviceSignaturePrefix, id.Details, device.Pub[:], id.AccountSignatureKey))
}

func keyNode(key *keys.PreKey) node {
	n := node{Tag: "key"}
	content := []node{{Tag: "id", Content: big(key.KeyID, 3)}, {Tag: "value", Content: key.Pub[:]}}
	if key.Signature != nil {
		n.Tag = "skey"
		content = append(content, node{Tag: "signature", Content: key.Signature[:]})
	}
	n.Content = content
	return n
}

func big(v uint32, size int) []byte {
	return binary.BigEndian.AppendUint32(nil, v)[4-size:]
}

func join(parts ...[]byte) []byte {
	var all []byte
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// devicesChanged tells everybody that the list of a person's devices is another
// one: clients keep the lists. It comes from the LID, because whatsmeow ignores
// it for an address that it keeps no list of, and lists are kept by LID.
func (s *Server) devicesChanged(p *Person) {
	for _, other := range s.everybody() {
		for _, d := range other.inOrder() {
			if d.logins > 0 {
				d.deliver(node{Tag: "notification", Attrs: attrs{"type": "devices", "from": p.LID(), "id": s.stanza()},
					Content: []node{{Tag: "update", Attrs: attrs{"device_hash": ""}}}})
			}
		}
	}
}
