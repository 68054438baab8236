package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"errand"
	"errand/internal/cli/client"
	"errand/internal/cli/console"
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
		return fmt.Errorf("prepare the terminal: %w", err)
	}
	d := newDialogue(c.Console, c.Conversation, func() (int, int) {
		w, h, err := term.GetSize(fd)
		if err != nil {
			return 80, 24
		}
		return w, h
	})
	d.hindrances = client.HindrancesOf(about.Value)
	d.screen.term.SetBracketedPasteMode(true)
	defer func() {
		d.screen.term.SetBracketedPasteMode(false)
		fmt.Fprint(c.Out, "\r")
		if err := term.Restore(fd, before); err != nil {
			fmt.Fprintln(c.Err, "errand: the terminal could not be restored; `reset` does")
		}
	}()
	return d.run(ctx)
}

// A dialogue is one person at a terminal in one chat. The goroutine of run owns
// its state; the others, which read the keyboard, follow the chat and deliver
// what was typed, only send to its channels.
type dialogue struct {
	*console.Console
	conv    *Conversation
	screen  *screen
	history *lineHistory

	events     chan client.Event
	typed      chan typedLine
	queue      chan Outgoing
	answers    chan answer
	troubles   chan error
	interrupts chan chan bool

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

type typedLine struct {
	text string
	err  error
}

// An answer is what became of the delivery of a message.
type answer struct {
	to   Outgoing
	text string // of a command
	err  error
}

func newDialogue(c *console.Console, conv *Conversation, size func() (int, int)) *dialogue {
	d := &dialogue{
		Console: c, conv: conv, history: &lineHistory{}, typedHere: map[string]bool{},
		events: make(chan client.Event, 64), typed: make(chan typedLine), queue: make(chan Outgoing, 100),
		answers: make(chan answer), troubles: make(chan error), interrupts: make(chan chan bool),
	}
	d.screen = &screen{size: size}
	input := &keys{in: c.In, beforeEnter: d.screen.hold, interrupt: d.interrupt}
	d.screen.term = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{input, c.Out}, "> ")
	d.screen.term.History = d.history
	conv.Met = true
	return d
}

// settle is how long the log of the past is silent when it is at its end.
const settle = 150 * time.Millisecond

func (d *dialogue) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d.conv.Trouble = func(err error) { pass(ctx, d.troubles, err) }
	d.print(d.Style.Dim(fmt.Sprintf("Chat %s at %s. /help says what can be said; Ctrl-D leaves.", printable.Text(d.conv.Chat), d.conv.Base)))
	for _, text := range d.hindrances {
		d.print(d.Style.Yellow(text))
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
	for {
		select {
		case <-ctx.Done():
			return d.finish(nil)
		case err := <-followed:
			if ctx.Err() == nil {
				return d.finish(err)
			}
		case e := <-d.events:
			if !e.Created.IsZero() && e.Created.Before(d.Began) {
				d.past = append(d.past, e)
				settled.Reset(settle)
				continue
			}
			d.showPast()
			d.show(e)
		case <-settled.C:
			d.showPast()
		case l := <-d.typed:
			if l.err != nil {
				return d.finish(l.err)
			}
			d.enter(l.text)
		case a := <-d.answers:
			d.answered(a)
		case err := <-d.troubles:
			d.trouble(err)
		case reply := <-d.interrupts:
			reply <- d.onInterrupt()
		case <-second.C:
		}
		d.screen.setLive(d.live()...)
	}
}

// read reads lines until the terminal is left.
func (d *dialogue) read(ctx context.Context) {
	pasted := ""
	for {
		d.screen.release()
		text, err := d.screen.term.ReadLine()
		if errors.Is(err, term.ErrPasteIndicator) {
			pasted += text + "\n" // a paste of many lines is one message
			continue
		}
		text, pasted = pasted+text, ""
		if !pass(ctx, d.typed, typedLine{text, err}) || err != nil {
			return
		}
	}
}

// deliver sends what was typed, in order.
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

// interrupt is called by whoever reads the keyboard.
func (d *dialogue) interrupt() (leave bool) {
	reply := make(chan bool, 1)
	d.interrupts <- reply
	return <-reply
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

// lastWait is how long leaving waits for what was just typed to be confirmed.
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
		text = d.Style.Dim(fmt.Sprintf("%d open task(s) go on; their results will be in this chat.", n))
	}
	d.screen.term.SetPrompt("")
	d.screen.update(text)
	switch {
	case d.unconfirmed > 0:
		return console.Failf("%d message(s) were not confirmed: errand was not reachable", d.unconfirmed)
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}

// onInterrupt is Ctrl-C: first it stops what runs, then it leaves.
func (d *dialogue) onInterrupt() (leave bool) {
	switch {
	case d.interrupted:
		return true
	case d.status.busy():
		d.enter("/stop")
		d.print(d.Style.Dim("Stopping. Ctrl-C again leaves."))
	default:
		d.print(d.Style.Dim("Ctrl-C again leaves; tasks at work go on."))
	}
	d.interrupted = true
	return false
}

// eventAge is how old the last message of a chat may be for its turn to be
// taken for one that still runs.
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
