package service

import (
	"strconv"
	"time"

	"errand/internal/texts"
	"errand/internal/when"
)

// badTime says in a person's language why what they wrote is no time for a reminder.
func (s *Service) badTime(t texts.Texts, e *when.Error) *Error {
	return &Error{Kind: KindInvalid, Code: "when", Message: s.timeErrorText(t, e)}
}

// clockLayout is how people read a time, in every language.
const clockLayout = "2006-01-02 15:04"

// ClockIn is a time by the clocks of a zone, which is named where it is not the
// installation's.
func (s *Service) ClockIn(t time.Time, zone *time.Location) string {
	text := t.In(zone).Format(clockLayout)
	if zone.String() != s.Zone.String() {
		text += " (" + zone.String() + ")"
	}
	return text
}

func (s *Service) timeErrorText(t texts.Texts, e *when.Error) string {
	at := s.ClockIn(e.At, e.At.Location())
	switch {
	case e.Kind == when.NotUnderstood && e.Text == "":
		return t.Localize("when.unreadable", "examples", t.Localize("when.examples"))
	case e.Kind == when.TooFar && e.At.IsZero():
		return t.Localize("when.too_far_away", "number", strconv.Itoa(e.Number))
	}
	return t.Localize("when."+string(e.Kind), "text", e.Text, "number", strconv.Itoa(e.Number), "at", at, "now", s.ClockIn(e.Now, e.Now.Location()),
		"most", strconv.Itoa(when.PerDay), "examples", t.Localize("when.examples"))
}
