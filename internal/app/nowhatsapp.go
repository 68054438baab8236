//go:build nowhatsapp

package app

import (
	"context"
	"errors"

	"errand/activities"
	"errand/internal/config"
	"errand/internal/core"
)

type whatsappPart struct{}

func prepareDevices() func(context.Context, string) error { return nil }

func (a *App) whatsapp(config.Channel, activities.Voices) (platform, error) {
	return platform{}, errors.New("this program was built without WhatsApp (the tag nowhatsapp): use a build with it, or remove the account")
}

func (a *App) pairCode(context.Context, core.Account, string) (string, error) {
	return "", errors.New("this program was built without WhatsApp")
}
