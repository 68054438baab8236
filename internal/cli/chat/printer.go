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
	"errand/internal/cli/words"
	"errand/internal/printable"
)

// A Printer prints events one below the other: replies to stdout, what passes
// to stderr where that is a terminal. It streams a reply only to a terminal,
// because what a script has read cannot be taken back, and shows there what its
// Markdown means; a script gets the Markdown.
type Printer struct {
	*console.Console
	last string // id of the last durable event
	// beside gets what is not the reply: stdout, unless a script waits for a
	// reply there.
	beside io.Writer
	// ReplyOnly leaves out all but replies and results.
	ReplyOnly bool

	mu     sync.Mutex // print and the clock's ticks
	flow   flow       // what of the reply has come
	drawn  int        // rows of its open block that are on the screen
	turn   int        // of the latest event that has one
	status status
	shown  bool // the status line is on the screen
	gone   bool
	stop   func()
}

func NewPrinter(c *console.Console) *Printer { return &Printer{Console: c, beside: c.Out} }

func (p *Printer) Print(e client.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = cmp.Or(e.SSE, p.last)
	if p.ReplyOnly && !isReply(e.Type) {
		return
	}
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
		if p.draws() {
			p.erase()
			p.rows(p.flow.add(p.form(), printable.Text(e.Text)))
			p.open()
		}
	case errand.EventReset:
		p.endWith(p.Words.Say("again:"))
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
		fmt.Fprintln(p.beside, fileText(p.Words, e))
	case errand.EventError:
		p.breakOff()
	}
	if p.flow.all == "" {
		p.show()
	}
}

// isReply holds for what an agent has said to the end.
func isReply(t errand.EventType) bool {
	return t == errand.EventReply || t == errand.EventQuestion || t == errand.EventLate
}

// draws reports whether rows that are there can be drawn again.
func (p *Printer) draws() bool { return p.OutTTY && p.Getenv("TERM") != "dumb" }

func (p *Printer) form() form { return form{p.Style, max(p.Width(), 21) - 1} }

func (p *Printer) rows(rows []string) {
	for _, row := range rows {
		fmt.Fprintln(p.Out, row)
	}
}

// open draws the block that is not at its end, erase takes it away.
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

// endWith ends a reply that does not come to its end.
func (p *Printer) endWith(how string) {
	if p.flow.all == "" {
		return
	}
	p.erase()
	p.rows(p.form().endedBy(how, p.flow.finish(p.form())))
	p.flow = flow{}
}

// reply prints what of a reply is not there yet.
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
		fmt.Fprintln(p.Out, p.Style.Dim(p.Words.Say("… the reply as it is now:")))
		p.text(p.Out, text)
	}
	p.flow = flow{}
}

// breakOff ends a reply that does not come to its end.
func (p *Printer) breakOff() { p.endWith(p.Words.Say("broken off")) }

// late prints a late result. What was streamed may have been one: only its end
// says so.
func (p *Printer) late(e client.Event) {
	switch {
	case p.ReplyOnly:
		p.text(p.Out, e.Body())
	case p.flow.all != "":
		p.reply(e.Body())
		fmt.Fprintln(p.Out, p.Style.Yellow(thatWas(p.Words, e)))
	default:
		fmt.Fprintln(p.beside, p.Style.Yellow(lateHead(p.Words, e)))
		p.text(p.beside, e.Body())
	}
	p.ending(e)
}

// ending says of a reply that is not whole why it ends there.
func (p *Printer) ending(e client.Event) {
	if why := endsEarly(p.Words, e); why != "" && !p.ReplyOnly {
		fmt.Fprintln(p.beside, p.Style.Dim(why))
	}
}

// endsEarly is why a reply is not whole; empty where it is.
func endsEarly(l words.Language, e client.Event) string {
	switch e.Cause {
	case errand.CutOff:
		return l.Say("… cut off at the model's limit")
	case errand.Withheld:
		return l.Say("… the model's provider withheld the rest")
	}
	return ""
}

func (p *Printer) show() {
	text := p.status.text(p.Words, time.Now())
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

// End takes the status line away.
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

// Trouble says once that the worker is gone.
func (p *Printer) Trouble(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil && !p.gone {
		p.hide()
		fmt.Fprintln(p.Err, NotReachable(p.Words))
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

// NotReachable says that the worker is gone.
func NotReachable(l words.Language) string { return l.Say("errand is not reachable, trying again…") }

// lateHead is the line above a late result, thatWas the one below one that nobody knew to be
// late before its end.
func lateHead(l words.Language, e client.Event) string {
	switch kind, task := late(e); {
	case kind != "":
		return l.Say("{agent}, a {kind}:", "agent", e.Who(), "kind", kind)
	case task == "":
		return l.Say("{agent}, a late result:", "agent", e.Who())
	default:
		return l.Say("{agent}, the late result of {task}:", "agent", e.Who(), "task", task)
	}
}

func thatWas(l words.Language, e client.Event) string {
	switch kind, task := late(e); {
	case kind != "":
		return l.Say("(that was a {kind})", "kind", kind)
	case task == "":
		return l.Say("(that was a late result)")
	default:
		return l.Say("(that was the late result of {task})", "task", task)
	}
}

// late is what came without having been waited for: what it is of, or of which task.
func late(e client.Event) (kind, task string) {
	if e.Cause != "" && e.Cause != errand.CutOff && e.Cause != errand.Withheld {
		return printable.Line(e.Cause), ""
	}
	return "", printable.Line(string(e.Task))
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
