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

// It is Saturday, 21 November 2026, 12:00 in Oslo. What people write, in their
// own words, is understood as they mean it.
func TestOnce(t *testing.T) {
	now := on(t, "2026-11-21 12:00", "Europe/Oslo")
	tests := []struct{ text, want string }{
		{"tomorrow at nine", "2026-11-22 09:00"},
		{"Tomorrow at 9.", "2026-11-22 09:00"},
		{"tomorrow", "2026-11-22 09:00"},
		{"tomorrow morning", "2026-11-22 09:00"},
		{"tomorrow evening at 8", "2026-11-22 20:00"},
		{"tomorrow at noon", "2026-11-22 12:00"},
		{"at half past seven tomorrow", "2026-11-22 07:30"},
		{"tomorrow at quarter to nine", "2026-11-22 08:45"},
		{"tonight", "2026-11-21 21:00"},
		{"tonight at nine", "2026-11-21 21:00"},
		{"tonight at midnight", "2026-11-22 00:00"},
		{"this afternoon at 3", "2026-11-21 15:00"},
		{"today at 17:30", "2026-11-21 17:30"},
		{"the day after tomorrow at 9am", "2026-11-23 09:00"},
		{"at 18:00", "2026-11-21 18:00"},
		{"at nine", "2026-11-22 09:00"},
		{"9pm", "2026-11-21 21:00"},
		{"in 20 minutes", "2026-11-21 12:20"},
		{"in two hours", "2026-11-21 14:00"},
		{"two hours from now", "2026-11-21 14:00"},
		{"in an hour and 30 minutes", "2026-11-21 13:30"},
		{"in 1h30m", "2026-11-21 13:30"},
		{"in half an hour", "2026-11-21 12:30"},
		{"in 1.5 hours", "2026-11-21 13:30"},
		{"in 3 days", "2026-11-24 12:00"},
		{"in 3 days at 9", "2026-11-24 09:00"},
		{"in a week", "2026-11-28 12:00"},
		{"in two months", "2027-01-21 12:00"},
		{"next friday 14:00", "2026-11-27 14:00"},
		{"friday at 14:00", "2026-11-27 14:00"},
		{"on saturday at 14:00", "2026-11-21 14:00"}, // today, and still to come
		{"on saturday at 11:00", "2026-11-28 11:00"},
		{"next saturday at 14:00", "2026-11-28 14:00"},
		{"this sunday at 10", "2026-11-22 10:00"},
		{"next week", "2026-11-28 09:00"},
		{"2026-12-24 18:00", "2026-12-24 18:00"},
		{"2026-12-24T18:00", "2026-12-24 18:00"},
		{"on 2026-12-24 at 6pm", "2026-12-24 18:00"},
		{"24.12.2026 18:00", "2026-12-24 18:00"},
		{"2026-12-24T18:00:00+01:00", "2026-12-24 18:00"},
		{"2026-12-24T17:00:00Z", "2026-12-24 18:00"},
		{"December 24th at 18:00", "2026-12-24 18:00"},
		{"the 24th of december 2027 at 18:00", "2027-12-24 18:00"},
		{"on 3 March", "2027-03-03 09:00"},
		{"on 29 February", "2028-02-29 09:00"},
		{"on the 31st at 10:00", "2026-12-31 10:00"},
		{"on the 25th", "2026-11-25 09:00"},
		{"at the end of the month", "2026-11-30 09:00"},
		{"mañana a las nueve", "2026-11-22 09:00"},
		{"mañana por la tarde a las 5", "2026-11-22 17:00"},
		{"pasado mañana", "2026-11-23 09:00"},
		{"en 20 minutos", "2026-11-21 12:20"},
		{"dentro de dos horas", "2026-11-21 14:00"},
		{"el viernes a las 14:00", "2026-11-27 14:00"},
		{"el próximo viernes a las once", "2026-11-27 11:00"},
		{"hoy a las ocho y media de la noche", "2026-11-21 20:30"},
		{"el 24 de diciembre a las 18:00", "2026-12-24 18:00"},
		{"esta noche", "2026-11-21 21:00"},
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

// What comes again and again: how it is said back, and its next three times.
func TestEvery(t *testing.T) {
	now := on(t, "2026-11-21 12:00", "Europe/Oslo")
	tests := []struct {
		text, said string
		next       []string
	}{
		{"every Monday 08:00 Europe/Oslo", "every Monday at 08:00 (Europe/Oslo)", []string{"2026-11-23 08:00", "2026-11-30 08:00", "2026-12-07 08:00"}},
		{"every day at 7:30", "every day at 07:30 (Europe/Oslo)", []string{"2026-11-22 07:30", "2026-11-23 07:30", "2026-11-24 07:30"}},
		{"daily at 8:00 and 20:00", "every day at 08:00, 20:00 (Europe/Oslo)", []string{"2026-11-21 20:00", "2026-11-22 08:00", "2026-11-22 20:00"}},
		{"every weekday at 9", "every weekday at 09:00 (Europe/Oslo)", []string{"2026-11-23 09:00", "2026-11-24 09:00", "2026-11-25 09:00"}},
		{"every weekend at 10", "every Saturday and Sunday at 10:00 (Europe/Oslo)", []string{"2026-11-22 10:00", "2026-11-28 10:00", "2026-11-29 10:00"}},
		{"every morning", "every day at 09:00 (Europe/Oslo)", []string{"2026-11-22 09:00"}},
		{"on mondays and thursdays at 8", "every Monday and Thursday at 08:00 (Europe/Oslo)", []string{"2026-11-23 08:00", "2026-11-26 08:00", "2026-11-30 08:00"}},
		{"every other monday at 8", "every other Monday at 08:00 (Europe/Oslo)", []string{"2026-11-23 08:00", "2026-12-07 08:00", "2026-12-21 08:00"}},
		{"every 3 days at 9", "every 3 days at 09:00 (Europe/Oslo)", []string{"2026-11-22 09:00", "2026-11-25 09:00", "2026-11-28 09:00"}},
		{"every 2 hours", "every 2 hours, counted from Saturday, 21 November 2026, 14:00", []string{"2026-11-21 14:00", "2026-11-21 16:00", "2026-11-21 18:00"}},
		{"every 5 minutes", "every 5 minutes, counted from Saturday, 21 November 2026, 12:05", []string{"2026-11-21 12:05", "2026-11-21 12:10"}},
		{"hourly", "every hour, counted from Saturday, 21 November 2026, 13:00", []string{"2026-11-21 13:00", "2026-11-21 14:00"}},
		{"every month on the 31st", "on the 31st (in shorter months on their last day) of every month at 09:00 (Europe/Oslo)", []string{"2026-11-30 09:00", "2026-12-31 09:00", "2027-01-31 09:00", "2027-02-28 09:00", "2027-03-31 09:00"}},
		{"on the 31st of every month at 10:00", "on the 31st (in shorter months on their last day) of every month at 10:00 (Europe/Oslo)", []string{"2026-11-30 10:00", "2026-12-31 10:00"}},
		{"every 30th at 10:00", "on the 30th (in shorter months on their last day) of every month at 10:00 (Europe/Oslo)", []string{"2026-11-30 10:00", "2026-12-30 10:00", "2027-01-30 10:00", "2027-02-28 10:00"}},
		{"monthly on the 15th", "on the 15th of every month at 09:00 (Europe/Oslo)", []string{"2026-12-15 09:00", "2027-01-15 09:00"}},
		{"every month", "on the 21st of every month at 09:00 (Europe/Oslo)", []string{"2026-12-21 09:00"}},
		{"on the last day of every month", "on the last day of every month at 09:00 (Europe/Oslo)", []string{"2026-11-30 09:00", "2026-12-31 09:00"}},
		{"the first monday of every month at 8", "on the 1st Monday of every month at 08:00 (Europe/Oslo)", []string{"2026-12-07 08:00", "2027-01-04 08:00"}},
		{"every month on the last friday at 16:00", "on the last Friday of every month at 16:00 (Europe/Oslo)", []string{"2026-11-27 16:00", "2026-12-25 16:00"}},
		{"every year on 24 december at 18:00", "every year on 24 December at 18:00 (Europe/Oslo)", []string{"2026-12-24 18:00", "2027-12-24 18:00"}},
		{"every year on 29 february", "every year on 29 February (in years without one, on the 28th) at 09:00 (Europe/Oslo)", []string{"2027-02-28 09:00", "2028-02-29 09:00", "2029-02-28 09:00"}},
		{"cada lunes a las 8:00", "every Monday at 08:00 (Europe/Oslo)", []string{"2026-11-23 08:00"}},
		{"todos los días a las siete y media", "every day at 07:30 (Europe/Oslo)", []string{"2026-11-22 07:30"}},
		{"cada dos horas", "every 2 hours, counted from Saturday, 21 November 2026, 14:00", []string{"2026-11-21 14:00"}},
		{"el 31 de cada mes a las 10:00", "on the 31st (in shorter months on their last day) of every month at 10:00 (Europe/Oslo)", []string{"2026-11-30 10:00"}},
		{"de lunes a viernes a las 9", "every weekday at 09:00 (Europe/Oslo)", []string{"2026-11-23 09:00"}},
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

// What cannot be is refused in words that a person can act on.
func TestRefused(t *testing.T) {
	now := on(t, "2026-11-21 12:00", "Europe/Oslo")
	oslo := func(text string) time.Time { return on(t, text, "Europe/Oslo") }
	tests := []struct {
		text string
		want when.Error
	}{
		{"", when.Error{Kind: when.NotUnderstood}},
		{"when the cows come home", when.Error{Kind: when.NotUnderstood, Text: "when the cows come home"}},
		{"tomorrow or the day after", when.Error{Kind: when.NotUnderstood, Text: "tomorrow or the day after"}},
		{"in the summer", when.Error{Kind: when.NotUnderstood, Text: "in the summer"}},
		{"next", when.Error{Kind: when.NotUnderstood, Text: "next"}},
		{"every", when.Error{Kind: when.NotUnderstood, Text: "every"}},
		{"every now and then", when.Error{Kind: when.NotUnderstood, Text: "every now and then"}},
		{"3/4/2027", when.Error{Kind: when.NotUnderstood, Text: "3/4/2027"}},
		{"today at 9", when.Error{Kind: when.Past, At: oslo("2026-11-21 09:00"), Now: now}},
		{"yesterday at 9", when.Error{Kind: when.Past, At: oslo("2026-11-20 09:00"), Now: now}},
		{"2020-01-01 10:00", when.Error{Kind: when.Past, At: oslo("2020-01-01 10:00"), Now: now}},
		{"last friday", when.Error{Kind: when.Past, At: oslo("2026-11-20 09:00"), Now: now}},
		{"every second", when.Error{Kind: when.TooOften, Number: 5}},
		{"every minute", when.Error{Kind: when.TooOften, Number: 5}},
		{"every 4 minutes", when.Error{Kind: when.TooOften, Number: 5}},
		{"cada segundo", when.Error{Kind: when.TooOften, Number: 5}},
		{"FREQ=SECONDLY", when.Error{Kind: when.TooOften, Number: 5}},
		{"FREQ=DAILY;BYHOUR=8;BYMINUTE=0,3", when.Error{Kind: when.TooOften, Number: 5}},
		{"FREQ=DAILY;BYHOUR=0,23;BYMINUTE=0,58", when.Error{Kind: when.TooOften, Number: 5}},
		{"FREQ=DAILY;BYMINUTE=0,1", when.Error{Kind: when.TooOften, Number: 5}},
		{"FREQ=MINUTELY;INTERVAL=5;BYMONTH=2", when.Error{Kind: when.MixedRule}},
		{"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", when.Error{Kind: when.Never}},
		{"FREQ=DAILY;UNTIL=20200101T000000Z", when.Error{Kind: when.Never}},
		{"DTSTART:00010101T000000Z FREQ=HOURLY", when.Error{Kind: when.StartTooOld, Number: 100}},
		{"FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23;BYMINUTE=0,5,20,35,50", when.Error{Kind: when.TooManyTimes, Number: 120}},
		{"DTSTART:19700101T000000Z FREQ=DAILY;COUNT=30000", when.Error{Kind: when.TooMuchToCount, Number: 50}},
		{"FREQ=NEVER", when.Error{Kind: when.BadRule, Text: "undefined frequency: NEVER"}},
		{"FREQ=DAILY;INTERVAL=1000000", when.Error{Kind: when.BadRule, Text: "too large a number"}},
		{"FREQ=DAILY;BYSECOND=7", when.Error{Kind: when.SecondsInRule}},
		{"DTSTART:20261324T180000 FREQ=DAILY", when.Error{Kind: when.BadStart}},
		{"DTSTART:20261324T180000Z FREQ=DAILY", when.Error{Kind: when.BadStart}},
		{"every 9th monday", when.Error{Kind: when.NoNthWeekday, Text: "9th monday", Number: 9}},
		{"every 30 february", when.Error{Kind: when.NoDate, Text: "30 February", Number: 30}},
		{"every 31st at 8:00 and 9:00", when.Error{Kind: when.SeveralTimes}},
		{"2040-01-01 10:00", when.Error{Kind: when.TooFar, Number: 5, At: oslo("2040-01-01 10:00")}},
		{"in 99999 months", when.Error{Kind: when.TooFar, Number: 5}},
		{"in 999999 years", when.Error{Kind: when.TooFar, Number: 5}},
		{"tomorrow at nine Europe/Olso", when.Error{Kind: when.UnknownZone, Text: "Europe/Olso"}},
		{"tomorrow at 25:00", when.Error{Kind: when.NoTimeOfDay, Text: "25:00"}},
		{"tomorrow at 9:75", when.Error{Kind: when.NoTimeOfDay, Text: "9:75"}},
		{"tomorrow at 13pm", when.Error{Kind: when.NoTimeOfDay, Text: "13:00 pm"}},
		{"on 31 february", when.Error{Kind: when.NoDate, Text: "31 February 2027", Number: 31}},
		{"2027-02-29 09:00", when.Error{Kind: when.NoDate, Text: "29 February 2027", Number: 29}},
		{"2027-13-01 09:00", when.Error{Kind: when.NoMonth, Text: "13"}},
		{"on the 32nd", when.Error{Kind: when.NoDayOfMonth, Number: 32}},
		{"every day at 8:00 and 20:30", when.Error{Kind: when.MinutesDiffer}},
		{"tomorrow at 8:00 and 9:00", when.Error{Kind: when.NotUnderstood, Text: "tomorrow at 8:00 and 9:00"}},
		{strings.Repeat("tomorrow ", 100), when.Error{Kind: when.NotUnderstood}},
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
		{when.Time{Words: "tomorrow at nine"}, "2026-11-22 09:00"},
		{when.Time{Words: "tomorrow at nine", Zone: "gmt"}, "2026-11-22 10:00"},
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
		{when.Time{At: "tomorrow at nine"}, when.BadTime},
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
		{"left out, and the shifted time asked for too", "Europe/Oslo", "2027-03-27 12:00", "every day at 2:30 and 3:30", []string{"2027-03-28 03:30 +0200", "2027-03-29 02:30 +0200"}},
		{"left out, the order turned round", "Europe/Oslo", "2027-03-27 12:00", "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=15,45", []string{"2027-03-28 03:15 +0200", "2027-03-28 03:45 +0200", "2027-03-29 02:15 +0200"}},
		{"twice in Oslo", "Europe/Oslo", "2026-10-24 12:00", "every day at 2:30", []string{"2026-10-25 02:30 +0200", "2026-10-26 02:30 +0100"}},
		{"left out in New York", "America/New_York", "2027-03-13 12:00", "every day at 2:30", []string{"2027-03-14 03:30 -0400", "2027-03-15 02:30 -0400"}},
		{"twice in New York", "America/New_York", "2026-10-31 12:00", "every day at 1:30", []string{"2026-11-01 01:30 -0400", "2026-11-02 01:30 -0500"}},
		{"the same hour on the wall", "Europe/Oslo", "2027-03-27 12:00", "every day at 9", []string{"2027-03-28 09:00 +0200", "2027-03-29 09:00 +0200"}},
		{"hours pass, whatever the clocks do", "Europe/Oslo", "2026-10-25 00:30", "every 2 hours", []string{"2026-10-25 02:30 +0200", "2026-10-25 03:30 +0100", "2026-10-25 05:30 +0100"}},
		{"a single time that is left out", "Europe/Oslo", "2027-03-27 12:00", "tomorrow at 2:30", []string{"2027-03-28 03:30 +0200"}},
		{"a single time that is there twice", "Europe/Oslo", "2026-10-24 12:00", "tomorrow at 2:30", []string{"2026-10-25 02:30 +0200"}},
		{"in two hours, over the change", "Europe/Oslo", "2027-03-28 01:30", "in two hours", []string{"2027-03-28 04:30 +0200"}},
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
	for _, text := range []string{"every day at 2:30", "every weekday at 9", "every 2 hours", "FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=0,20,40", "every other monday at 8"} {
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
		"every day at 9": "2036-11-21 09:00", "every 5 minutes": "2036-11-21 12:00", "every monday at 8": "2036-11-17 08:00",
		"every year on 24 december": "2035-12-24 09:00", "tomorrow at nine": "2026-11-22 09:00",
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
	for _, text := range []string{"tomorrow at nine", "every monday at 8", "every 2 hours"} {
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
	for _, text := range []string{"every 5 minutes", "every day at 9", "every other monday at 8", "every 3 days"} {
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

func used(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"tomorrow at nine", "in 2 hours", "every monday 08:00 Europe/Oslo", "on the 31st", "FREQ=MONTHLY;BYMONTHDAY=31;COUNT=3",
		"DTSTART:20261124T180000\nFREQ=WEEKLY", "cada lunes a las 8:00", "2026-12-24T18:00:00+01:00", "every 2nd day at 25:99", "quarter to 0"} {
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
