package service

import (
	"strconv"
	"time"

	"errand/internal/actor"
	"errand/internal/texts"
	"errand/internal/when"
)

func (e *Env) badTime(t texts.Texts, bad *when.Error) *Error {
	return &Error{Kind: KindInvalid, Code: "when", Message: e.timeErrorText(t, bad)}
}

// ZoneOf returns the person's time zone, or the installation's.
func (e *Env) ZoneOf(by actor.Actor) *time.Location {
	return when.ZoneOr(by.TimeZone, e.Zone)
}

func (e *Env) clockIn(t texts.Texts, at, now time.Time) string {
	text := t.Moment(at, now)
	if zone := at.Location().String(); zone != e.Zone.String() {
		text = t.Localize("time.zone", "when", text, "zone", zone)
	}
	return text
}

func (e *Env) timeErrorText(t texts.Texts, bad *when.Error) string {
	at := e.clockIn(t, bad.At, bad.Now)
	if bad.Kind == when.NotUnderstood && bad.Text == "" {
		return t.Localize("when.unreadable", "examples", t.Localize("when.examples"))
	}
	return t.Localize("when."+string(bad.Kind), "text", bad.Text, "number", strconv.Itoa(bad.Number), "at", at, "now", e.clockIn(t, bad.Now, bad.Now),
		"examples", t.Localize("when.examples"))
}
