//go:build !nowhatsapp

package main

import (
	"context"
	"fmt"

	"errand/internal/config"
	"errand/internal/test/sim/whatsapp"
)

// A whatsappWire is WhatsApp with a phone that errand is linked to.
type whatsappWire struct {
	*whatsapp.Server
	phone  *whatsapp.Account
	people []*whatsapp.Person
}

func newWhatsApp() (*whatsappWire, error) {
	server, err := whatsapp.New(whatsapp.Options{})
	if err != nil {
		return nil, err
	}
	w := &whatsappWire{Server: server}
	w.phone, err = server.AddAccount("Errand", "+4930100")
	return w, err
}

func (w *whatsappWire) account() config.Channel {
	return config.Channel{Kind: config.WhatsApp, Account: "main", URL: w.URL(), Agent: "nikki"}
}

func (w *whatsappWire) join(_ context.Context, n int) error {
	for i := range n {
		p, err := w.AddPerson(fmt.Sprint("Person ", i), fmt.Sprintf("+4917110%05d", i))
		if err != nil {
			return err
		}
		w.people = append(w.people, p)
	}
	return nil
}

func (w *whatsappWire) scan(ctx context.Context, code string) error { return w.phone.Scan(ctx, code) }

func (w *whatsappWire) chat(person int) string { return w.people[person].JID().String() }

func (w *whatsappWire) write(ctx context.Context, person int, text string) error {
	_, err := w.people[person].Write(ctx, w.phone.JID(), text)
	return err
}

func (w *whatsappWire) sentTo(person int) []string {
	var texts []string
	for _, l := range w.people[person].Hears(w.phone.JID()) {
		texts = append(texts, l.Text)
	}
	return texts
}

func (w *whatsappWire) changed() <-chan struct{} { return w.Changed() }
func (w *whatsappWire) rateLimit() (float64, string) {
	return 10, "WhatsApp does not say; errand sends"
}
func (w *whatsappWire) close() { w.Close() }
