package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

// RunDialogue runs the chat on a terminal.
func (c *Chat) RunDialogue(ctx context.Context) error {
	// Check that the worker responds before changing the terminal.
	about, err := api.Call(ctx, c.API(), api.GetAbout, api.None{})
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

// A dialogue is the model of Bubble Tea. One goroutine calls its methods. Other goroutines
// only send messages.
type dialogue struct {
	*console.Console
	conv   *Conversation
	line   *line
	offers *suggestions
	ctx    context.Context // for the goroutines that run starts
	send   func(tea.Msg)
	queue  chan Outgoing
	page   page

	status      status
	ask         question
	flow        flow
	turn        int             // of the latest event with a turn
	past        []console.Event // earlier events that are not shown yet
	hindrances  []string
	typedHere   map[string]bool
	unconfirmed int
	gone        time.Time // since when the worker is unreachable
	interrupted bool
	leaving     bool // the program ends once typed messages are delivered
	err         error
	done        bool
}

type (
	answer struct {
		to   Outgoing
		text string // the answer to a command
		err  error
	}
	followed struct{ err error } // the stream of events has ended
	trouble  struct{ err error } // the worker is gone; nil: it is back
	settled  int                 // number of earlier messages when the timer started
	second   struct{}
	overdue  struct{} // the wait for deliveries is over
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
	firstFrame = 100 * time.Millisecond // Bubble Tea draws after a sixtieth of a second
	lastWait   = 3 * time.Second        // for the confirmation of the last message when the person leaves
)

// run shows model until the person leaves. model is d, or wraps it in tests.
func (d *dialogue) run(ctx context.Context, model tea.Model, options ...tea.ProgramOption) error {
	following, cancel := context.WithCancel(ctx)
	defer cancel()
	program := tea.NewProgram(model, append([]tea.ProgramOption{tea.WithContext(ctx), tea.WithInput(d.In), tea.WithOutput(d.Out), tea.WithoutSignalHandler()}, options...)...)
	d.ctx, d.send = following, program.Send
	d.conv.Trouble = func(err error) { d.send(trouble{err}) }
	d.offers.fetch = func(k kind, change int) {
		go func() { d.send(d.conv.suggest(d.ctx, k, change)) }()
	}
	d.greet()
	go func() {
		err := d.conv.Follow(d.ctx, "", func(e console.Event) bool {
			d.send(e)
			return d.ctx.Err() == nil
		})
		d.send(followed{err})
	}()
	go d.deliver()
	if _, err := program.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("prepare the terminal: %w", err)
	}
	for _, row := range d.page.waiting {
		fmt.Fprintln(d.Out, row)
	}
	switch {
	case d.unconfirmed > 0:
		return console.Failf("errand did not confirm %d message(s): it was not reachable", d.unconfirmed)
	case errors.Is(d.err, io.EOF):
		return nil
	}
	return d.err
}

func (d *dialogue) greet() {
	d.print(d.Style.Dim(d.wrapped(fmt.Sprintf("Chat %s at %s. /help lists commands; Ctrl-D leaves.", console.Text(d.conv.Chat), d.conv.Base))))
	for _, text := range d.hindrances {
		d.print(d.Style.Yellow(d.wrapped(text)))
	}
	fmt.Fprintln(d.Out, strings.Join(d.page.waiting, "\n"))
	d.page.said, d.page.waiting = d.page.waiting, nil
}

// Init waits for the first frame, because Bubble Tea cannot print above it earlier.
func (d *dialogue) Init() tea.Cmd {
	d.page.printing = true
	return tea.Batch(tick(firstFrame, printed{}), tick(time.Second, second{}), func() tea.Msg {
		// Assume that the terminal shows grapheme clusters as one character. Most do, but few
		// report it.
		return tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeSet}
	})
}

func tick(after time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(after, func(time.Time) tea.Msg { return msg })
}

// Update handles a message, and then prints waiting rows.
func (d *dialogue) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := d.handle(msg)
	if waits := errors.Is(d.err, io.EOF) && d.unconfirmed > 0 && d.gone.IsZero(); d.leaving && !waits && !d.done {
		d.done = true
		if n := len(d.status.tasks); n > 0 {
			d.print(d.Style.Dim(d.wrapped(fmt.Sprintf("%d open task(s) continue; their results will come to this chat.", n))))
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
	case console.Event:
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
	case answer:
		d.answered(msg)
		if msg.to.Command() && strings.HasPrefix(strings.ToLower(msg.to.Text), "/language") {
			d.offers.forgetAll() // their descriptions depend on the language
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

func (d *dialogue) event(e console.Event) tea.Cmd {
	d.offers.note(e.Type)
	if !e.Created.IsZero() && e.Created.Before(d.Began) {
		d.past = append(d.past, e)
		return tick(settle, settled(len(d.past)))
	}
	if d.showPast(); !d.leaving { // otherwise it appears when the chat is opened again
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

// leave ends the chat. At the end of the input it first waits until typed messages are delivered.
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

func pass[T any](ctx context.Context, to chan<- T, v T) bool {
	select {
	case to <- v:
		return true
	case <-ctx.Done():
		return false
	}
}

// View returns the live part: the reply being generated, the working agents, and the
// message being typed.
func (d *dialogue) View() tea.View {
	if d.done {
		return tea.NewView("")
	}
	live := d.live()
	most := max(1, d.page.height-1) // leave one row free for printing
	rows, cursor := d.line.view(d.page.width-1, max(most-len(live), min(leastTyped, most), most/2), d.Style)
	live = live[min(len(live), max(0, len(live)+len(rows)-most)):]
	cursor.Y += len(live)
	d.page.live = len(live) + len(rows)
	v := tea.NewView(strings.Join(append(live, rows...), "\n"))
	v.Cursor = cursor
	return v
}

const leastTyped = 3

// onInterrupt stops running work. A second Ctrl-C leaves. begun says that a message was discarded.
func (d *dialogue) onInterrupt(begun bool) (leave bool) {
	switch {
	case begun && d.status.busy():
		return false
	case d.interrupted && !begun:
		return true
	case d.status.busy():
		d.enter("/stop")
		d.print(d.Style.Dim(d.wrapped("Stopping. Press Ctrl-C again to leave.")))
	default:
		d.print(d.Style.Dim(d.wrapped("Press Ctrl-C again to leave; running tasks continue.")))
	}
	d.interrupted = true
	return false
}

const eventAge = 10 * time.Minute

func (d *dialogue) keepUp(e console.Event) {
	at := time.Now()
	if !e.Created.IsZero() && e.Created.Before(at) {
		at = e.Created
	}
	if e.Type == core.EventMessage && time.Since(at) < eventAge {
		d.status.sent(at)
	}
	d.status.note(e, at)
	d.ask.note(e)
}
