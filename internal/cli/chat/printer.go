package chat

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"errand"
	"errand/internal/cli/client"
	"errand/internal/cli/console"
	"errand/internal/printable"
)

// A Printer prints events one below the other: replies to stdout, what passes
// to stderr where that is a terminal. It streams a reply only to a terminal,
// because what a script has read cannot be taken back.
type Printer struct {
	*console.Console
	last string // id of the last durable event
	// beside gets what is not the reply: stdout, unless a script waits for a
	// reply there.
	beside io.Writer

	mu      sync.Mutex // print and the clock's ticks
	streams string     // what of the reply has been printed
	turn    int        // of the latest event that has one
	status  status
	shown   bool // the status line is on the screen
	gone    bool
	stop    func()
}

func NewPrinter(c *console.Console) *Printer { return &Printer{Console: c, beside: c.Out} }

func (p *Printer) Print(e client.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = cmp.Or(e.SSE, p.last)
	if p.JSON {
		fmt.Fprintf(p.Out, "%s\n", printable.JSON(e.Raw))
		return
	}
	p.status.note(e, time.Now())
	p.hide()
	if e.Turn > 0 {
		if p.turn > 0 && e.Turn != p.turn {
			p.breakOff() // nothing else says that a turn was interrupted
		}
		p.turn = e.Turn
	}
	switch e.Type {
	case errand.EventDelta:
		if p.OutTTY {
			text := printable.Text(e.Text)
			p.streams += text
			fmt.Fprint(p.Out, text)
		}
	case errand.EventReset:
		if p.streams != "" {
			fmt.Fprintln(p.Out, p.Style.Dim(" … again:"))
			p.streams = ""
		}
	case errand.EventReply:
		p.reply(e.Body())
		p.ending(e)
	case errand.EventQuestion:
		p.reply(e.Body())
		if len(e.Options) > 0 {
			fmt.Fprintln(p.Out, offered(e.Options))
		}
	case errand.EventLate:
		p.late(e)
	case errand.EventNotice:
		if e.Ends() {
			p.breakOff()
		}
		fmt.Fprintln(p.beside, e.Body())
	case errand.EventFile:
		fmt.Fprintln(p.beside, fileText(e))
	case errand.EventError:
		p.breakOff()
	}
	if p.streams == "" {
		p.show()
	}
}

// reply prints what of a reply is not there yet.
func (p *Printer) reply(text string) {
	if p.streams == "" {
		fmt.Fprintln(p.Out, text)
		return
	}
	rest, ok := strings.CutPrefix(text, strings.TrimLeft(p.streams, " \n\t"))
	switch {
	case ok:
		fmt.Fprintln(p.Out, rest)
	case strings.TrimSpace(p.streams) == text:
		fmt.Fprintln(p.Out)
	default:
		fmt.Fprintf(p.Out, "\n%s\n%s\n", p.Style.Dim("… the reply as it is now:"), text)
	}
	p.streams = ""
}

// breakOff ends a reply that does not come to its end.
func (p *Printer) breakOff() {
	if p.streams != "" {
		fmt.Fprintln(p.Out, p.Style.Dim(" … broken off"))
		p.streams = ""
	}
}

// late prints a late result. What was streamed may have been one: only its end
// says so.
func (p *Printer) late(e client.Event) {
	if p.streams != "" {
		p.reply(e.Body())
		fmt.Fprintln(p.Out, p.Style.Yellow("(that was "+lateName(e)+")"))
	} else {
		fmt.Fprintf(p.beside, "%s\n%s\n", p.Style.Yellow(lateHead(e)), e.Body())
	}
	p.ending(e)
}

// ending says of a reply that is not whole why it ends there.
func (p *Printer) ending(e client.Event) {
	if why := endsEarly(e); why != "" {
		fmt.Fprintln(p.beside, p.Style.Dim(why))
	}
}

// endsEarly is why a reply is not whole; empty where it is.
func endsEarly(e client.Event) string {
	switch e.Cause {
	case errand.CutOff:
		return "… cut off at the model's limit"
	case errand.Withheld:
		return "… the model's provider withheld the rest"
	}
	return ""
}

// show writes the status line and keeps it up to date.
func (p *Printer) show() {
	text := p.status.text(time.Now())
	if !p.ErrTTY || p.JSON || text == "" {
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

// End takes the status line away.
func (p *Printer) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hide()
	p.status = status{}
	if p.streams != "" {
		fmt.Fprintln(p.Out)
		p.streams = ""
	}
	if p.stop != nil {
		p.stop()
		p.stop = nil
	}
}

// Trouble says once that the worker is gone.
func (p *Printer) Trouble(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil && !p.gone {
		p.hide()
		fmt.Fprintln(p.Err, NotReachable)
	}
	p.gone = err != nil
}

// remark says what somebody who waits for a reply should know.
func (p *Printer) remark(list []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range list {
		p.hide()
		fmt.Fprintln(p.Err, text)
	}
}

const NotReachable = "errand is not reachable, trying again…"

// lateHead is the line above a late result.
func lateHead(e client.Event) string { return e.Who() + ", " + lateName(e) + ":" }

func lateName(e client.Event) string {
	switch {
	case e.Cause != "" && endsEarly(e) == "":
		return "a " + printable.Line(e.Cause)
	case e.Task == "":
		return "a late result"
	}
	return "the late result of " + printable.Line(string(e.Task))
}

// every calls f at every tick until it is stopped.
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

// Working shows that t goes on.
func (p *Printer) Working(t errand.Task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.status.tasks) == 0 {
		p.status.note(client.Event{Event: errand.Event{Type: errand.EventTask, Task: t.ID, Agent: errand.AgentName(t.AgentList()), State: t.State}}, time.Now())
	}
	if !p.shown {
		p.show()
	}
}
