package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/term"

	"errand"
	"errand/internal/cli/client"
	"errand/internal/cli/console"
	"errand/internal/cli/lineedit"
	"errand/internal/cli/words"
	"errand/internal/printable"
)

// RunDialogue is chat on a terminal.
func (c *Chat) RunDialogue(ctx context.Context) error {
	// Before the terminal is changed: is there anybody to talk to?
	about, err := c.API().GetAbout(ctx)
	if err != nil {
		return err
	}
	fd := int(os.Stdin.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return c.Errorf("prepare the terminal: %w", err)
	}
	d := newDialogue(c.Console, c.Conversation, func() (int, int) {
		w, h, err := term.GetSize(fd)
		if err != nil || w <= 0 || h <= 0 {
			return 80, 24
		}
		return w, h
	})
	d.hindrances = c.HindrancesOf(about.Value)
	if c.History != "" {
		h, err := lineedit.OpenHistory(c.History)
		if d.editor.History = h; err != nil {
			d.hindrances = append(d.hindrances, d.noHistory(err))
		}
	}
	defer notifyResize(d.resized)()
	fmt.Fprint(c.Out, pastesMarked)
	defer func() {
		fmt.Fprint(c.Out, pastesPlain)
		if err := term.Restore(fd, before); err != nil {
			fmt.Fprintln(c.Err, "errand: "+c.Words.Say("the terminal could not be restored; `reset` does"))
		}
	}()
	return d.run(ctx)
}

// What a terminal sends of a paste has marks around it, or none.
const (
	pastesMarked = "\x1b[?2004h"
	pastesPlain  = "\x1b[?2004l"
)

// A dialogue is one person at a terminal in one chat. The goroutine of run owns
// its state; the others, which read the keyboard, follow the chat and deliver
// what was typed, only send to its channels.
type dialogue struct {
	*console.Console
	conv    *Conversation
	screen  *screen
	editor  *lineedit.Editor
	decoder lineedit.Decoder
	offers  *suggestions

	events    chan client.Event
	input     chan input
	queue     chan Outgoing
	answers   chan answer
	troubles  chan error
	suggested chan suggested
	spoken    chan words.Language
	resized   chan os.Signal

	status      status
	ask         question
	flow        flow
	turn        int            // of the latest event that has one
	past        []client.Event // what was said before, not shown yet
	hindrances  []string
	typedHere   map[string]bool
	unconfirmed int
	gone        time.Time // since when the worker is not reachable
	interrupted bool
}

// An input is what has come from the keyboard.
type input struct {
	bytes []byte
	err   error
}

// An answer is what became of the delivery of a message.
type answer struct {
	to   Outgoing
	text string // of a command
	err  error
}

func newDialogue(c *console.Console, conv *Conversation, size func() (int, int)) *dialogue {
	d := &dialogue{
		Console: c, conv: conv, typedHere: map[string]bool{},
		events: make(chan client.Event, 64), input: make(chan input), queue: make(chan Outgoing, 100),
		answers: make(chan answer), troubles: make(chan error), suggested: make(chan suggested), spoken: make(chan words.Language), resized: make(chan os.Signal, 1),
	}
	d.offers = newSuggestions()
	d.editor = &lineedit.Editor{History: &lineedit.History{}, Complete: d.offers.complete, Words: editorWords(c.Words)}
	d.screen = &screen{out: c.Out, size: size, typed: func(width, height int) lineedit.View { return d.editor.View(width, height, c.Style) }}
	conv.Met = true
	return d
}

func editorWords(l words.Language) lineedit.Words {
	return lineedit.Words{Search: l.Say("search"), None: l.Say("not found"), More: l.Say("more")}
}

const (
	settle = 150 * time.Millisecond
	// keyWithin is how long the bytes that one key sends may take.
	keyWithin = 50 * time.Millisecond
)

func (d *dialogue) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d.conv.Trouble = func(err error) { pass(ctx, d.troubles, err) }
	d.offers.fetch = func(k kind, change int) {
		l := d.Words
		go func() { pass(ctx, d.suggested, d.conv.suggest(ctx, k, change, l)) }()
	}
	d.print(d.Style.Dim(d.wrapped(d.Words.Say("Chat {chat} at {base}. /help lists commands; Ctrl-D leaves.", "chat", printable.Text(d.conv.Chat), "base", d.conv.Base))))
	for _, text := range d.hindrances {
		d.print(d.Style.Yellow(d.wrapped(text)))
	}
	followed := make(chan error, 1)
	go func() {
		followed <- d.conv.Follow(ctx, "", func(e client.Event) bool { return pass(ctx, d.events, e) })
	}()
	go d.deliver(ctx)
	go d.read(ctx)
	second := time.NewTicker(time.Second)
	defer second.Stop()
	settled := time.NewTimer(settle)
	defer settled.Stop()
	key := time.NewTimer(keyWithin)
	defer key.Stop()
	for {
		select {
		case <-ctx.Done():
			return d.finish(nil)
		case err := <-followed:
			if ctx.Err() == nil {
				return d.finish(err)
			}
		case e := <-d.events:
			d.offers.note(e.Type)
			if !e.Created.IsZero() && e.Created.Before(d.Began) {
				d.past = append(d.past, e)
				settled.Reset(settle)
				continue
			}
			d.showPast()
			d.show(e)
		case <-settled.C:
			d.showPast()
		case in := <-d.input:
			if in.err != nil {
				return d.finish(in.err)
			}
			if d.press(d.decoder.Feed(in.bytes)) {
				return d.finish(io.EOF)
			}
			if d.decoder.IsPending() {
				key.Reset(keyWithin)
			}
		case <-key.C:
			if d.press(d.decoder.Flush()) {
				return d.finish(io.EOF)
			}
		case list := <-d.suggested:
			if d.offers.come(list) {
				d.editor.CompleteAgain()
			}
		case l := <-d.spoken:
			d.speak(l)
		case a := <-d.answers:
			d.answered(a)
			if isLanguage(a.to) {
				now := d.Words
				go func() { pass(ctx, d.spoken, d.conv.language(ctx, now)) }()
			}
		case err := <-d.troubles:
			d.trouble(err)
		case <-d.resized:
		case <-second.C:
		}
		d.screen.setLive(d.live()...)
	}
}

// read reads the keyboard until it is gone.
func (d *dialogue) read(ctx context.Context) {
	buf := make([]byte, 4096)
	for {
		n, err := d.In.Read(buf)
		if n > 0 && !pass(ctx, d.input, input{bytes: slices.Clone(buf[:n])}) {
			return
		}
		if err != nil {
			pass(ctx, d.input, input{err: err})
			return
		}
	}
}

func (d *dialogue) press(keys []lineedit.Key) (leave bool) {
	for _, k := range keys {
		begun := d.editor.Text() != ""
		switch what, text := d.editor.Press(k); what {
		case lineedit.Entered:
			d.entered(text)
		case lineedit.Ended:
			return true
		case lineedit.Stopped:
			if d.onInterrupt(begun) {
				return true
			}
		case lineedit.Cleared:
			d.screen.clear()
		}
	}
	return false
}

func (d *dialogue) deliver(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-d.queue:
			text, err := d.conv.Deliver(ctx, m)
			pass(ctx, d.answers, answer{m, text, err})
		}
	}
}

// pass sends v unless ctx is done first.
func pass[T any](ctx context.Context, to chan<- T, v T) bool {
	select {
	case to <- v:
		return true
	case <-ctx.Done():
		return false
	}
}

const lastWait = 3 * time.Second

// finish sees what was typed off, and says what goes on without the terminal.
func (d *dialogue) finish(err error) error {
	late := time.NewTimer(lastWait)
	defer late.Stop()
	for waits := errors.Is(err, io.EOF); waits && d.unconfirmed > 0 && d.gone.IsZero(); {
		select {
		case a := <-d.answers:
			d.answered(a)
		case err := <-d.troubles:
			d.trouble(err)
		case <-d.events: // shown when the chat is opened again
		case <-late.C:
			waits = false
		}
	}
	text := ""
	if n := len(d.status.tasks); n > 0 {
		text = d.Style.Dim(d.wrapped(d.Words.Say("{n} open task(s) go on; their results will be in this chat.", "n", strconv.Itoa(n))))
	}
	d.screen.close(text)
	switch {
	case d.unconfirmed > 0:
		return failed(d.Words.Say("{n} message(s) were not confirmed: errand was not reachable", "n", strconv.Itoa(d.unconfirmed)))
	case errors.Is(err, io.EOF):
		return nil
	}
	return client.InLanguage(err, d.Words)
}

// onInterrupt is Ctrl-C, which has taken away what was begun: then it stops what runs, and
// then it leaves.
func (d *dialogue) onInterrupt(begun bool) (leave bool) {
	switch {
	case begun && d.status.busy():
		return false
	case d.interrupted && !begun:
		return true
	case d.status.busy():
		d.enter("/stop")
		d.print(d.Style.Dim(d.wrapped(d.Words.Say("Stopping. Ctrl-C again leaves."))))
	default:
		d.print(d.Style.Dim(d.wrapped(d.Words.Say("Ctrl-C again leaves; tasks at work go on."))))
	}
	d.interrupted = true
	return false
}

const eventAge = 10 * time.Minute

// keepUp notes who is at work.
func (d *dialogue) keepUp(e client.Event) {
	at := time.Now()
	if !e.Created.IsZero() && e.Created.Before(at) {
		at = e.Created
	}
	if e.Type == errand.EventMessage && time.Since(at) < eventAge {
		d.status.sent(at)
	}
	d.status.note(e, at)
	d.ask.note(e)
}
