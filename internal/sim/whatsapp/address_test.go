package whatsapp_test

import (
	"testing"

	"go.mau.fi/whatsmeow/types"

	"errand/internal/sim/whatsapp"
)

// TestAddresses proves by what a person is seen, and that an answer reaches them
// whichever it is.
func TestAddresses(t *testing.T) {
	tests := []struct {
		name        string
		by          whatsapp.Addressing
		sender, alt func(*whatsapp.Person) types.JID
	}{
		{"LID and number", whatsapp.ByLID, (*whatsapp.Person).LID, (*whatsapp.Person).JID},
		{"number and LID", whatsapp.ByPhone, (*whatsapp.Person).JID, (*whatsapp.Person).LID},
		{"LID only", whatsapp.ByLIDOnly, (*whatsapp.Person).LID, nil},
		{"number only", whatsapp.ByPhoneOnly, (*whatsapp.Person).JID, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := stage(t)
			b := s.linked()
			s.alice.ShowAs(tt.by)
			must(s.alice.Write(s.ctx, s.account.JID(), "hello"))(t)
			m := b.got(1)
			if m.Info.Sender.ToNonAD() != tt.sender(s.alice) || m.Info.Chat != tt.sender(s.alice) {
				t.Errorf("it is by %v in %v", m.Info.Sender, m.Info.Chat)
			}
			if alt := m.Info.SenderAlt.ToNonAD(); tt.alt == nil && !alt.IsEmpty() || tt.alt != nil && alt != tt.alt(s.alice) {
				t.Errorf("the other address is %v", alt)
			}
			err := b.write(m.Info.Chat, "A", "answer")
			if tt.by == whatsapp.ByPhoneOnly {
				if err == nil {
					t.Error("whatsmeow writes to somebody without a LID now: take note")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			s.until("the answer", func() bool { return len(s.alice.Hears(s.account.JID())) == 1 })
		})
	}
}

// TestNumbers proves who is on WhatsApp, and that nobody else can be written to.
func TestNumbers(t *testing.T) {
	s := stage(t)
	b := s.linked()
	list := must(b.IsOnWhatsApp(s.ctx, []string{"+" + s.alice.Number, "+49999"}))(t)
	if len(list) != 2 || !list[0].IsIn || list[0].JID != s.alice.LID() || list[0].PhoneNumber != s.alice.JID() || list[1].IsIn {
		t.Errorf("on WhatsApp are %+v", list)
	}
	if err := b.write(types.NewJID("49999", types.DefaultUserServer), "N", "anybody?"); err == nil {
		t.Error("a number that nobody has was written to")
	}
	devices := must(b.GetUserDevices(s.ctx, []types.JID{s.account.LID(), s.alice.LID()}))(t)
	if len(devices) != 3 {
		t.Errorf("their devices are %v", devices)
	}
}

// TestKeysRunOut proves that a client is told when its one-time keys run out,
// and can be written to when they have.
func TestKeysRunOut(t *testing.T) {
	s := stage(t)
	b := s.linked()
	b.Disconnect()
	s.account.UseUpKeys(0)
	must(s.alice.Write(s.ctx, s.account.JID(), "without"))(t)
	b.connect()
	b.got(1)
	s.until("an upload", func() bool { return s.account.KeysLeft()[1] >= 50 })
	s.account.UseUpKeys(5)
	bob := must(s.AddPerson("Bob", "4930300"))(t)
	must(bob.Write(s.ctx, s.account.JID(), "with the last but four"))(t)
	b.got(2)
	s.until("another upload", func() bool { return s.account.KeysLeft()[1] >= 50 })
}
