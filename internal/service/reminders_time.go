package service

import (
	"strconv"
	"time"

	"errand/internal/texts"
	"errand/internal/when"
)

func (s *Service) badTime(t texts.Texts, e *when.Error) *Error {
	return &Error{Kind: KindInvalid, Code: "when", Message: s.timeErrorText(t, e)}
}

// ZoneOf is by whose clocks somebody reads times: their own, or the installation's.
func (s *Service) ZoneOf(by Actor) *time.Location {
	return when.ZoneOr(by.TimeZone, s.Zone)
}

// clockIn is a time by the clocks of its location, which is named where it is not the
// installation's.
func (s *Service) clockIn(t texts.Texts, at, now time.Time) string {
	text := t.Moment(at, now)
	if zone := at.Location().String(); zone != s.Zone.String() {
		text = t.Localize("time.zone", "when", text, "zone", zone)
	}
	return text
}

func (s *Service) timeErrorText(t texts.Texts, e *when.Error) string {
	at := s.clockIn(t, e.At, e.Now)
	if e.Kind == when.NotUnderstood && e.Text == "" {
		return t.Localize("when.unreadable", "examples", t.Localize("when.examples"))
	}
	return t.Localize("when."+string(e.Kind), "text", e.Text, "number", strconv.Itoa(e.Number), "at", at, "now", s.clockIn(t, e.Now, e.Now),
		"examples", t.Localize("when.examples"))
}
