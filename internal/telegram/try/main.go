// Command try is a Telegram on this machine with one bot and one person, who is
// whoever sits at the terminal: errand can be tried on it without an account.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"errand/internal/telegram"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8081", "the address at which it is Telegram")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *listen, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "try:", err)
		os.Exit(1)
	}
}

const howTo = `This is a Telegram of your own, at http://%[1]s. You are Ana.

In errand.yaml:
  channels:
    telegram: [{account: main, token_env: TELEGRAM_TOKEN, access: open, url: "http://%[1]s"}]
and in another terminal:
  TELEGRAM_TOKEN=%[2]s go run ./worker

What you type, Ana writes. !2 presses the second button of the last message that
has some, !edit TEXT changes what you wrote last, !block and !start block the bot
and end that. Ctrl-D ends it, and everything is forgotten.

`

// run is Telegram until in or ctx ends.
func run(ctx context.Context, listen string, in io.Reader, out io.Writer) error {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	server := telegram.New(telegram.Options{})
	defer server.Close()
	front := &http.Server{Handler: server}
	defer front.Close()
	go front.Serve(l) // ends when front is closed
	p := &person{server: server, bot: server.AddBot("errand_bot"), ana: server.AddPerson(telegram.Person{Name: "Ana", Language: "en"}), seen: map[int]string{}}
	p.chat = server.Start(p.ana, p.bot)
	fmt.Fprintf(out, howTo, l.Addr(), p.bot.Token)
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			select {
			case lines <- s.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		changed := server.Changed()
		p.look(out)
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		case line, ok := <-lines:
			if !ok {
				return nil
			}
			p.do(line, out)
		}
	}
}

// A person sits at the terminal.
type person struct {
	server *telegram.Server
	bot    *telegram.Bot
	ana    *telegram.Person
	chat   *telegram.Chat
	seen   map[int]string // what was shown of each message of the bot
	last   int            // what Ana wrote last
	typing bool
}

// do is what Ana does.
func (p *person) do(line string, out io.Writer) {
	what, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch button, err := strconv.Atoi(strings.TrimPrefix(what, "!")); {
	case what == "":
	case what == "!block":
		p.server.Block(p.ana, p.bot)
	case what == "!start":
		p.server.Start(p.ana, p.bot)
	case what == "!edit":
		p.server.Edit(p.chat, p.last, rest)
	case what[0] == '!' && err == nil:
		p.press(button, out)
	default:
		p.last = p.server.Write(p.chat, p.ana, line)
	}
}

func (p *person) press(button int, out io.Writer) {
	said := p.server.Said(p.chat)
	for i := len(said) - 1; i >= 0; i-- {
		if list := said[i].Buttons; len(list) > 0 && button >= 1 && button <= len(list) {
			p.server.Press(p.chat, p.ana, said[i].ID, list[button-1])
			return
		}
	}
	fmt.Fprintln(out, "  (there is no such button)")
}

// look shows what is new in the chat.
func (p *person) look(out io.Writer) {
	for _, l := range p.server.Sees(p.chat) {
		text := l.Text
		for i, b := range l.Buttons {
			text += fmt.Sprintf("\n[!%d %s]", i+1, b)
		}
		mark := "errand: "
		if l.From == p.ana.Name {
			if text = l.Reaction; text != "" {
				text = "(" + text + " on what you wrote)"
			}
			mark = "        "
		} else if l.Edited {
			mark = "edited: "
		}
		if p.seen[l.ID] != text {
			p.seen[l.ID] = text
			fmt.Fprintln(out, mark+strings.ReplaceAll(text, "\n", "\n        "))
		}
	}
	typing := p.server.Action(p.chat, p.bot) != ""
	if typing && !p.typing {
		fmt.Fprintln(out, "        (typing…)")
	}
	p.typing = typing
}
