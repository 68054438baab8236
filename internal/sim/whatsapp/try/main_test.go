//go:build !nowhatsapp

package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"go.mau.fi/whatsmeow"

	shared "errand/internal/platform/whatsapp"
	"errand/internal/sim/try/trytest"
	"errand/internal/sim/whatsapp"
)

// TestTry proves that somebody at a terminal can link errand by the code on its
// page, and chats with it.
func TestTry(t *testing.T) {
	var code string
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err := json.NewEncoder(w).Encode([]any{map[string]string{"link": ""}, map[string]string{"link": code}}); err != nil {
			t.Error(err)
		}
	}))
	defer page.Close()
	opened, err := open("127.0.0.1:0", page.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := opened.(*platform)
	s := trytest.Sit(t, p)
	s.Sees("channels add whatsapp --url " + p.URL())
	s.Types("!scan")
	s.Sees("(no code is shown on " + page.URL)

	ctx := t.Context()
	store, err := whatsapp.OpenStore(ctx, filepath.Join(t.TempDir(), "errand.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	errand := whatsmeow.NewClient(store.NewDevice(), nil)
	redirect, err := shared.Redirect(p.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	redirect(errand)
	defer errand.Disconnect()
	codes, err := errand.GetQRChannel(context.WithoutCancel(ctx))
	if err != nil {
		t.Fatal(err)
	}
	if err := errand.Connect(); err != nil {
		t.Fatal(err)
	}
	code = (<-codes).Code
	s.Types("!scan")
	s.Sees("(errand is linked)")

	s.Types("hello")
	s.Wait("for Ana's message", func() bool { return len(p.phone.Hears(p.ana.JID())) == 1 })
	if _, err := p.phone.Write(ctx, p.ana.JID(), "good day"); err != nil {
		t.Fatal(err)
	}
	s.Sees("errand: good day")
	s.Types("!reply why?")
	s.Wait("for an answer to it", func() bool { lines := p.phone.Hears(p.ana.JID()); return len(lines) == 2 && lines[1].ReplyTo != "" })
	s.Types("!edit who?")
	s.Wait("for another word", func() bool { return p.phone.Hears(p.ana.JID())[1].Text == "who?" })
	s.Types("!unlink")
	s.Wait("to be logged out", func() bool { return len(p.phone.Linked()) == 0 })
}
