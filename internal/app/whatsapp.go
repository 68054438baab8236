//go:build !nowhatsapp

package app

import (
	"context"
	"errors"
	"fmt"

	"errand/activities"
	"errand/internal/channels"
	channelwhatsapp "errand/internal/channels/whatsapp"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/store/sqldb"

	notifierwhatsapp "errand/notifiers/whatsapp"
)

// whatsappPart is empty with the build tag nowhatsapp, see docs/adr/0016-whatsapp.md.
type whatsappPart struct {
	devices *channelwhatsapp.Devices // nil: no account is configured
	clients channelwhatsapp.Clients
}

func (a *App) whatsapp(c config.Channel, voices activities.Voices) (platform, error) {
	devices, err := a.whatsappDevices(context.Background())
	if err != nil {
		return platform{}, err
	}
	out, err := notifierwhatsapp.New(notifierwhatsapp.Options{Client: a.whatsappPart.clients.Client, MessageText: a.Store.MessageText, Parts: a.Store, Logger: a.log})
	if err != nil {
		return platform{}, err
	}
	in := channelwhatsapp.Options{Account: c.Account, Devices: devices, Receiver: a.Intake, Logger: a.log, Clients: &a.whatsappPart.clients,
		MostAttachment: a.Intake.AttachmentBytes(), FindSent: out.Rebuild(a.sentBy(c.At(), voices)),
		Numbers: func(ctx context.Context) ([]string, error) { return a.Intake.NumbersOf(ctx, c.At()) }}
	if c.URL != "" {
		if in.Prepare, err = channelwhatsapp.Redirect(c.URL, nil); err != nil {
			return platform{}, err
		}
	}
	return platform{out, func(changed func(channels.Status)) (channels.Connection, error) {
		o := in
		o.Changed = changed
		return channelwhatsapp.New(o)
	}}, nil
}

func (a *App) sentBy(at core.Account, voices activities.Voices) func(ctx context.Context, id string, chats ...string) (core.Notification, bool) {
	return func(ctx context.Context, id string, chats ...string) (core.Notification, bool) {
		n, ok, err := a.Store.SentAs(ctx, at, id, chats...)
		if err != nil || !ok {
			return n, false
		}
		if n, err = activities.WithFile(ctx, a.Store, n); err != nil {
			return n, false
		}
		return voices.On(at.Name, n), true
	}
}

// prepareDevices returns what creates the tables of devices in a PostgreSQL database.
func prepareDevices() func(context.Context, string) error {
	return func(ctx context.Context, address string) error {
		db, err := sqldb.Open(sqldb.Options{PostgreSQL: address, Name: "devices"})
		if err != nil {
			return err
		}
		defer db.Close()
		tables, postgres, err := db.Extra(ctx, store.DevicesFile)
		if err == nil {
			_, err = channelwhatsapp.OpenDevices(ctx, tables, postgres)
		}
		return err
	}
}

// whatsappDevices opens the store of devices once for all accounts.
func (a *App) whatsappDevices(ctx context.Context) (*channelwhatsapp.Devices, error) {
	if a.whatsappPart.devices != nil {
		return a.whatsappPart.devices, nil
	}
	if a.Store == nil {
		return nil, errors.New("the store of devices needs the store")
	}
	db, postgres, err := a.Store.Extra(ctx, store.DevicesFile)
	if err != nil {
		return nil, err
	}
	if a.whatsappPart.devices, err = channelwhatsapp.OpenDevices(ctx, db, postgres); err != nil {
		return nil, fmt.Errorf("%s: %w", store.DevicesFile, err)
	}
	return a.whatsappPart.devices, nil
}

func (a *App) pairCode(ctx context.Context, at core.Account, phone string) (string, error) {
	if at.Channel != config.WhatsApp || a.whatsappPart.devices == nil {
		return "", fmt.Errorf("%s is not linked to a phone", at)
	}
	return a.whatsappPart.devices.AskCode(ctx, at.Name, phone)
}
