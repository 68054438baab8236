// Command try is a simulated Discord in a terminal, with one bot, one server and one
// person to chat as, to try errand on without an account.
package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"errand/internal/sim/discord"
	"errand/internal/sim/try"
)

func main() { try.Main("127.0.0.1:8082", open) }

type platform struct {
	*discord.Server
	bot   *discord.Bot
	ana   *discord.Person
	guild *discord.Guild
	chat  *discord.Channel
}

// The bot is always the same, so that errand need not be set up again.
const (
	id    = "1400000000000000001"
	token = "MT" + id + ".Gerrand.00000000000000000000000000000000000001"
)

func open(listen string) (try.Platform, error) {
	server, err := discord.Start(discord.Options{Addr: listen})
	if err != nil {
		return nil, err
	}
	ana := server.AddPerson(discord.Person{ID: "1400000000000000002", Name: "Ana", Locale: "en-US"})
	p := &platform{Server: server, ana: ana, guild: server.AddGuild("Ana's server", ana),
		bot: server.AddBot(discord.Bot{ID: id, Token: token, Name: "errand", Intents: discord.MessageContent, Owner: ana})}
	p.chat = server.DM(ana, p.bot)
	return p, nil
}

func (p *platform) Close() error {
	p.Server.Close()
	return nil
}

func (p *platform) HowTo() string {
	return fmt.Sprintf(`This is a Discord of your own, at %[1]s. You are Ana. The token of its bot:

  %[2]s

In another terminal, paste it here; !invite is opening the link, press Enter there then:
  go run ./starter channels add discord --url %[1]s
  go run ./worker
`, p.URL(), p.bot.Token) + try.How(`A known /command is a slash command. !2 presses the second
button of the last message that has some, !edit TEXT changes what you wrote last,
!reply TEXT answers to errand's last message, !invite and !kick let the bot into
your server and out of it, !close and !open are about your direct messages, !revoke
ends the bot's token. `)
}

func (p *platform) Acts() map[string]try.Act {
	return map[string]try.Act{
		"!invite": try.Does(func() { p.Join(p.guild, p.bot) }),
		"!kick":   try.Does(func() { p.Kick(p.guild, p.bot) }),
		"!close":  try.Does(func() { p.SetClosed(p.ana, true) }),
		"!open":   try.Does(func() { p.SetClosed(p.ana, false) }),
		"!revoke": p.revoke,
	}
}

func (p *platform) revoke(context.Context, string) (string, error) {
	p.Revoke(p.bot)
	return "the token is now " + p.bot.Token, nil
}

var escaped = regexp.MustCompile(`\\([[:punct:]])`)

func (p *platform) Sees() (lines []try.Line) {
	for _, l := range p.Server.Sees(p.chat, p.ana) {
		text := escaped.ReplaceAllString(l.Text, "$1")
		if l.Thinking {
			text = "(thinking…)"
		}
		if l.Only != "" {
			text += "\n(only you see this)"
		}
		lines = append(lines, try.Line{ID: l.ID, Mine: !l.Bot, Text: text, Buttons: l.Buttons, Mark: strings.Join(l.Reactions, " ")})
	}
	return lines
}

func (p *platform) Typing() bool { return p.Types(p.chat, p.bot) }

// Write is a slash command where the bot has one of that name.
func (p *platform) Write(_ context.Context, text, to string) (string, error) {
	if strings.HasPrefix(text, "/") && to == "" && p.Command(p.chat, p.ana, p.bot, text) != nil {
		return "", nil
	}
	return p.Post(p.chat, p.ana, discord.Post{Text: text, ReplyTo: to}), nil
}

func (p *platform) Edit(_ context.Context, id, text string) error {
	p.Server.Edit(p.chat, id, text)
	return nil
}

func (p *platform) Press(id, button string) error {
	if p.Server.Press(p.chat, p.ana, id, button) == nil {
		return errors.New("it cannot be pressed")
	}
	return nil
}
