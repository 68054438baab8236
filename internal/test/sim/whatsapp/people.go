package whatsapp

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/util/keys"

	"errand/internal/channels/whatsapp"
)

// A Person has an account: a number, a LID, and a phone, which is a whatsmeow
// client. What a Person does, the phone does.
type Person struct {
	Name   string
	Number string // without the plus

	s        *Server
	lid      string
	phone    *whatsmeow.Client
	identity *keys.KeyPair // of the phone; it vouches for linked devices
	linked   bool          // an Account: faults concern its linked devices
	banned   time.Duration
	blocked  map[*Person]bool
	shows    Addressing
	devices  map[uint16]*Device
	last     uint16              // number of a linked device
	patches  map[string][][]byte // of settings, by collection
	trouble  trouble
	seen     ledger
}

// An Account is a Person to whose phone errand is linked.
type Account struct{ *Person }

// Addressing is by what others see who has written to them.
type Addressing int

// What a message says about its sender.
const (
	ByLID       Addressing = iota // the LID, and besides the number: what WhatsApp does today
	ByPhone                       // the number, and besides the LID
	ByLIDOnly                     // the LID; the number stays hidden
	ByPhoneOnly                   // the number; there is no LID, not for anybody who asks
)

// ShowAs sets by what others see the person from now on.
func (p *Person) ShowAs(a Addressing) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.shows = a
}

// JID is the person's address by number.
func (p *Person) JID() types.JID { return types.NewJID(p.Number, types.DefaultUserServer) }

// LID is the person's other address, which says nothing about the number.
func (p *Person) LID() types.JID { return types.NewJID(p.lid, types.HiddenUserServer) }

// Phone is the client of the person's phone, for what this package has no words
// for.
func (p *Person) Phone() *whatsmeow.Client { return p.phone }

func (p *Person) shown(device uint16) (from, other types.JID, kind string) {
	pn, lid := at(p.JID(), device), at(p.LID(), device)
	switch p.shows {
	case ByPhone:
		return pn, p.LID(), "lid"
	case ByLIDOnly:
		return lid, types.EmptyJID, ""
	case ByPhoneOnly:
		return pn, types.EmptyJID, ""
	}
	return lid, p.JID(), "pn"
}

// Away takes the person's phone off the network, and Back brings it there again.
func (p *Person) Away() { p.phone.Disconnect() }

// Back returns when the phone has logged in, which may be before everything that
// waited for it is there.
func (p *Person) Back() error {
	if err := p.phone.Connect(); err != nil {
		return fmt.Errorf("connect the phone of %s: %w", p.Name, err)
	}
	if !p.phone.WaitForConnection(20 * time.Second) {
		return fmt.Errorf("the phone of %s does not connect", p.Name)
	}
	return nil
}

// Block is the person blocking somebody, or no longer. Who is blocked is not
// told: their messages are accepted and go nowhere.
func (p *Person) Block(other *Person, on bool) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.blocked[other] = on
}

// AddPerson makes somebody with a phone, which connects. The number may be
// written with a plus.
func (s *Server) AddPerson(name, number string) (*Person, error) {
	return s.add(name, number, false)
}

// AddAccount makes a person whose phone errand will be linked to.
func (s *Server) AddAccount(name, number string) (*Account, error) {
	p, err := s.add(name, number, true)
	return &Account{p}, err
}

func (s *Server) add(name, number string, linked bool) (*Person, error) {
	number = strings.TrimPrefix(number, "+")
	if _, err := strconv.ParseUint(number, 10, 64); err != nil {
		return nil, fmt.Errorf("%q is not a phone number", number)
	}
	s.mu.Lock()
	p := &Person{Name: name, seen: newLedger(), Number: number, s: s, lid: strconv.FormatInt(100_000_000_000_000+s.id(), 10), linked: linked, devices: map[uint16]*Device{}, blocked: map[*Person]bool{}, patches: map[string][][]byte{}}
	if s.people[number] != nil {
		s.mu.Unlock()
		return nil, fmt.Errorf("%s is somebody else's number", number)
	}
	s.people[p.Number], s.people[p.lid] = p, p
	s.mu.Unlock()
	ctx := context.Background()
	dev := s.stores.NewDevice()
	p.identity = dev.IdentityKey
	if err := p.provision(ctx, dev, 0); err != nil {
		return nil, fmt.Errorf("prepare the phone of %s: %w", name, err)
	}
	p.phone = whatsmeow.NewClient(dev, s.opts.Log.Sub(name))
	redirect, err := whatsapp.Redirect(s.url, http.Header{phoneHeader: {"1"}})
	if err != nil {
		return nil, err
	}
	redirect(p.phone)
	p.phone.SetForceActiveDeliveryReceipts(true)
	p.phone.AddEventHandler(p.happens)
	return p, p.Back()
}

func (p *Person) provision(ctx context.Context, dev *store.Device, number uint16) error {
	jid, lid := at(p.JID(), number), at(p.LID(), number)
	account, err := vouch(p.identity, dev.IdentityKey.Pub[:], uint32(number))
	if err != nil {
		return err
	}
	account.DeviceSignature = deviceSignature(account, dev.IdentityKey)
	dev.ID, dev.LID, dev.PushName, dev.Platform, dev.Account = &jid, lid, p.Name, "local", account
	if err := dev.Save(ctx); err != nil {
		return err
	}
	if err := dev.LIDs.PutLIDMapping(ctx, p.LID(), p.JID()); err != nil {
		return err
	}
	if number != 0 {
		if err := dev.Identities.PutIdentity(ctx, p.LID().SignalAddress().String(), *p.identity.Pub); err != nil {
			return err
		}
	}
	list, err := dev.PreKeys.GetOrGenPreKeys(ctx, uint32(p.s.opts.PreKeys))
	if err != nil {
		return err
	}
	if err := dev.PreKeys.MarkPreKeysAsUploaded(ctx, list[len(list)-1].KeyID); err != nil {
		return err
	}
	d := &Device{Number: number, s: p.s, owner: p, noise: *dev.NoiseKey.Pub, identity: dev.IdentityKey.Pub[:],
		registered: big(dev.RegistrationID, 4), signed: keyNode(dev.SignedPreKey)}
	for _, key := range list {
		d.keys = append(d.keys, keyNode(key))
	}
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.joined(d)
	return nil
}

func (s *Server) everybody() []*Person {
	var list []*Person
	for number, p := range s.people {
		if number == p.Number && p.phone != nil {
			list = append(list, p)
		}
	}
	return list
}
