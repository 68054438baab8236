package when

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/teambition/rrule-go"
)

// TestRecurrence compares what recurrences compute with package rrule, from the
// start of random rules and from somewhere behind it.
func TestRecurrence(t *testing.T) {
	draw := rand.New(rand.NewPCG(7, 7))
	some := func(chance int, low, high int) []int {
		if draw.IntN(chance) > 0 {
			return nil
		}
		var list []int
		for range 1 + draw.IntN(3) {
			n := low + draw.IntN(high-low+1)
			if n != 0 && !slices.Contains(list, n) {
				list = append(list, n)
			}
		}
		return list
	}
	days := []rrule.Weekday{rrule.MO, rrule.TU, rrule.WE, rrule.TH, rrule.FR, rrule.SA, rrule.SU}
	compared, rules := 0, 250
	if testing.Short() {
		rules = 25
	}
	for range rules {
		o := rrule.ROption{
			Freq:       []rrule.Frequency{rrule.YEARLY, rrule.MONTHLY, rrule.WEEKLY, rrule.DAILY}[draw.IntN(4)],
			Interval:   1 + draw.IntN(4),
			Dtstart:    time.Date(2019+draw.IntN(4), time.Month(1+draw.IntN(12)), 1+draw.IntN(28), draw.IntN(24), draw.IntN(60), 0, 0, time.UTC),
			Wkst:       days[draw.IntN(7)],
			Bymonth:    some(4, 1, 12),
			Bymonthday: some(4, -31, 31),
			Byyearday:  some(12, -366, 366),
			Byhour:     some(3, 0, 23),
			Byminute:   some(3, 0, 59),
		}
		o.Until = o.Dtstart.AddDate(12, 0, 0)
		if draw.IntN(3) == 0 {
			for range 1 + draw.IntN(2) {
				day := days[draw.IntN(7)]
				if o.Freq <= rrule.MONTHLY && draw.IntN(2) == 0 {
					day = day.Nth([]int{1, 2, 3, 4, -1, -2}[draw.IntN(6)])
				}
				o.Byweekday = append(o.Byweekday, day)
			}
		}
		if o.Freq == rrule.YEARLY {
			o.Byweekno = some(8, 1, 50) // at the turn of the year package rrule leaves days out
			o.Byeaster = some(20, -60, 60)
		}
		if draw.IntN(4) == 0 {
			o.Bysetpos = []int{[]int{1, 2, 3, -1, -2}[draw.IntN(5)]}
		}
		if draw.IntN(4) == 0 {
			o.Count = 1 + draw.IntN(40)
		}
		theirs, err := rrule.NewRRule(o)
		if err != nil {
			continue
		}
		r := newRecurrence(o)
		from := o.Dtstart
		for range 2 {
			var want, have []time.Time
			next := theirs.Iterator()
			for w, ok := next(); ok && len(want) < 60; w, ok = next() {
				if !w.Before(from) {
					want = append(want, w)
				}
			}
			r.each(from, func(w time.Time) bool {
				have = append(have, w)
				return len(have) < 60
			})
			if !slices.EqualFunc(want, have, time.Time.Equal) {
				t.Fatalf("%s from %s:\nwant %v\nhave %v", o.String(), from, want, have)
			}
			compared += len(want)
			from = from.AddDate(draw.IntN(3), draw.IntN(12), draw.IntN(31))
		}
	}
	if compared < 12*rules {
		t.Errorf("only %d occurrences were compared", compared)
	}
}

// TestSteps proves that no rule costs more than a bounded effort, wherever it began
// and however rarely it comes.
func TestSteps(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 25, 0, 0, time.UTC)
	old := time.Date(1927, 1, 1, 0, 0, 0, 0, time.UTC)
	everyDay := ";BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23"
	fives := ";BYMINUTE=0,5,10,15,20,25,30,35,40,45,50,55"
	for _, rule := range []string{
		"FREQ=YEARLY" + everyDay + fives,
		"FREQ=MONTHLY" + everyDay + fives,
		"FREQ=YEARLY;BYSETPOS=-1" + everyDay + fives,
		"FREQ=DAILY;COUNT=100000" + everyDay + fives,
		"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
		"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
		"FREQ=DAILY;INTERVAL=7;BYDAY=TU;BYMONTHDAY=29;BYMONTH=2",
		"FREQ=WEEKLY;INTERVAL=100000",
		"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=1",
	} {
		s := Spec{Rule: rule, Start: old, Zone: "UTC"}
		r, err := s.Compile()
		if err != nil {
			t.Fatal(err)
		}
		next, ok := r.next(now)
		t.Logf("%s: %v %v after %d steps", rule, next, ok, r.recurrence.looked)
		if r.recurrence.looked > maxSteps+366+366*288/16 {
			t.Errorf("%s: %d steps", rule, r.recurrence.looked)
		}
		if !ok {
			continue
		}
		r.recurrence.looked = 0
		late := next.Add(26 * time.Hour)
		if last := r.latest(next, late); last.After(late) || last.Before(next) {
			t.Errorf("%s: the latest is %v", rule, last)
		}
		if r.recurrence.looked > 100*maxSteps {
			t.Errorf("%s: %d steps for the latest", rule, r.recurrence.looked)
		}
	}
}
