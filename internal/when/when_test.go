package when_test

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/stretchr/testify/require"

	"errand/internal/texts"
	"errand/internal/when"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	require.NoError(t, err)
	return z
}

func on(t testing.TB, text, in string) time.Time {
	t.Helper()
	at, err := time.ParseInLocation("2006-01-02 15:04", text, zone(t, in))
	require.NoError(t, err)
	return at
}

// TestOnce proves that the phrases for one time are read in both languages. It is Saturday,
// 21 November 2026, 12:00 in Oslo.
func TestOnce(t *testing.T) {
	now := on(t, "2026-11-21 12:00", "Europe/Oslo")
	tests := []struct{ text, want string }{
		{"in 20 minutes", "2026-11-21 12:20"},
		{"in 1 hour", "2026-11-21 13:00"},
		{"in 36 hours", "2026-11-23 00:00"},
		{"in 3 days", "2026-11-24 12:00"},
		{"in 2 weeks", "2026-12-05 12:00"},
		{"en 20 minutos", "2026-11-21 12:20"},
		{"en 2 horas", "2026-11-21 14:00"},
		{"en 3 días", "2026-11-24 12:00"},
		{"en 1 semana", "2026-11-28 12:00"},
		{"at 9", "2026-11-22 09:00"},
		{"at 21:00", "2026-11-21 21:00"},
		{"at 9 pm", "2026-11-21 21:00"},
		{"at 12 am", "2026-11-22 00:00"},
		{"at 12:30pm", "2026-11-21 12:30"},
		{"today at 17:30", "2026-11-21 17:30"},
		{"Tomorrow  at 9:30", "2026-11-22 09:30"},
		{"friday at 14:00", "2026-11-27 14:00"},
		{"saturday at 14:00", "2026-11-21 14:00"}, // today, and still to come
		{"saturday at 11:00", "2026-11-28 11:00"},
		{"2026-12-24 at 18:00", "2026-12-24 18:00"},
		{"a las 9", "2026-11-22 09:00"},
		{"a la 1", "2026-11-22 01:00"},
		{"hoy a las 17:30", "2026-11-21 17:30"},
		{"mañana a las 9 am", "2026-11-22 09:00"},
		{"man\u0303ana a las 9", "2026-11-22 09:00"},
		{"el viernes a las 14:00", "2026-11-27 14:00"},
		{"miércoles a las 9", "2026-11-25 09:00"},
		{"el 2026-12-24 a las 18:00", "2026-12-24 18:00"},
		{"2026-12-24T18:00:00+01:00", "2026-12-24 18:00"},
		{"2026-12-24T17:00:00Z", "2026-12-24 18:00"},
		{"2026-12-24T18:00", "2026-12-24 18:00"},
		{"2026-12-24 18:00", "2026-12-24 18:00"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			s, err := when.Parse(tt.text, now, now.Location())
			require.NoError(t, err)
			require.False(t, s.Recurs())
			require.Equal(t, tt.want, s.At.In(now.Location()).Format("2006-01-02 15:04"))
			_, again := s.Next(s.At)
			require.False(t, again, "a single time came twice")
		})
	}
}

// TestEvery proves that recurring phrases and rules are read, how they are described, and
// when they come next.
func TestEvery(t *testing.T) {
	now := on(t, "2026-11-21 12:00", "Europe/Oslo")
	tests := []struct {
		text, said string
		next       []string
	}{
		{"every Monday at 8", "every Monday at 08:00 (Europe/Oslo)", []string{"2026-11-23 08:00", "2026-11-30 08:00", "2026-12-07 08:00"}},
		{"every saturday", "every Saturday at 09:00 (Europe/Oslo)", []string{"2026-11-28 09:00"}},
		{"every day at 7:30", "every day at 07:30 (Europe/Oslo)", []string{"2026-11-22 07:30", "2026-11-23 07:30", "2026-11-24 07:30"}},
		{"every day at 7:30 pm", "every day at 19:30 (Europe/Oslo)", []string{"2026-11-21 19:30", "2026-11-22 19:30"}},
		{"every day", "every day at 09:00 (Europe/Oslo)", []string{"2026-11-22 09:00"}},
		{"every weekday at 9", "every weekday at 09:00 (Europe/Oslo)", []string{"2026-11-23 09:00", "2026-11-24 09:00", "2026-11-25 09:00"}},
		{"every 3 days at 9", "every 3 days at 09:00 (Europe/Oslo)", []string{"2026-11-22 09:00", "2026-11-25 09:00", "2026-11-28 09:00"}},
		{"every 3 days at 13:00", "every 3 days at 13:00 (Europe/Oslo)", []string{"2026-11-21 13:00", "2026-11-24 13:00", "2026-11-27 13:00"}},
		{"every 2 hours", "every 2 hours, counted from Saturday, 21 November 2026, 14:00", []string{"2026-11-21 14:00", "2026-11-21 16:00", "2026-11-21 18:00"}},
		{"every 2 hours at 9:00", "every 2 hours, counted from Sunday, 22 November 2026, 09:00", []string{"2026-11-22 09:00", "2026-11-22 11:00"}},
		{"every hour", "every hour, counted from Saturday, 21 November 2026, 13:00", []string{"2026-11-21 13:00", "2026-11-21 14:00"}},
		{"every month on the 31st", "on the 31st (in shorter months on their last day) of every month at 09:00 (Europe/Oslo)", []string{"2026-11-30 09:00", "2026-12-31 09:00", "2027-01-31 09:00", "2027-02-28 09:00", "2027-03-31 09:00"}},
		{"every month on the 1st at 9:00", "on the 1st of every month at 09:00 (Europe/Oslo)", []string{"2026-12-01 09:00", "2027-01-01 09:00"}},
		{"cada lunes a las 8:00", "every Monday at 08:00 (Europe/Oslo)", []string{"2026-11-23 08:00"}},
		{"cada sábado", "every Saturday at 09:00 (Europe/Oslo)", []string{"2026-11-28 09:00"}},
		{"cada día a las 7:30", "every day at 07:30 (Europe/Oslo)", []string{"2026-11-22 07:30"}},
		{"cada día laborable a las 9", "every weekday at 09:00 (Europe/Oslo)", []string{"2026-11-23 09:00"}},
		{"cada 3 días", "every 3 days at 09:00 (Europe/Oslo)", []string{"2026-11-22 09:00", "2026-11-25 09:00"}},
		{"cada 2 horas", "every 2 hours, counted from Saturday, 21 November 2026, 14:00", []string{"2026-11-21 14:00"}},
		{"cada hora", "every hour, counted from Saturday, 21 November 2026, 13:00", []string{"2026-11-21 13:00"}},
		{"cada mes el 31 a las 10:00", "on the 31st (in shorter months on their last day) of every month at 10:00 (Europe/Oslo)", []string{"2026-11-30 10:00"}},
		{"cada mes el día 1", "on the 1st of every month at 09:00 (Europe/Oslo)", []string{"2026-12-01 09:00"}},
		{"FREQ=MINUTELY;INTERVAL=5", "every 5 minutes, counted from Saturday, 21 November 2026, 12:00", []string{"2026-11-21 12:05", "2026-11-21 12:10"}},
		{"FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU;BYHOUR=8", "by the rule FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU;BYHOUR=8;BYMINUTE=0 (Europe/Oslo)", []string{"2026-11-29 08:00", "2026-12-13 08:00", "2026-12-27 08:00"}},
		{"DTSTART:20250110T080000 RRULE:FREQ=MONTHLY;INTERVAL=5;BYMONTHDAY=29,31", "by the rule FREQ=MONTHLY;INTERVAL=5;BYMONTHDAY=29,31 (Europe/Oslo)", []string{"2027-07-29 08:00", "2027-07-31 08:00", "2027-12-29 08:00"}},
		{"DTSTART:20240229T080000 RRULE:FREQ=YEARLY", "by the rule FREQ=YEARLY (Europe/Oslo)", []string{"2028-02-29 08:00"}},
		{"DTSTART:20200103T080000 RRULE:FREQ=DAILY;INTERVAL=7;COUNT=361", "every 7 days at 08:00 (Europe/Oslo), 361 times", []string{"2026-11-27 08:00"}},
		{"FREQ=WEEKLY;BYDAY=MO;BYHOUR=8", "every Monday at 08:00 (Europe/Oslo)", []string{"2026-11-23 08:00"}},
		{"RRULE:FREQ=DAILY;COUNT=2;BYHOUR=9;BYMINUTE=30", "every day at 09:30 (Europe/Oslo), 2 times", []string{"2026-11-22 09:30", "2026-11-23 09:30", ""}},
		{"FREQ=DAILY;UNTIL=20261123T080000Z;BYHOUR=9", "every day at 09:00 (Europe/Oslo), until Monday, 23 November 2026, 09:00", []string{"2026-11-22 09:00", "2026-11-23 09:00", ""}},
		{"FREQ=HOURLY;COUNT=2", "every hour, counted from Saturday, 21 November 2026, 12:00, 2 times", []string{"2026-11-21 13:00", ""}},
		{"FREQ=MONTHLY;BYMONTHDAY=31;BYHOUR=9", "on the 31st, where there is one, of every month at 09:00 (Europe/Oslo)", []string{"2026-12-31 09:00", "2027-01-31 09:00", "2027-03-31 09:00"}},
		{"DTSTART;TZID=Europe/Oslo:20261124T180000\nRRULE:FREQ=WEEKLY;INTERVAL=2", "every other Tuesday at 18:00 (Europe/Oslo)", []string{"2026-11-24 18:00", "2026-12-08 18:00"}},
		{"FREQ=YEARLY;BYYEARDAY=100;BYHOUR=9", "by the rule FREQ=YEARLY;BYYEARDAY=100;BYHOUR=9;BYMINUTE=0 (Europe/Oslo)", []string{"2027-04-10 09:00"}},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			s, err := when.Parse(tt.text, now, now.Location())
			require.NoError(t, err)
			require.True(t, s.Recurs())
			require.Equal(t, tt.said, texts.Shipped().Schedule(s))
			at := now
			for _, want := range tt.next {
				var ok bool
				at, ok = s.Next(at)
				if want == "" {
					require.False(t, ok, at)
					continue
				}
				require.True(t, ok)
				require.Equal(t, want, at.In(now.Location()).Format("2006-01-02 15:04"))
			}
		})
	}
}

// TestRefused proves that every other text is refused, with what people need to know.
func TestRefused(t *testing.T) {
	now := on(t, "2026-11-21 12:00", "Europe/Oslo")
	oslo := func(text string) time.Time { return on(t, text, "Europe/Oslo") }
	tests := []struct {
		text string
		want when.Error
	}{
		{"today at 9", when.Error{Kind: when.Past, At: oslo("2026-11-21 09:00"), Now: now}},
		{"in 0 hours", when.Error{Kind: when.Past, At: now, Now: now}},
		{"2020-01-01 10:00", when.Error{Kind: when.Past, At: oslo("2020-01-01 10:00"), Now: now}},
		{"2040-01-01 at 10:00", when.Error{Kind: when.TooFar, Number: 5, At: oslo("2040-01-01 10:00")}},
		{"in 9999 weeks", when.Error{Kind: when.TooFar, Number: 5, At: oslo("2218-07-11 12:00")}},
		{"FREQ=SECONDLY", when.Error{Kind: when.TooOften, Number: 5}},
		{"FREQ=DAILY;BYHOUR=8;BYMINUTE=0,3", when.Error{Kind: when.TooOften, Number: 5}},
		{"FREQ=DAILY;BYHOUR=0,23;BYMINUTE=0,58", when.Error{Kind: when.TooOften, Number: 5}},
		{"FREQ=DAILY;BYMINUTE=0,1", when.Error{Kind: when.TooOften, Number: 5}},
		{"FREQ=MINUTELY;INTERVAL=5;BYMONTH=2", when.Error{Kind: when.MixedRule}},
		{"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", when.Error{Kind: when.Never}},
		{"FREQ=DAILY;UNTIL=20200101T000000Z", when.Error{Kind: when.Never}},
		{"DTSTART:00010101T000000Z FREQ=HOURLY", when.Error{Kind: when.StartTooOld, Number: 100}},
		{"FREQ=NEVER", when.Error{Kind: when.BadRule, Text: "undefined frequency: NEVER"}},
		{"FREQ=DAILY;INTERVAL=1000000", when.Error{Kind: when.BadRule, Text: "too large a number"}},
		{"FREQ=WEEKLY;INTERVAL=15251", when.Error{Kind: when.BadRule, Text: "too large a number"}},
		{"FREQ=DAILY;BYSECOND=7", when.Error{Kind: when.SecondsInRule}},
		{"DTSTART:20261324T180000 FREQ=DAILY", when.Error{Kind: when.BadStart}},
		{"DTSTART:20261324T180000Z FREQ=DAILY", when.Error{Kind: when.BadStart}},
		{"FREQ=DAILY;BYEASTER=300", when.Error{Kind: when.BadRule, Text: "BYDAY or BYEASTER is out of range"}},
		{"FREQ=MONTHLY;BYDAY=-10MO", when.Error{Kind: when.BadRule, Text: "BYDAY or BYEASTER is out of range"}},
		{strings.Repeat("tomorrow ", 100), when.Error{Kind: when.NotUnderstood}},
		{"FREQ=DAILY;BYMONTHDAY=1" + strings.Repeat(",1", 200), when.Error{Kind: when.NotUnderstood}},
		{"tomorrow\xff", when.Error{Kind: when.NotUnderstood}},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			s, err := when.Parse(tt.text, now, now.Location())
			var e *when.Error
			require.ErrorAs(t, err, &e, texts.Shipped().Schedule(s))
			require.Equal(t, tt.want, *e, "package texts says it to people")
			require.Contains(t, when.Kinds(), e.Kind)
		})
	}
}

// TestNoPhrase proves that what is near a phrase is not guessed.
func TestNoPhrase(t *testing.T) {
	now := on(t, "2026-11-21 12:00", "Europe/Oslo")
	for _, text := range []string{
		"", "tomorrow", "tomorrow at nine", "tomorrow 9:00", "tomorrow at 9 Europe/Oslo", "the day after tomorrow at 9", "next friday at 14:00", "on friday at 9",
		"yesterday at 9", "tonight", "9pm", "3/4/2027", "24.12.2026 at 18:00", "2027-02-29 at 9:00", "2027-13-01 at 9:00", "at 24:00", "at 9:75", "at 13 pm", "at 0 am",
		"in two hours", "in 1.5 hours", "in 2 months", "in 1 second", "in 99999 days", "within 2 hours", "in 2 hours and 5 minutes",
		"every", "every minute", "every 5 minutes", "every 0 days", "every week", "every 2 weeks", "every other monday", "every monday and friday", "every year",
		"every day at 8:00 and 20:00", "every month", "every month on the 0th", "every month on the 32nd", "on the 31st of every month", "weekly", "every now and then",
		"mañana", "mañana a las nueve", "mañana por la tarde a las 5", "dentro de 2 horas", "todos los días a las 9", "cada 5 minutos", "el 31 de cada mes",
		"cada monday at 9", "every lunes",
	} {
		_, err := when.Parse(text, now, now.Location())
		require.Equal(t, &when.Error{Kind: when.NotUnderstood, Text: text}, err)
	}
}

// TestTime proves that a time and a rule are read as models write them, by the clocks of
// the zone that they name, within the bounds of all times.
func TestTime(t *testing.T) {
	now := on(t, "2026-11-21 12:00", "Europe/Oslo")
	for _, tt := range []struct {
		in   when.Time
		want string
	}{
		{when.Time{At: "2026-12-24T18:00"}, "2026-12-24 18:00"},
		{when.Time{At: "2026-12-24T18:00:30", Zone: "Europe/Oslo"}, "2026-12-24 18:00"},
		{when.Time{At: "2026-12-24 18:00", Zone: "america/new_york"}, "2026-12-25 00:00"},
		{when.Time{At: "2026-12-24T18:00:00Z"}, "2026-12-24 19:00"},
		{when.Time{At: "2026-12-24T18:00:00+01:00", Zone: "Asia/Tokyo"}, "2026-12-24 18:00"},
		{when.Time{Rule: "FREQ=WEEKLY;BYDAY=MO;BYHOUR=8;BYMINUTE=30"}, "2026-11-23 08:30"},
		{when.Time{Rule: "RRULE:FREQ=DAILY;BYHOUR=8", Zone: "UTC"}, "2026-11-22 09:00"},
		{when.Time{Rule: "DTSTART:20261224T180000\nRRULE:FREQ=YEARLY", Zone: "Europe/Oslo"}, "2026-12-24 18:00"},
		{when.Time{Words: "tomorrow at 9"}, "2026-11-22 09:00"},
		{when.Time{Words: "tomorrow at 9", Zone: "gmt"}, "2026-11-22 10:00"},
	} {
		s, err := tt.in.Spec(now, now.Location())
		require.NoError(t, err, tt.in)
		next, ok := s.Next(now)
		require.True(t, ok, tt.in)
		require.Equal(t, tt.want, next.In(now.Location()).Format("2006-01-02 15:04"), tt.in)
	}
	for _, tt := range []struct {
		in   when.Time
		want when.Kind
	}{
		{when.Time{At: "tomorrow at 9"}, when.BadTime},
		{when.Time{At: "2026-02-30T09:00"}, when.BadTime},
		{when.Time{At: "2026-12-24"}, when.BadTime},
		{when.Time{At: "2026-12-24T18:00", Rule: "FREQ=DAILY"}, when.TimeAndRule},
		{when.Time{At: "2026-11-21T11:59"}, when.Past},
		{when.Time{At: "2080-11-21T11:59"}, when.TooFar},
		{when.Time{At: "2026-12-24T18:00", Zone: "Europe/Olso"}, when.UnknownZone},
		{when.Time{Rule: "every monday"}, when.BadRule},
		{when.Time{Rule: "FREQ=MINUTELY"}, when.TooOften},
		{when.Time{Rule: "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"}, when.Never},
		{when.Time{Rule: "FREQ=DAILY;BYMONTHDAY=" + strings.Repeat("1,", 200) + "1"}, when.NotUnderstood},
		{when.Time{}, when.NotUnderstood},
	} {
		_, err := tt.in.Spec(now, now.Location())
		var e *when.Error
		require.ErrorAs(t, err, &e, "%v", tt.in)
		require.Equal(t, tt.want, e.Kind, tt.in)
	}
}

// Where clocks change, a time that is left out comes shifted, once, and one that
// is there twice comes once.
func TestClockChanges(t *testing.T) {
	tests := []struct {
		name, zone, now, text string
		want                  []string // with the offset, so that the two copies of an hour differ
	}{
		{"left out in Oslo", "Europe/Oslo", "2027-03-27 12:00", "every day at 2:30", []string{"2027-03-28 03:30 +0200", "2027-03-29 02:30 +0200"}},
		{"left out, and the shifted time asked for too", "Europe/Oslo", "2027-03-27 12:00", "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=30", []string{"2027-03-28 03:30 +0200", "2027-03-29 02:30 +0200"}},
		{"left out, the order turned round", "Europe/Oslo", "2027-03-27 12:00", "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=15,45", []string{"2027-03-28 03:15 +0200", "2027-03-28 03:45 +0200", "2027-03-29 02:15 +0200"}},
		{"twice in Oslo", "Europe/Oslo", "2026-10-24 12:00", "every day at 2:30", []string{"2026-10-25 02:30 +0200", "2026-10-26 02:30 +0100"}},
		{"left out in New York", "America/New_York", "2027-03-13 12:00", "every day at 2:30", []string{"2027-03-14 03:30 -0400", "2027-03-15 02:30 -0400"}},
		{"twice in New York", "America/New_York", "2026-10-31 12:00", "every day at 1:30", []string{"2026-11-01 01:30 -0400", "2026-11-02 01:30 -0500"}},
		{"the same hour on the wall", "Europe/Oslo", "2027-03-27 12:00", "every day at 9", []string{"2027-03-28 09:00 +0200", "2027-03-29 09:00 +0200"}},
		{"hours pass, whatever the clocks do", "Europe/Oslo", "2026-10-25 00:30", "every 2 hours", []string{"2026-10-25 02:30 +0200", "2026-10-25 03:30 +0100", "2026-10-25 05:30 +0100"}},
		{"a single time that is left out", "Europe/Oslo", "2027-03-27 12:00", "tomorrow at 2:30", []string{"2027-03-28 03:30 +0200"}},
		{"a single time that is there twice", "Europe/Oslo", "2026-10-24 12:00", "tomorrow at 2:30", []string{"2026-10-25 02:30 +0200"}},
		{"in two hours, over the change", "Europe/Oslo", "2027-03-28 01:30", "in 2 hours", []string{"2027-03-28 04:30 +0200"}},
		{"a zone that is half an hour off", "Australia/Lord_Howe", "2026-10-03 12:00", "every day at 2:15", []string{"2026-10-04 02:45 +1100", "2026-10-05 02:15 +1100"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at := on(t, tt.now, tt.zone)
			s, err := when.Parse(tt.text, at, at.Location())
			require.NoError(t, err)
			slots := map[string]bool{}
			for _, want := range tt.want {
				next, ok := s.Next(at)
				require.True(t, ok)
				require.True(t, next.After(at))
				require.Equal(t, want, next.In(at.Location()).Format("2006-01-02 15:04 -0700"))
				require.False(t, slots[s.Slot(next)], "two times have one slot")
				slots[s.Slot(next)] = true
				at = next
			}
		})
	}
}

// Wherever one asks from, the times of a rule are the same: here every ten
// minutes over two changes of clocks, against those found one after the other.
func TestNextFromAnywhere(t *testing.T) {
	for _, text := range []string{"every day at 2:30", "every weekday at 9", "every 2 hours", "FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=0,20,40", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=8"} {
		start := on(t, "2026-10-20 12:00", "Europe/Oslo")
		s, err := when.Parse(text, start, start.Location())
		require.NoError(t, err)
		var times []time.Time
		for at := start; at.Before(start.AddDate(0, 6, 0)); {
			next, ok := s.Next(at)
			require.True(t, ok)
			times, at = append(times, next), next
		}
		i := 0
		for at := start; i < len(times)-1; at = at.Add(10 * time.Minute) {
			for !times[i].After(at) && i < len(times)-1 {
				i++
			}
			next, ok := s.Next(at)
			require.True(t, ok)
			if times[i].After(at) {
				require.True(t, next.Equal(times[i]), "%s after %s: %s, not %s", text, at, next, times[i])
			}
		}
	}
}

// After an outage the latest time that was missed is found, also after years.
func TestLatest(t *testing.T) {
	now := on(t, "2026-11-21 12:00", "Europe/Oslo")
	for text, want := range map[string]string{
		"every day at 9": "2036-11-21 09:00", "FREQ=MINUTELY;INTERVAL=5": "2036-11-21 12:00", "every monday at 8": "2036-11-17 08:00",
		"FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24;BYHOUR=9": "2035-12-24 09:00", "tomorrow at 9": "2026-11-22 09:00",
	} {
		s, err := when.Parse(text, now, now.Location())
		require.NoError(t, err)
		first, ok := s.Next(now)
		require.True(t, ok)
		begin := used(t)
		require.Equal(t, want, s.Latest(first, now.AddDate(10, 0, 0)).In(now.Location()).Format("2006-01-02 15:04"), text)
		require.Less(t, used(t)-begin, time.Second)
		require.True(t, s.Latest(first, first).Equal(first))
		require.True(t, s.Latest(first, first.Add(time.Minute)).Equal(first))
	}
}

// A Spec outlives the process: as JSON it is the same, and the slot of a time
// does not depend on how it was written down.
func TestKept(t *testing.T) {
	now := on(t, "2026-11-21 12:00", "Europe/Oslo")
	for _, text := range []string{"tomorrow at 9", "every monday at 8", "every 2 hours"} {
		s, err := when.Parse(text, now, now.Location())
		require.NoError(t, err)
		b, err := json.Marshal(s)
		require.NoError(t, err)
		var again when.Spec
		require.NoError(t, json.Unmarshal(b, &again))
		require.NoError(t, again.Check())
		require.Equal(t, texts.Shipped().Schedule(s), texts.Shipped().Schedule(again))
		a, _ := s.Next(now)
		b2, _ := again.Next(now.UTC())
		require.True(t, a.Equal(b2))
		require.Equal(t, s.Slot(a), again.Slot(b2.UTC()))
	}
	require.Error(t, when.Spec{Rule: "FREQ=DAILY", Zone: "Europe/Olso"}.Check())
	require.Error(t, when.Spec{Rule: "FREQ=SOMETIMES", Zone: "UTC"}.Check())
}

// A rule of years ago costs no more than a new one.
func TestOldRules(t *testing.T) {
	start := on(t, "2000-01-01 12:00", "Europe/Oslo")
	for _, text := range []string{"FREQ=MINUTELY;INTERVAL=5", "every day at 9", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=8", "every 3 days"} {
		s, err := when.Parse(text, start, start.Location())
		require.NoError(t, err)
		begin := used(t)
		for i := range 100 {
			_, ok := s.Next(start.AddDate(100, 0, i))
			require.True(t, ok)
		}
		require.Less(t, used(t)-begin, time.Second, text)
	}
}

// TestEffort proves that no rule costs much, wherever it began and however rarely it comes.
func TestEffort(t *testing.T) {
	now := on(t, "2026-11-22 12:25", "UTC")
	everyDay := ";BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23"
	quarters := ";BYMINUTE=0,15,30,45"
	for _, rule := range []string{
		"FREQ=YEARLY" + everyDay + quarters, "FREQ=MONTHLY" + everyDay + quarters, "FREQ=YEARLY;BYSETPOS=-1" + everyDay + quarters, "FREQ=DAILY;COUNT=100000" + everyDay + quarters,
		"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;INTERVAL=7;BYDAY=TU;BYMONTHDAY=29;BYMONTH=2", "FREQ=WEEKLY;INTERVAL=100000",
		"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=1", "FREQ=DAILY;BYSETPOS=2",
	} {
		s := when.Spec{Rule: rule, Start: on(t, "1927-01-01 00:00", "UTC"), Zone: "UTC"}
		begin := used(t)
		if next, ok := s.Next(now); ok {
			late := next.Add(26 * time.Hour)
			last := s.Latest(next, late)
			require.False(t, last.After(late) || last.Before(next), "%s: the latest is %v", rule, last)
		}
		require.Less(t, used(t)-begin, time.Second, rule)
	}
}

func used(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"tomorrow at 9 am", "in 2 hours", "every monday at 08:00", "every month on the 31st", "every 3 days", "el lunes a las 9", "cada mes el 31", "FREQ=MONTHLY;BYDAY=-53MO", "FREQ=YEARLY;BYWEEKNO=53,-53;BYDAY=SU;WKST=SU", "FREQ=WEEKLY;BYYEARDAY=366;BYSETPOS=-366;INTERVAL=99999", "FREQ=MONTHLY;BYMONTHDAY=31;COUNT=3",
		"DTSTART:20261124T180000\nFREQ=WEEKLY", "cada lunes a las 8:00", "2026-12-24T18:00:00+01:00", "every 2 days at 25:99"} {
		f.Add(text)
	}
	now := on(f, "2026-11-21 12:00", "Europe/Oslo")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := when.Parse(text, now, now.Location())
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.NoError(t, s.Check())
		require.NotContains(t, texts.Shipped().Schedule(s), "never:")
		at := now
		for range 3 {
			next, ok := s.Next(at)
			if !ok {
				break
			}
			require.True(t, next.After(at))
			require.NotEmpty(t, s.Slot(next))
			if s.Recurs() && at != now {
				require.GreaterOrEqual(t, next.Sub(at), 5*time.Minute)
			}
			at = next
		}
	})
}
