package app

import (
	"context"

	"errand/internal/channels"
	channeldiscord "errand/internal/channels/discord"
	"errand/internal/config"

	notifierdiscord "errand/notifiers/discord"
)

func (a *App) discord(c config.Channel) (platform, error) {
	in := channeldiscord.Options{
		Account: c.Account, Token: c.Token.Reveal(), Receiver: a.Intake, Memory: a.Intake, Suggest: a.Intake, Logger: a.log,
		People:   func(ctx context.Context) ([]string, error) { return a.Intake.NumbersOf(ctx, c.At()) },
		Commands: a.Commands.Menu(), Words: map[string]channeldiscord.Words{},
	}
	out := notifierdiscord.Options{Accounts: map[string]string{c.Account: c.Token.Reveal()}}
	for language := range in.Commands {
		t := a.Service.Texts.For(language, a.Service.Language)
		in.Words[language] = channeldiscord.Words{Failed: t.Localize("press.failed"), Pressed: t.Localize("press.answer", "answer", "{answer}")}
	}
	if c.URL != "" {
		client, dialer, err := channeldiscord.Redirect(c.URL)
		if err != nil {
			return platform{}, err
		}
		in.Client, in.Dialer, out.Client = client, dialer, client
	}
	notifier, err := notifierdiscord.New(out)
	if err != nil {
		return platform{}, err
	}
	return platform{notifier, func(changed func(channels.Status)) (channels.Connection, error) {
		o := in
		o.Changed = changed
		return channeldiscord.New(o)
	}}, nil
}
