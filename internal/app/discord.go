package app

import (
	"context"

	"errand/internal/channels"
	channeldiscord "errand/internal/channels/discord"
	"errand/internal/config"
	"errand/internal/platform/discord"
	notifierdiscord "errand/notifiers/discord"
)

func (a *App) discord(c config.Channel) (platform, error) {
	in := channeldiscord.Options{
		Account: c.Account, Token: c.Token.Reveal(), Receiver: a.Gateway, Memory: a.Gateway, Suggest: a.Gateway, Logger: a.log,
		People:   func(ctx context.Context) ([]string, error) { return a.Gateway.NumbersOf(ctx, c.At()) },
		Commands: a.Gateway.CommandMenu(), Words: map[string]channeldiscord.Words{},
	}
	out := notifierdiscord.Options{Accounts: map[string]string{c.Account: c.Token.Reveal()}}
	for language := range in.Commands {
		t := a.Gateway.Texts.For(language, a.Gateway.Language)
		in.Words[language] = channeldiscord.Words{Failed: t.Say("press.failed"), Pressed: t.Say("press.answer", "answer", "{answer}")}
	}
	if c.URL != "" {
		client, dialer, err := discord.Redirect(c.URL)
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
