package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"errand"
	"errand/internal/cli/client"
	"errand/internal/cli/console"
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
	d := newDialogue(c.Console, c.Conversation)
	d.hindrances = c.HindrancesOf(about.Value)
	if c.History != "" {
		h, err := OpenHistory(c.History)
		if d.line.history = h; err != nil {
			d.hindrances = append(d.hindrances, d.noHistory(err))
		}
	}
	return d.run(ctx, d)
}

// A dialogue is one person at a terminal in one chat. It is Bubble Tea's model: the program calls its
// methods in one goroutine. Other goroutines, which follow the chat and deliver messages, only send.
type dialogue struct {
	*console.Console
	conv   *Conversation
	line   *line
	offers *suggestions
	ctx    context.Context // of the goroutines that run starts
	send   func(tea.Msg)
	queue  chan Outgoing
	page   page

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
	leaving     bool // the program ends as soon as what was typed is delivered
	err         error
	done        bool
}

// Messages that goroutines send to the dialogue, besides client.Event and suggested.
type (
	// An answer is the outcome of delivering a message.
	answer struct {
		to   Outgoing
		text string // of a command
		err  error
	}
	followed struct{ err error } // the events have ended
	trouble  struct{ err error } // the worker is gone; nil: it is back
	settled  int                 // no earlier message came after so many
	second   struct{}
	overdue  struct{} // messages that are not delivered by now will not be
)

func newDialogue(c *console.Console, conv *Conversation) *dialogue {
	d := &dialogue{Console: c, conv: conv, typedHere: map[string]bool{}, queue: make(chan Outgoing, 100), offers: newSuggestions()}
	d.line = newLine(d.offers.complete)
	d.page.width, d.page.height = cmp.Or(c.Width(), 80), c.Height()
	conv.Met = true
	return d
}

const (
	settle     = 150 * time.Millisecond
	firstFrame = 100 * time.Millisecond // it is drawn after a sixtieth of a second
	lastWait   = 3 * time.Second        // for the last message to be confirmed when the person leaves
)

// run shows model, which is d, until the person leaves.
func (d *dialogue) run(ctx context.Context, model tea.Model, options ...tea.ProgramOption) error {
	following, cancel := context.WithCancel(ctx)
	defer cancel()
	program := tea.NewProgram(model, append([]tea.ProgramOption{tea.WithContext(ctx), tea.WithInput(d.In), tea.WithOutput(d.Out), tea.WithoutSignalHandler()}, options...)...)
	d.ctx, d.send = following, program.Send
	d.conv.Trouble = func(err error) { d.send(trouble{err}) }
	d.offers.fetch = func(k kind, change int) {
		l := d.Words
		go func() { d.send(d.conv.suggest(d.ctx, k, change, l)) }()
	}
	d.greet()
	go func() {
		err := d.conv.Follow(d.ctx, "", func(e client.Event) bool {
			d.send(e)
			return d.ctx.Err() == nil
		})
		d.send(followed{err})
	}()
	go d.deliver()
	if _, err := program.Run(); err != nil && ctx.Err() == nil {
		return d.Errorf("prepare the terminal: %w", err)
	}
	for _, row := range d.page.waiting {
		fmt.Fprintln(d.Out, row)
	}
	switch {
	case d.unconfirmed > 0:
		return failed(d.Words.Say("{n} message(s) were not confirmed: errand was not reachable", "n", strconv.Itoa(d.unconfirmed)))
	case errors.Is(d.err, io.EOF):
		return nil
	}
	return client.InLanguage(d.err, d.Words)
}

func (d *dialogue) greet() {
	d.print(d.Style.Dim(d.wrapped(d.Words.Say("Chat {chat} at {base}. /help lists commands; Ctrl-D leaves.", "chat", printable.Text(d.conv.Chat), "base", d.conv.Base))))
	for _, text := range d.hindrances {
		d.print(d.Style.Yellow(d.wrapped(text)))
	}
	fmt.Fprintln(d.Out, strings.Join(d.page.waiting, "\n"))
	d.page.said, d.page.waiting = d.page.waiting, nil
}

// Init waits for the first frame, because Bubble Tea cannot print above what it has not drawn.
func (d *dialogue) Init() tea.Cmd {
	d.page.printing = true
	return tea.Batch(tick(firstFrame, printed{}), tick(time.Second, second{}), func() tea.Msg {
		// Terminals show a cluster of several code points as one character; few say so when asked.
		return tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeSet}
	})
}

func tick(after time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(after, func(time.Time) tea.Msg { return msg })
}

// Update handles what happens, and then prints what there is to print.
func (d *dialogue) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := d.handle(msg)
	if waits := errors.Is(d.err, io.EOF) && d.unconfirmed > 0 && d.gone.IsZero(); d.leaving && !waits && !d.done {
		d.done = true
		if n := len(d.status.tasks); n > 0 {
			d.print(d.Style.Dim(d.wrapped(d.Words.Say("{n} open task(s) go on; their results will be in this chat.", "n", strconv.Itoa(n)))))
		}
	}
	if d.done && !d.page.printing {
		return d, tea.Quit
	}
	return d, tea.Batch(cmd, d.page.flush(d.Out))
}

func (d *dialogue) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		d.page.resize(msg.Width, msg.Height)
	case printed:
		d.page.printing = false
	case client.Event:
		return d.event(msg)
	case settled:
		if int(msg) == len(d.past) {
			d.showPast()
		}
	case tea.KeyPressMsg:
		return d.press(msg)
	case tea.PasteMsg:
		d.line.paste(msg.Content)
	case suggested:
		if d.offers.come(msg) {
			d.line.completeAgain()
		}
	case words.Language:
		d.speak(msg)
	case answer:
		d.answered(msg)
		if now := d.Words; isLanguage(msg.to) {
			return func() tea.Msg { return d.conv.language(d.ctx, now) }
		}
	case trouble:
		d.trouble(msg.err)
	case followed:
		d.leave(msg.err)
	case second:
		return tick(time.Second, second{})
	case overdue:
		d.err, d.leaving = nil, true
	}
	return nil
}

func (d *dialogue) event(e client.Event) tea.Cmd {
	d.offers.note(e.Type)
	if !e.Created.IsZero() && e.Created.Before(d.Began) {
		d.past = append(d.past, e)
		return tick(settle, settled(len(d.past)))
	}
	if d.showPast(); !d.leaving { // else it is shown when the chat is opened again
		d.show(e)
	}
	return nil
}

func (d *dialogue) press(k tea.KeyPressMsg) tea.Cmd {
	if d.leaving {
		return nil
	}
	begun := d.line.text() != ""
	switch what, text := d.line.press(k); {
	case what == entered:
		d.entered(text)
	case what == cleared:
		d.page.clear()
	case what == ended, what == stopped && d.onInterrupt(begun):
		d.leave(io.EOF)
		return tick(lastWait, overdue{})
	}
	return nil
}

// leave ends the dialogue: at the end of the input, when what was typed is delivered.
func (d *dialogue) leave(err error) {
	if !d.leaving {
		d.leaving, d.err = true, err
	}
}

func (d *dialogue) deliver() {
	for {
		select {
		case <-d.ctx.Done():
			return
		case m := <-d.queue:
			text, err := d.conv.Deliver(d.ctx, m)
			d.send(answer{m, text, err})
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

// View is the live part: what of a reply is being generated, who is at work, and the message.
func (d *dialogue) View() tea.View {
	if d.done {
		return tea.NewView("")
	}
	live := d.live()
	most := max(1, d.page.height-1) // a row above stays free for what is printed
	rows, cursor := d.line.view(d.page.width-1, max(most-len(live), min(leastTyped, most), most/2), d.Words, d.Style)
	live = live[min(len(live), max(0, len(live)+len(rows)-most)):]
	cursor.Y += len(live)
	d.page.live = len(live) + len(rows)
	v := tea.NewView(strings.Join(append(live, rows...), "\n"))
	v.Cursor = cursor
	return v
}

const leastTyped = 3

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
