package whatsapp_test

import (
	"testing"

	"go.mau.fi/whatsmeow/types"

	"errand/internal/test/sim/whatsapp"
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
