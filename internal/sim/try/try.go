// Package try is the terminal that the simulated platforms share: who types there is
// Ana, who chats with errand.
package try

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
)

// A Line is a message as Ana sees it.
type Line struct {
	ID      string
	Mine    bool
	Text    string
	Buttons []string
	Edited  bool
	Mark    string // what errand put on it
}

// A Platform is one with one chat, Ana's with errand.
type Platform interface {
	// HowTo says where it is, and how errand gets there.
	HowTo() string
	Changed() <-chan struct{}
	Sees() []Line
	Typing() bool
	// Write is Ana writing, in answer to a message if an id is given; it returns
	// the id of hers, if it is one.
	Write(ctx context.Context, text, to string) (id string, err error)
	Edit(ctx context.Context, id, text string) error
	Press(id, button string) error
	Acts() map[string]Act // what else Ana can do, by what she types
	Close() error
}

// An Act is done with what is typed behind its name; what came of it is shown.
type Act func(ctx context.Context, rest string) (text string, err error)

// Does is an Act of which there is nothing to say.
func Does(what func()) Act {
	return func(context.Context, string) (string, error) { what(); return "", nil }
}

// Main is the program: it opens the platform where it is told to listen.
func Main(listen string, open func(listen string) (Platform, error)) {
	flag.StringVar(&listen, "listen", listen, "the address at which the platform is")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p, err := open(listen)
	if err == nil {
		err = errors.Join(Run(ctx, p, os.Stdin, os.Stdout), p.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "try:", err)
		os.Exit(1)
	}
}

const howTo = `
What you type, Ana writes. %sCtrl-D ends it, and everything is forgotten.

`

// Run lets Ana chat until in or ctx ends.
func Run(ctx context.Context, p Platform, in io.Reader, out io.Writer) error {
	a := &ana{Platform: p, out: out, seen: map[string]string{}}
	fmt.Fprint(out, p.HowTo())
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
		changed := p.Changed()
		a.showNew()
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		case line, ok := <-lines:
			if !ok {
				return nil
			}
			if err := a.do(ctx, strings.TrimSpace(line)); err != nil {
				fmt.Fprintf(out, "  (%v)\n", err)
			}
		}
	}
}

// How is the end of a HowTo: what can be typed on this platform.
func How(what string) string { return fmt.Sprintf(howTo, what) }

// An ana sits at the terminal.
type ana struct {
	Platform
	out    io.Writer
	seen   map[string]string // what was shown of each message
	last   string            // what she wrote last
	typing bool
}

func (a *ana) do(ctx context.Context, line string) (err error) {
	what, rest, _ := strings.Cut(line, " ")
	button, no := strconv.Atoi(strings.TrimPrefix(what, "!"))
	act := a.Acts()[what]
	switch {
	case what == "":
	case act != nil:
		var text string
		if text, err = act(ctx, rest); err == nil && text != "" {
			fmt.Fprintf(a.out, "  (%s)\n", text)
		}
	case what == "!edit" && a.last == "":
		return errors.New("there is nothing to change")
	case what == "!edit":
		err = a.Edit(ctx, a.last, rest)
	case what == "!reply":
		a.last, err = a.Write(ctx, rest, a.of(func(l Line) bool { return !l.Mine }).ID)
	case what[0] == '!' && no == nil:
		on := a.of(func(l Line) bool { return len(l.Buttons) > 0 })
		if button < 1 || button > len(on.Buttons) {
			return errors.New("there is no such button")
		}
		err = a.Press(on.ID, on.Buttons[button-1])
	case what[0] == '!':
		return fmt.Errorf("%s is nothing that can be done here", what)
	default:
		a.last, err = a.Write(ctx, line, "")
	}
	return err
}

func (a *ana) of(is func(Line) bool) (last Line) {
	for _, l := range a.Sees() {
		if is(l) {
			last = l
		}
	}
	return last
}

func (a *ana) showNew() {
	for _, l := range a.Sees() {
		text, mark := l.Text, "errand: "
		for i, b := range l.Buttons {
			text += fmt.Sprintf("\n[!%d %s]", i+1, b)
		}
		switch {
		case l.Mine && l.Mark == "":
			text = ""
		case l.Mine:
			text, mark = "("+l.Mark+" on what you wrote)", "        "
		case a.seen[l.ID] != "":
			mark = "edited: "
		}
		if a.seen[l.ID] != text {
			a.seen[l.ID] = text
			if text != "" {
				fmt.Fprintln(a.out, mark+strings.ReplaceAll(text, "\n", "\n        "))
			}
		}
	}
	typing := a.Typing()
	if typing && !a.typing {
		fmt.Fprintln(a.out, "        (typing…)")
	}
	a.typing = typing
}
