package when

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/teambition/rrule-go"
)

// TestWalls proves that times found from somewhere behind the start of a rule are those that
// package rrule computes from its start.
func TestWalls(t *testing.T) {
	draw := rand.New(rand.NewPCG(7, 7))
	some := func(chance, low, high int) []int {
		if draw.IntN(chance) > 0 {
			return nil
		}
		return []int{low + draw.IntN(high-low+1), low + draw.IntN(high-low+1)}
	}
	days := []rrule.Weekday{rrule.MO, rrule.TU, rrule.WE, rrule.TH, rrule.FR, rrule.SA, rrule.SU}
	compared := 0
	for range 80 {
		o := rrule.ROption{
			Freq: rrule.Frequency(draw.IntN(6)), Interval: 1 + draw.IntN(4), Wkst: days[draw.IntN(7)],
			Dtstart: time.Date(2019+draw.IntN(4), time.Month(1+draw.IntN(12)), 1+draw.IntN(31), draw.IntN(24), draw.IntN(60), 0, 0, time.UTC),
		}
		if o.Freq < rrule.HOURLY {
			o.Bymonth, o.Bymonthday, o.Byhour, o.Bysetpos = some(4, 1, 12), some(4, 1, 31), some(3, 0, 23), some(4, 1, 3)
			if draw.IntN(3) == 0 {
				o.Byweekday = []rrule.Weekday{days[draw.IntN(7)], days[draw.IntN(7)]}
			}
		}
		if draw.IntN(4) == 0 {
			o.Count = 1 + draw.IntN(400)
		}
		theirs, err := rrule.NewRRule(o)
		if err != nil {
			t.Fatal(err)
		}
		s := Spec{Rule: o.RRuleString(), Start: o.Dtstart, Zone: "UTC"}
		for range 20 {
			at := o.Dtstart.AddDate(0, draw.IntN(60), draw.IntN(31)).Add(time.Duration(draw.IntN(1440)) * time.Minute)
			if o.Freq >= rrule.HOURLY {
				at = o.Dtstart.Add(time.Duration(draw.IntN(30_000)) * time.Minute)
			}
			want := theirs.After(at, false)
			if have, ok := s.Next(at); ok == want.IsZero() || !have.Equal(want) {
				t.Fatalf("%s from %s after %s: %s, want %s", s.Rule, s.Start, at, have, want)
			}
			if !want.IsZero() {
				compared++
			}
		}
	}
	if compared < 800 {
		t.Errorf("only %d times were compared", compared)
	}
}
