// Command try is a simulated Telegram in a terminal, with one bot and one person to
// chat as, to try errand on without an account.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"errand/internal/sim/telegram"
	"errand/internal/sim/try"
)

func main() { try.Main("127.0.0.1:8081", open) }

type platform struct {
	*telegram.Server
	front *http.Server
	url   string
	bot   *telegram.Bot
	ana   *telegram.Person
	chat  *telegram.Chat
}

func open(listen string) (try.Platform, error) {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, err
	}
	// errand knows which messages it has had: those of another run are not these.
	server := telegram.New(telegram.Options{First: int(time.Now().Unix())})
	p := &platform{Server: server, front: &http.Server{Handler: server}, url: "http://" + l.Addr().String(),
		bot: server.AddBot("errand_bot"), ana: server.AddPerson(telegram.Person{Name: "Ana", Language: "en"})}
	p.chat = server.Private(p.ana, p.bot)
	go p.front.Serve(l) // ends when front is closed
	return p, nil
}

func (p *platform) Close() error {
	p.Server.Close()
	return p.front.Close()
}

func (p *platform) HowTo() string {
	return fmt.Sprintf(`This is a Telegram of your own, at %[1]s. You are Ana. The token of its bot:

  %[2]s

In another terminal, paste it here, then type /start in this one:
  go run ./starter channels add telegram --url %[1]s
  go run ./worker
`, p.url, p.bot.Token) + try.How(`!2 presses the second button of the last message that
has some, !edit TEXT changes what you wrote last, !reply TEXT answers to errand's
last message, !block blocks the bot, /start ends that, !revoke ends its token.
`)
}

func (p *platform) Acts() map[string]try.Act {
	return map[string]try.Act{"!block": try.Does(func() { p.Block(p.ana, p.bot) }), "!revoke": p.revoke}
}

func (p *platform) revoke(context.Context, string) (string, error) {
	p.Revoke(p.bot)
	return "the token is now " + p.bot.Token, nil
}

func (p *platform) Sees() (lines []try.Line) {
	for _, l := range p.Server.Sees(p.chat) {
		lines = append(lines, try.Line{ID: strconv.Itoa(l.ID), Mine: l.From == p.ana.Name, Text: l.Text, Buttons: l.Buttons, Mark: l.Reaction})
	}
	return lines
}

func (p *platform) Typing() bool { return p.Action(p.chat, p.bot) != "" }

func (p *platform) Write(_ context.Context, text, to string) (string, error) {
	if text == "/start" {
		p.Start(p.ana, p.bot)
	}
	n, _ := strconv.Atoi(to) // "": to nothing
	return strconv.Itoa(p.Post(p.chat, p.ana, telegram.Post{Text: text, ReplyTo: n})), nil
}

func (p *platform) Edit(_ context.Context, id, text string) error {
	n, err := strconv.Atoi(id)
	p.Server.Edit(p.chat, n, text)
	return err
}

func (p *platform) Press(id, button string) error {
	n, err := strconv.Atoi(id)
	p.Server.Press(p.chat, p.ana, n, button)
	return err
}
