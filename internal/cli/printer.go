package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"errand"
)

// A printer prints events one below the other: replies to stdout, what passes
// to stderr where that is a terminal. It streams a reply only to a terminal,
// because what a script has read cannot be taken back.
type printer struct {
	*cli
	last string // id of the last durable event
	// beside gets what is not the reply: stdout, unless a script waits for a
	// reply there.
	beside io.Writer

	mu      sync.Mutex // print and the clock's ticks
	streams string     // what of the reply has been printed
	status  status
	shown   bool // the status line is on the screen
	gone    bool
	stop    func()
}

func (c *cli) printer() *printer { return &printer{cli: c, beside: c.out} }

func (p *printer) print(e event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = first(e.sse, p.last)
	if p.json {
		fmt.Fprintf(p.out, "%s\n", cleanJSON(e.raw))
		return
	}
	p.status.note(e, time.Now())
	p.hide()
	switch e.Type {
	case errand.EventDelta:
		if p.outTTY {
			text := clean(e.Text)
			p.streams += text
			fmt.Fprint(p.out, text)
		}
	case errand.EventReset:
		if p.streams != "" {
			fmt.Fprintln(p.out, p.style.dim(" … again:"))
			p.streams = ""
		}
	case errand.EventReply:
		p.reply(e.body())
	case errand.EventQuestion:
		p.reply(e.body())
		if len(e.Options) > 0 {
			fmt.Fprintln(p.out, offered(e.Options))
		}
	case errand.EventLate:
		p.late(e)
	case errand.EventNotice:
		fmt.Fprintln(p.beside, e.body())
	}
	if p.streams == "" {
		p.show()
	}
}

// reply prints what of a reply is not there yet.
func (p *printer) reply(text string) {
	if p.streams == "" {
		fmt.Fprintln(p.out, text)
		return
	}
	rest, ok := strings.CutPrefix(text, strings.TrimLeft(p.streams, " \n\t"))
	switch {
	case ok:
		fmt.Fprintln(p.out, rest)
	case strings.TrimSpace(p.streams) == text:
		fmt.Fprintln(p.out)
	default:
		fmt.Fprintf(p.out, "\n%s\n%s\n", p.style.dim("… the reply as it is now:"), text)
	}
	p.streams = ""
}

// late prints a late result. What was streamed may have been one: only its end
// says so.
func (p *printer) late(e event) {
	if p.streams != "" {
		p.reply(e.body())
		fmt.Fprintln(p.out, p.style.yellow("(that was "+lateName(e)+")"))
		return
	}
	fmt.Fprintf(p.beside, "%s\n%s\n", p.style.yellow(lateHead(e)), e.body())
}

// show writes the status line and keeps it up to date.
func (p *printer) show() {
	text := p.status.text(time.Now())
	if !p.errTTY || p.json || text == "" {
		return
	}
	fmt.Fprint(p.err, style(p.colours(true)).dim(fit(text, max(p.width(), 80)-1)))
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

func (p *printer) hide() {
	if p.shown {
		fmt.Fprint(p.err, "\r\x1b[K")
		p.shown = false
	}
}

// end takes the status line away.
func (p *printer) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hide()
	p.status = status{}
	if p.streams != "" {
		fmt.Fprintln(p.out)
		p.streams = ""
	}
	if p.stop != nil {
		p.stop()
		p.stop = nil
	}
}

// trouble says once that the worker is gone.
func (p *printer) trouble(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil && !p.gone {
		p.hide()
		fmt.Fprintln(p.err, notReachable)
	}
	p.gone = err != nil
}

// remark says what somebody who waits for a reply should know.
func (p *printer) remark(list []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range list {
		p.hide()
		fmt.Fprintln(p.err, text)
	}
}

const notReachable = "errand is not reachable, trying again…"

// lateHead is the line above a late result.
func lateHead(e event) string { return e.who() + ", " + lateName(e) + ":" }

func lateName(e event) string {
	switch {
	case e.Cause != "":
		return "a " + line(e.Cause)
	case e.Task == "":
		return "a late result"
	}
	return "the late result of " + line(string(e.Task))
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

// working shows that t goes on.
func (p *printer) working(t errand.Task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.status.tasks) == 0 {
		p.status.note(event{Event: errand.Event{Type: errand.EventTask, Task: t.ID, Agent: errand.AgentName(t.AgentList()), State: t.State}}, time.Now())
	}
	if !p.shown {
		p.show()
	}
}
