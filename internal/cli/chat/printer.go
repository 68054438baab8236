package chat

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"errand/internal/cli/console"
	"errand/internal/core"
)

// A Printer prints events one after another. Replies go to stdout, and passing states to
// stderr if that is a terminal. On a terminal it streams replies and renders their Markdown.
// A script gets whole replies as Markdown, because printed text cannot be taken back.
type Printer struct {
	*console.Console
	last string // id of the last stored event
	// beside is for everything but replies. It is stdout, unless a script reads its reply there.
	beside io.Writer
	// ReplyOnly prints only replies and results.
	ReplyOnly bool

	mu     sync.Mutex // guards printing against the clock's ticks
	flow   flow       // the reply so far
	drawn  int        // rows of its open block on the screen
	turn   int        // of the latest event with a turn
	status status
	shown  bool // the status line is on the screen
	gone   bool
	stop   func()
}

func NewPrinter(c *console.Console) *Printer { return &Printer{Console: c, beside: c.Out} }

func (p *Printer) Print(e console.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = cmp.Or(e.SSE, p.last)
	if p.ReplyOnly && !isReply(e.Type) {
		return
	}
	if p.JSON {
		fmt.Fprintf(p.Out, "%s\n", console.JSON(e.Raw))
		return
	}
	p.status.note(e, time.Now())
	p.hide()
	if e.Turn > 0 {
		if p.turn > 0 && e.Turn != p.turn {
			p.breakOff() // no event reports an interrupted turn
		}
		p.turn = e.Turn
	}
	switch e.Type {
	case core.EventDelta:
		if p.draws() {
			p.erase()
			p.rows(p.flow.add(p.form(), console.Text(e.Text)))
			p.open()
		}
	case core.EventReset:
		p.endWith("again:")
	case core.EventReply:
		p.reply(e.Body())
		p.ending(e)
	case core.EventQuestion:
		p.reply(e.Body())
		if len(e.Options) > 0 {
			fmt.Fprintln(p.Out, offered(e.Options))
		}
	case core.EventLate:
		p.late(e)
	case core.EventNotice:
		if e.Ends() {
			p.breakOff()
		}
		fmt.Fprintln(p.beside, e.Body())
	case core.EventFile:
		fmt.Fprintln(p.beside, fileText(e))
	case core.EventError:
		p.breakOff()
	}
	if p.flow.all == "" {
		p.show()
	}
}

func isReply(t core.EventType) bool {
	return t == core.EventReply || t == core.EventQuestion || t == core.EventLate
}

func (p *Printer) draws() bool { return p.OutTTY && p.Getenv("TERM") != "dumb" }

func (p *Printer) form() form { return form{p.Style, max(p.Width(), 21) - 1} }

func (p *Printer) rows(rows []string) {
	for _, row := range rows {
		fmt.Fprintln(p.Out, row)
	}
}

func (p *Printer) open() {
	rows := p.flow.open(p.form(), p.Height())
	p.rows(rows)
	p.drawn = len(rows)
}

func (p *Printer) erase() {
	fmt.Fprint(p.Out, strings.Repeat("\x1b[1A\r\x1b[K", p.drawn))
	p.drawn = 0
}

func (p *Printer) text(to io.Writer, text string) {
	if p.draws() {
		text = strings.Join(p.form().whole("", text), "\n")
	}
	fmt.Fprintln(to, text)
}

func (p *Printer) endWith(how string) {
	if p.flow.all == "" {
		return
	}
	p.erase()
	p.rows(p.form().endedBy(how, p.flow.finish(p.form())))
	p.flow = flow{}
}

func (p *Printer) reply(text string) {
	if p.flow.all == "" {
		p.text(p.Out, text)
		return
	}
	p.erase()
	if rest, ok := p.flow.rest(text); ok {
		p.rows(append(p.flow.add(p.form(), rest), p.flow.finish(p.form())...))
	} else {
		p.rows(p.flow.finish(p.form()))
		fmt.Fprintln(p.Out, p.Style.Dim("… the reply as it now stands:"))
		p.text(p.Out, text)
	}
	p.flow = flow{}
}

func (p *Printer) breakOff() { p.endWith("broken off") }

// late prints a late result. It may have been streamed: only its end says that it is late.
func (p *Printer) late(e console.Event) {
	switch {
	case p.ReplyOnly:
		p.text(p.Out, e.Body())
	case p.flow.all != "":
		p.reply(e.Body())
		fmt.Fprintln(p.Out, p.Style.Yellow(thatWas(e)))
	default:
		fmt.Fprintln(p.beside, p.Style.Yellow(lateHead(e)))
		p.text(p.beside, e.Body())
	}
	p.ending(e)
}

func (p *Printer) ending(e console.Event) {
	if why := endsEarly(e); why != "" && !p.ReplyOnly {
		fmt.Fprintln(p.beside, p.Style.Dim(why))
	}
}

func endsEarly(e console.Event) string {
	switch e.Cause {
	case core.CutOff:
		return "… cut off at the model's limit"
	case core.Withheld:
		return "… the model's provider blocked the rest"
	}
	return ""
}

func (p *Printer) show() {
	text := p.status.text(time.Now())
	if !p.ErrTTY || p.JSON || p.ReplyOnly || text == "" {
		return
	}
	fmt.Fprint(p.Err, console.Style(p.Colours(true)).Dim(console.Fit(text, max(p.Width(), 80)-1)))
	p.shown = true
	if p.stop == nil {
		p.stop = every(time.Second, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.shown {
				p.hide()
				p.show()
			}
		})
	}
}

func (p *Printer) hide() {
	if p.shown {
		fmt.Fprint(p.Err, "\r\x1b[K")
		p.shown = false
	}
}

// End removes the status line.
func (p *Printer) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hide()
	p.status = status{}
	if p.flow.all != "" {
		p.erase()
		p.rows(p.flow.finish(p.form()))
		p.flow = flow{}
	}
	if p.stop != nil {
		p.stop()
		p.stop = nil
	}
}

// Trouble prints once that the worker is gone.
func (p *Printer) Trouble(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil && !p.gone {
		p.hide()
		fmt.Fprintln(p.Err, notReachable)
	}
	p.gone = err != nil
}

func (p *Printer) remark(list []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range list {
		p.hide()
		fmt.Fprintln(p.Err, text)
	}
}

const notReachable = "Can't reach errand. Trying again…"

// lateHead is printed above a late result, and thatWas below one that was streamed.
func lateHead(e console.Event) string {
	switch kind, task := late(e); {
	case kind != "":
		return fmt.Sprintf("%s, a %s:", e.Who(), kind)
	case task == "":
		return fmt.Sprintf("%s, a late result:", e.Who())
	default:
		return fmt.Sprintf("%s, the late result of %s:", e.Who(), task)
	}
}

func thatWas(e console.Event) string {
	switch kind, task := late(e); {
	case kind != "":
		return fmt.Sprintf("(that was a %s)", kind)
	case task == "":
		return "(that was a late result)"
	default:
		return fmt.Sprintf("(that was the late result of %s)", task)
	}
}

func late(e console.Event) (kind, task string) {
	if e.Cause != "" && e.Cause != core.CutOff && e.Cause != core.Withheld {
		return console.Line(e.Cause), ""
	}
	return "", console.Line(string(e.Task))
}

func every(d time.Duration, f func()) (stop func()) {
	tick := time.NewTicker(d)
	done := make(chan struct{})
	go func() {
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				f()
			}
		}
	}()
	return sync.OnceFunc(func() { close(done) })
}

// Working shows that t is still running.
func (p *Printer) Working(t core.Task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.status.tasks) == 0 {
		p.status.note(console.Event{Event: core.Event{Type: core.EventTask, Task: t.ID, Agent: core.AgentName(t.AgentList()), State: t.State}}, time.Now())
	}
	if !p.shown {
		p.show()
	}
}
