package chat

import (
	"fmt"
	"strings"
	"time"

	"errand/internal/cli/console"
	"errand/internal/core"
)

func (d *dialogue) entered(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	d.print(prompt + strings.ReplaceAll(console.Wrap(console.Text(strings.ReplaceAll(text, "\t", "    ")), d.width()-len(prompt)), "\n", "\n  "))
	if err := d.line.history.Keep(text); err != nil {
		d.print(d.Style.Dim(d.wrapped(d.noHistory(err))))
	}
	d.enter(text)
}

func (d *dialogue) noHistory(err error) string {
	return "errand: the history: " + console.Text(err.Error())
}

func (d *dialogue) enter(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	d.interrupted = false
	got := d.ask.meant(text)
	m := NewMessage(got)
	select {
	case d.queue <- m:
	default:
		d.print(d.Style.Red(d.wrapped("errand: too many messages are waiting to be sent, so this one was not taken")))
		return
	}
	d.typedHere[m.MessageID] = true
	d.unconfirmed++
	if !m.Command() {
		d.ask = question{}
		d.status.sent(time.Now())
	}
	if got != text {
		d.print(d.Style.Dim("· " + console.Line(got)))
	}
}

func (d *dialogue) answered(a answer) {
	d.unconfirmed--
	switch {
	case a.err != nil:
		if !a.to.Command() {
			d.status.stopped()
		}
		d.print(d.Style.Red(d.wrapped("errand: " + console.Text(a.err.Error()))))
	case a.text != "":
		switch command, _, _ := strings.Cut(a.to.Text, " "); command {
		case "/stop", "/reset", "/new":
			d.status.stopped()
			d.breakOff()
		}
		d.print(d.wrapped(strings.TrimSpace(console.Text(a.text))))
	}
}

func (d *dialogue) trouble(err error) {
	switch {
	case err != nil && d.gone.IsZero():
		d.gone = time.Now()
		d.breakOff()
	case err == nil && !d.gone.IsZero():
		d.print(d.Style.Dim(fmt.Sprintf("errand is back, after %s.", console.Lasted(time.Since(d.gone)))))
		d.gone = time.Time{}
	}
}

const shownPast = 12

func (d *dialogue) showPast() {
	if len(d.past) == 0 {
		return
	}
	var said []console.Event
	for _, e := range d.past {
		d.keepUp(e)
		switch e.Type {
		case core.EventMessage:
			// Otherwise it reports another event, or was taken back.
			if e.Cause == "" && e.Text != "" {
				d.line.history.Add(console.Text(e.Text))
				said = append(said, e)
			}
		case core.EventReply, core.EventLate, core.EventError, core.EventQuestion, core.EventPartial:
			said = append(said, e)
		}
	}
	d.past = nil
	if said = said[max(0, len(said)-shownPast):]; len(said) == 0 {
		return
	}
	var b strings.Builder
	for _, e := range said {
		b.WriteString(d.text(e) + "\n")
	}
	b.WriteString(d.Style.Dim("— earlier messages, the last " + console.Ago(said[len(said)-1].Created, time.Now())))
	if len(d.ask.options) > 0 {
		b.WriteString("\n" + offered(d.ask.options))
	}
	d.print(b.String())
}

func (d *dialogue) show(e console.Event) {
	d.keepUp(e)
	if e.Turn > 0 {
		if d.turn > 0 && e.Turn != d.turn {
			d.breakOff() // no event reports an interrupted turn
		}
		d.turn = e.Turn
	}
	switch e.Type {
	case core.EventDelta:
		d.stream(e)
	case core.EventReset:
		d.breakOff()
	case core.EventPartial:
		if d.flow.all == "" { // it was not streamed
			d.print(d.text(e))
		}
		d.breakOff()
	case core.EventReply:
		d.reply(e)
	case core.EventQuestion:
		d.reply(e)
		if len(e.Options) > 0 {
			d.print(offered(e.Options))
		}
	case core.EventLate:
		// A streamed reply is known to be late only at its end.
		if !d.flow.begun {
			d.flow = flow{}
		}
		if d.reply(e) {
			d.print(d.Style.Yellow(thatWas(e)))
		}
	case core.EventMessage:
		if e.Cause == "" && !d.typedHere[e.Message] || e.Cause == core.Edited {
			d.line.history.Add(console.Text(e.Text))
			d.print(d.text(e))
		}
	default:
		if e.Ends() {
			d.breakOff() // print the notice after the text of its turn
		}
		if text := d.text(e); text != "" {
			d.print(text)
		}
		if len(e.Options) > 0 {
			d.print(offered(e.Options))
		}
	}
}

func (d *dialogue) text(e console.Event) string {
	switch e.Type {
	case core.EventMessage:
		return d.withName("you", e.Body())
	case core.EventReply, core.EventQuestion:
		return strings.Join(d.form().whole(e.Who(), e.Body()), "\n") + d.ending(e)
	case core.EventPartial:
		return strings.Join(d.form().endedBy("broken off", d.form().whole(e.Who(), e.Body())), "\n")
	case core.EventLate:
		return d.Style.Yellow(lateHead(e)) + "\n" + strings.Join(d.form().whole("", e.Body()), "\n") + d.ending(e)
	case core.EventFile:
		return d.wrapped(fileText(e))
	case core.EventNotice:
		return d.wrapped(e.Body())
	case core.EventError:
		return d.Style.Red(d.wrapped("errand: " + e.Body()))
	case core.EventTask:
		switch {
		case e.State == core.Submitted:
			return d.Style.Dim(d.wrapped(fmt.Sprintf("· %s begins %s: %s", e.Who(), console.Line(string(e.Task)), console.Line(e.Text))))
		case e.State.Terminal():
			return d.Style.Dim(d.wrapped(fmt.Sprintf("· %s of %s is %s", console.Line(string(e.Task)), e.Who(), stateName(e.State))))
		}
	}
	return ""
}

func (d *dialogue) ending(e console.Event) string {
	if why := endsEarly(e); why != "" {
		return "\n" + d.Style.Dim(why)
	}
	return ""
}

func (d *dialogue) withName(name, text string) string {
	return d.paintName(name, d.wrapped(name+": "+text))
}

func (d *dialogue) paintName(name, text string) string {
	if rest, ok := strings.CutPrefix(text, name+":"); ok {
		return d.Style.Cyan(name+":") + rest
	}
	return text
}

func (d *dialogue) width() int {
	return max(d.page.width-1, 20)
}

func (d *dialogue) wrapped(text string) string { return console.Wrap(text, d.width()) }

func (d *dialogue) print(text string) { d.page.add(text) }

func (d *dialogue) form() form { return form{d.Style, d.width()} }

func (d *dialogue) stream(e console.Event) {
	if d.flow.all == "" {
		d.flow.speaker = e.Who()
	}
	d.rows(d.flow.add(d.form(), console.Text(e.Text)))
}

func (d *dialogue) rows(rows []string) {
	if len(rows) > 0 {
		d.print(strings.Join(rows, "\n"))
	}
}

// reply prints the rest of a reply. It reports whether the reply had already begun.
func (d *dialogue) reply(e console.Event) (begun bool) {
	rest, fits := d.flow.rest(e.Body())
	if !fits {
		d.breakOff()
		d.print(d.text(e))
		return false
	}
	f := d.form()
	rows := append(d.flow.add(f, rest), d.flow.finish(f)...)
	d.flow = flow{}
	d.rows(rows)
	if why := endsEarly(e); why != "" {
		d.print(d.Style.Dim(why))
	}
	return true
}

// breakOff ends a streamed reply that will come again.
func (d *dialogue) breakOff() {
	if d.flow.all == "" {
		return
	}
	rows := d.form().endedBy("broken off", d.flow.finish(d.form()))
	d.flow = flow{}
	d.rows(rows)
}

func (d *dialogue) live() (rows []string) {
	// Render again: the terminal may have become narrower.
	rows = d.flow.open(d.form(), d.page.height)
	now := time.Now()
	switch {
	case !d.gone.IsZero():
		rows = append(rows, d.Style.Yellow(console.Fit(notReachable+" ("+console.Lasted(now.Sub(d.gone))+")", d.width())))
	case d.status.text(now) != "":
		rows = append(rows, d.Style.Dim(console.Fit(d.status.text(now), d.width())))
	}
	return rows
}
