package service

import (
	"context"
	"strconv"
	"strings"
	"time"

	"errand"
	"errand/internal/rights"
	"errand/internal/when"
)

// A QuietView is when what can wait is held back from a person.
type QuietView struct {
	Hours    when.Hours // zero: never
	Zone     *time.Location
	Own      bool // they have said so themselves
	ZoneOwn  bool
	AwakeFor time.Duration // so long after they wrote in a chat nothing is held back there
}

// QuietHours tells the actor when what can wait is held back from them.
func (s *Service) QuietHours(ctx context.Context, by Actor) (QuietView, error) {
	if err := s.may(by, rights.SelfRead); err != nil {
		return QuietView{}, err
	}
	p, err := s.Store.Person(ctx, by.Person)
	if err != nil {
		return QuietView{}, Known(err)
	}
	return s.quietOf(p), nil
}

func (s *Service) quietOf(p Person) QuietView {
	q := s.Store.Quiet()
	hours, zone := q.Of(p)
	return QuietView{Hours: hours, Zone: zone, Own: p.QuietHours != "", ZoneOwn: p.TimeZone != "", AwakeFor: q.AwakeFor}
}

// A SetQuiet is what somebody says about quiet hours; nil leaves it as it is.
type SetQuiet struct {
	Hours *string // as when.ParseHours reads them; "": as the installation says
	Zone  *string // an IANA name; "": the installation's
}

// SetQuietHours sets when what can wait is held back from a person, and by whose clocks.
func (s *Service) SetQuietHours(ctx context.Context, by Actor, id errand.PersonID, in SetQuiet) (QuietView, error) {
	if err := s.mayTo(ctx, by, id, rights.SelfChange, rights.PeopleChange); err != nil {
		return QuietView{}, err
	}
	ctx = doing(ctx, by)
	p, err := s.Store.Person(ctx, id)
	if err != nil {
		return QuietView{}, Known(err)
	}
	if in.Hours != nil {
		if p.QuietHours = strings.TrimSpace(*in.Hours); p.QuietHours != "" {
			hours, ok := when.ParseHours(p.QuietHours)
			if !ok {
				return QuietView{}, Invalid("quiet_hours", "refusal.quiet_hours", "hours", strconv.Quote(errand.Cut(p.QuietHours, 40)))
			}
			p.QuietHours = hours.String()
		}
	}
	if in.Zone != nil {
		if p.TimeZone = strings.TrimSpace(*in.Zone); p.TimeZone != "" {
			zone, err := when.Zone(p.TimeZone)
			if err != nil {
				return QuietView{}, Invalid("time_zone", "refusal.time_zone", "zone", strconv.Quote(errand.Cut(p.TimeZone, 40)))
			}
			p.TimeZone = zone.String()
		}
	}
	if p, err = s.Store.SetQuietHours(ctx, id, p.QuietHours, p.TimeZone); err != nil {
		return QuietView{}, Known(err)
	}
	s.Logger.Info("quiet hours changed", "person", id, "by", by.Person)
	return s.quietOf(p), nil
}

// HeldUntil is a time until which something is held back from a person, by the clocks
// that their quiet hours are by; empty: it is not held back now.
func (s *Service) HeldUntil(ctx context.Context, until time.Time, person errand.PersonID) string {
	if !until.After(s.Store.Now()) {
		return ""
	}
	p, err := s.Store.Person(ctx, person)
	if err != nil {
		p = Person{}
	}
	return until.In(s.quietOf(p).Zone).Format("15:04")
}
