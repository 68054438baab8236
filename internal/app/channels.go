package app

import (
	"fmt"
	"strings"

	"errand/activities"
	"errand/internal/agents"
	"errand/internal/channels"
	channeltelegram "errand/internal/channels/telegram"
	"errand/internal/commands"
	"errand/internal/config"
	"errand/notifiers"
	notifiertelegram "errand/notifiers/telegram"
)

// A platform is one configured account: its notifier and its connection.
type platform struct {
	notifier notifiers.Notifier
	// connect creates a connection that does not run yet. It is called each time this process
	// gets the account's lease.
	connect func(changed func(channels.Status)) (channels.Connection, error)
}

func (a *App) platform(c config.Channel, voices activities.Voices) (platform, error) {
	switch c.Kind {
	case config.Telegram:
		return a.telegram(c)
	case config.Discord:
		return a.discord(c)
	case config.WhatsApp:
		return a.whatsapp(c, voices)
	}
	return platform{}, fmt.Errorf("this version does not support the channel %s", c.Kind)
}

func (a *App) platforms(cfg *config.Config, out *notifiers.Router) error {
	for _, c := range cfg.Channels {
		p, err := a.platform(c, voicesOf(cfg))
		if err != nil {
			return fmt.Errorf("%s:%d: %s: %w", cfg.File, c.Line, c.At(), err)
		}
		out.Handle(c.At().String(), p.notifier)
		if err := a.hold(c, p); err != nil {
			return err
		}
	}
	return nil
}

func accountsOf(cfg *config.Config) agents.Accounts {
	var list agents.Accounts
	for _, c := range cfg.Channels {
		list = append(list, agents.Account{Account: c.At(), Agent: c.Agent})
	}
	return list
}

func (a *App) telegram(c config.Channel) (platform, error) {
	out, err := notifiertelegram.New(notifiertelegram.Options{Accounts: map[string]string{c.Account: c.Token.Reveal()}, URL: c.URL, Moves: a.Store, Parts: a.Store, Logger: a.log})
	if err != nil {
		return platform{}, err
	}
	menu, tooOld := map[string][]channeltelegram.Command{}, map[string]string{}
	for language, list := range a.Commands.Menu() {
		tooOld[language] = a.Service.Texts.For(language, a.Service.Language).Localize("press.old")
		language, _, _ = strings.Cut(language, "-") // Telegram's language codes have two letters
		menu[language] = telegramMenu(list)
	}
	connect := func(changed func(channels.Status)) (*channeltelegram.Channel, error) {
		return channeltelegram.New(channeltelegram.Options{
			Account: c.Account, Token: c.Token.Reveal(), URL: c.URL, Receiver: a.Intake, Logger: a.log, Commands: menu, Changed: changed,
			Webhook: webhookOf(c), Moves: a.Store, TooOld: tooOld,
			Holds: func() bool { return a.connections.Holds(c.At()) },
		})
	}
	if c.Webhook != nil {
		// Telegram may call any worker, not only the one that holds the account.
		hook, err := connect(nil)
		if err != nil {
			return platform{}, err
		}
		a.hooks[telegramHook(c)] = hook
	}
	return platform{out, func(changed func(channels.Status)) (channels.Connection, error) { return connect(changed) }}, nil
}

func telegramMenu(list []commands.MenuEntry) []channeltelegram.Command {
	var menu []channeltelegram.Command
	for _, cmd := range list {
		menu = append(menu, channeltelegram.Command{Name: cmd.Name, About: cmd.About})
	}
	return menu
}
