package chat

import (
	"strings"
	"time"

	"errand"
	"errand/internal/cli/client"
	"errand/internal/cli/console"
	"errand/internal/printable"
)

// entered takes a message that was typed: it becomes part of what was said.
func (d *dialogue) entered(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	d.print(prompt + strings.ReplaceAll(console.Wrap(printable.Text(strings.ReplaceAll(text, "\t", "    ")), d.width()-len(prompt)), "\n", "\n  "))
	if err := d.line.history.Keep(text); err != nil {
		d.print(d.Style.Dim(d.wrapped(d.noHistory(err))))
	}
	d.enter(text)
}

// noHistory says why the history is not read, or not kept.
func (d *dialogue) noHistory(err error) string {
	return d.Words.Sayf("errand: the history: %s", printable.Text(err.Error()))
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
		d.print(d.Style.Red(d.wrapped("errand: " + d.Words.Say("too much is waiting to be sent; this was not taken"))))
		return
	}
	d.typedHere[m.MessageID] = true
	d.unconfirmed++
	if !m.Command() {
		d.ask = question{}
		d.status.sent(time.Now())
	}
	if got != text {
		d.print(d.Style.Dim("· " + printable.Line(got)))
	}
}

func (d *dialogue) answered(a answer) {
	d.unconfirmed--
	switch {
	case a.err != nil:
		if !a.to.Command() {
			d.status.stopped()
		}
		d.print(d.Style.Red(d.wrapped("errand: " + printable.Text(client.InLanguage(a.err, d.Words).Error()))))
	case a.text != "":
		switch command, _, _ := strings.Cut(a.to.Text, " "); command {
		case "/stop", "/reset", "/new":
			d.status.stopped()
			d.breakOff()
		}
		d.print(d.wrapped(strings.TrimSpace(printable.Text(a.text))))
	}
}

func (d *dialogue) trouble(err error) {
	switch {
	case err != nil && d.gone.IsZero():
		d.gone = time.Now()
		d.breakOff()
	case err == nil && !d.gone.IsZero():
		d.print(d.Style.Dim(d.Words.Say("errand is back, after {time}.", "time", console.Lasted(time.Since(d.gone)))))
		d.gone = time.Time{}
	}
}

const shownPast = 12

// showPast shows what was said before.
func (d *dialogue) showPast() {
	if len(d.past) == 0 {
		return
	}
	var said []client.Event
	for _, e := range d.past {
		d.keepUp(e)
		switch e.Type {
		case errand.EventMessage:
			if e.Cause == "" && e.Text != "" { // else it tells of another event, or was taken back
				d.line.history.Add(printable.Text(e.Text))
				said = append(said, e)
			}
		case errand.EventReply, errand.EventLate, errand.EventError, errand.EventQuestion, errand.EventPartial:
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
	b.WriteString(d.Style.Dim(d.Words.Say("— earlier messages, the last {ago}", "ago", console.AgoIn(d.Words, said[len(said)-1].Created, time.Now()))))
	if len(d.ask.options) > 0 {
		b.WriteString("\n" + offered(d.ask.options))
	}
	d.print(b.String())
}

func (d *dialogue) show(e client.Event) {
	d.keepUp(e)
	if e.Turn > 0 {
		if d.turn > 0 && e.Turn != d.turn {
			d.breakOff() // nothing else says that a turn was interrupted
		}
		d.turn = e.Turn
	}
	switch e.Type {
	case errand.EventDelta:
		d.stream(e)
	case errand.EventReset:
		d.breakOff()
	case errand.EventPartial:
		if d.flow.all == "" { // it was not seen as it was written
			d.print(d.text(e))
		}
		d.breakOff()
	case errand.EventReply:
		d.reply(e)
	case errand.EventQuestion:
		d.reply(e)
		if len(e.Options) > 0 {
			d.print(offered(e.Options))
		}
	case errand.EventLate:
		// Only its end says that what was streamed was late.
		if !d.flow.begun {
			d.flow = flow{}
		}
		if d.reply(e) {
			d.print(d.Style.Yellow(thatWas(d.Words, e)))
		}
	case errand.EventMessage:
		if e.Cause != errand.Withdrawn && (!d.typedHere[e.Message] || e.Cause == errand.Edited) {
			d.line.history.Add(printable.Text(e.Text))
			d.print(d.text(e))
		}
	default:
		if e.Ends() {
			d.breakOff() // what is said of a turn comes behind what the turn has said
		}
		if text := d.text(e); text != "" {
			d.print(text)
		}
		if len(e.Options) > 0 {
			d.print(offered(e.Options))
		}
	}
}

// text is e as a person reads it, in rows; empty if it is not shown.
func (d *dialogue) text(e client.Event) string {
	switch e.Type {
	case errand.EventMessage:
		return d.withName(d.Words.Say("you"), e.Body())
	case errand.EventReply, errand.EventQuestion:
		return strings.Join(d.form().whole(e.Who(), e.Body()), "\n") + d.ending(e)
	case errand.EventPartial:
		return strings.Join(d.form().endedBy(d.Words.Say("broken off"), d.form().whole(e.Who(), e.Body())), "\n")
	case errand.EventLate:
		return d.Style.Yellow(lateHead(d.Words, e)) + "\n" + strings.Join(d.form().whole("", e.Body()), "\n") + d.ending(e)
	case errand.EventFile:
		return d.wrapped(fileText(d.Words, e))
	case errand.EventNotice:
		return d.wrapped(e.Body())
	case errand.EventError:
		return d.Style.Red(d.wrapped("errand: " + e.Body()))
	case errand.EventTask:
		switch {
		case e.State == errand.Submitted:
			return d.Style.Dim(d.wrapped(d.Words.Say("· {agent} begins {task}: {title}", "agent", e.Who(), "task", printable.Line(string(e.Task)), "title", printable.Line(e.Text))))
		case e.State.Terminal():
			return d.Style.Dim(d.wrapped(d.Words.Say("· {task} of {agent} is {state}", "task", printable.Line(string(e.Task)), "agent", e.Who(), "state", stateName(d.Words, e.State))))
		}
	}
	return ""
}

// ending is a row that says of a reply that is not whole why it ends there.
func (d *dialogue) ending(e client.Event) string {
	if why := endsEarly(d.Words, e); why != "" {
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

func (d *dialogue) stream(e client.Event) {
	if d.flow.all == "" {
		d.flow.speaker = e.Who()
	}
	d.rows(d.flow.add(d.form(), printable.Text(e.Text)))
}

func (d *dialogue) rows(rows []string) {
	if len(rows) > 0 {
		d.print(strings.Join(rows, "\n"))
	}
}

// reply prints what of a reply is not there yet, and reports whether it had been
// begun.
func (d *dialogue) reply(e client.Event) (begun bool) {
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
	if why := endsEarly(d.Words, e); why != "" {
		d.print(d.Style.Dim(why))
	}
	return true
}

// breakOff ends a reply that did not come to its end: it will come again.
func (d *dialogue) breakOff() {
	if d.flow.all == "" {
		return
	}
	rows := d.form().endedBy(d.Words.Say("broken off"), d.flow.finish(d.form()))
	d.flow = flow{}
	d.rows(rows)
}

func (d *dialogue) live() (rows []string) {
	// Rendered anew: the terminal may be narrower than when it began.
	rows = d.flow.open(d.form(), d.page.height)
	now := time.Now()
	switch {
	case !d.gone.IsZero():
		rows = append(rows, d.Style.Yellow(console.Fit(NotReachable(d.Words)+" ("+console.Lasted(now.Sub(d.gone))+")", d.width())))
	case d.status.text(d.Words, now) != "":
		rows = append(rows, d.Style.Dim(console.Fit(d.status.text(d.Words, now), d.width())))
	}
	return rows
}
