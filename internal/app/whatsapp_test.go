//go:build !nowhatsapp

package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	channel "errand/internal/channels/whatsapp"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/test/notifiertest"
	platform "errand/internal/test/sim/whatsapp"
)

// linkWhatsApp links an account before errand starts, as its phone would.
func linkWhatsApp(t *testing.T, c *config.Config, account string, phone *platform.Account) {
	t.Helper()
	o := store.Options{SQLite: filepath.Join(c.Data, "errand.db")}
	if url := c.DatabaseURL.Reveal(); url != "" {
		o = store.Options{PostgreSQL: url}
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	db, postgres, err := s.Extra(t.Context(), "whatsapp.db")
	if err != nil {
		t.Fatal(err)
	}
	devices, err := channel.OpenDevices(t.Context(), db, postgres)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := devices.Device(t.Context(), account)
	if err != nil {
		t.Fatal(err)
	}
	if err := phone.Link(t.Context(), dev); err != nil {
		t.Fatal(err)
	}
	if err := devices.Link(t.Context(), account, *dev.ID); err != nil {
		t.Fatal(err)
	}
}

// newWhatsApp is WhatsApp with one phone, and what errand.yaml says of that, which is linked
// with the first start: whoever writes to it is a member.
func newWhatsApp(t *testing.T) (*platform.Server, *platform.Account, func(*config.Config)) {
	t.Helper()
	server, err := platform.New(platform.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	phone, err := server.AddAccount("Errand", "+4930100")
	if err != nil {
		t.Fatal(err)
	}
	linked := false
	return server, phone, func(c *config.Config) {
		if !linked {
			linkWhatsApp(t, c, "main", phone)
			linked = true
		}
		c.Channels = []config.Channel{{Kind: config.WhatsApp, Account: "main", URL: server.URL(), Agent: "nikki", Line: 1}}
		c.Access = map[string]config.Access{"whatsapp": {Mode: config.AccessOpen, Role: core.Member}}
	}
}

// TestWhatsApp proves that what a person writes on WhatsApp is answered there,
// once, from the platform's wire to the platform's wire: words by an agent, a
// command by errand, what was written while errand was away, a reply whose answer
// was lost, and a late result, in the voice of who did the work, to somebody whose
// number WhatsApp hid when they asked, and tells now.
func TestWhatsApp(t *testing.T) {
	t.Parallel()
	server, phone, account := newWhatsApp(t)
	ana, err := server.AddPerson("Ana", "+491711234567")
	if err != nil {
		t.Fatal(err)
	}
	ana.ShowAs(platform.ByLIDOnly)
	in, s := play(t, nil, account)
	write := func(text string) {
		t.Helper()
		if _, err := ana.Write(t.Context(), phone.JID(), text); err != nil {
			t.Fatal(err)
		}
	}
	var want []string
	lines := func() (texts []string) {
		for _, l := range ana.Hears(phone.JID()) {
			if !notifiertest.IsProgress(l.Text) { // it is shown only of tasks that have taken a while
				texts = append(texts, l.Text)
			}
		}
		return texts
	}
	sees := func(text string) {
		t.Helper()
		want = append(want, text)
		eventually(t, text, func() bool { return len(lines()) >= len(want) })
		for i, text := range lines() {
			if i >= len(want) || !strings.HasPrefix(text, want[i]) {
				t.Fatalf("Ana sees %q, want %q", lines(), want)
			}
		}
	}
	write("hello **there**")
	sees("you said hello *there*")
	write("/whoami")
	sees("You are Ana")
	in.stop()
	write("while you were away")
	in.start()
	sees("you said while you were away")
	phone.Order(platform.Fault{Kind: platform.DropAfter})
	write("once more")
	sees("you said once more")
	write(do(send("sasha", "wait late")))
	sees("")
	ana.ShowAs(platform.ByLID)
	write("/reset")
	sees("")
	s.open("late")
	sees("Sasha here: ")
	if list := lines(); !strings.Contains(list[len(list)-1], "done late") {
		t.Errorf("Ana reads %q", list[len(list)-1])
	}
	eventually(t, "every delivery to be noted as sent", func() bool {
		list, err := in.Store.Deliveries(t.Context(), nil, store.Page{})
		return err == nil && !slices.ContainsFunc(list, func(n core.Notification) bool {
			return n.Route.Channel == "whatsapp" && (n.Route.Chat != ana.LID().String() || n.State != core.Sent)
		})
	})
}
