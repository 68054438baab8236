package when

import (
	"fmt"
	"time"
)

// A Kind says what is wrong with a text about a time. Package texts has a sentence
// for each, "when." and the kind.
type Kind string

// The kinds. Behind each is which fields of the Error it has.
const (
	NotUnderstood  Kind = "not_understood"    // Text; empty where it is too long, or no text
	Past           Kind = "past"              // At, Now
	Never          Kind = "never"             // a rule without a time that is still to come
	TooFar         Kind = "too_far"           // Number, of years; At, where it can be computed
	TooOften       Kind = "too_often"         // Number, of minutes that have to be between two times
	TooManyTimes   Kind = "too_many_times"    // Number, of a day
	UnknownZone    Kind = "unknown_zone"      // Text
	NoTimeOfDay    Kind = "no_time_of_day"    // Text: 25:00
	NoMonth        Kind = "no_month"          // Text: 13
	NoDayOfMonth   Kind = "no_day_of_month"   // Number: a day that no month has
	NoDate         Kind = "no_date"           // Text, English: 30 February; Number, the day
	NoNthWeekday   Kind = "no_nth_weekday"    // Text, English: 6th monday; Number, of it
	MinutesDiffer  Kind = "minutes_differ"    // times of a day that one rule cannot say
	SeveralTimes   Kind = "several_times"     // of a day that is counted
	BadRule        Kind = "bad_rule"          // Text, English: what is wrong with the RRULE
	SecondsInRule  Kind = "seconds_in_rule"   // BYSECOND
	MixedRule      Kind = "mixed_rule"        // one that counts hours or minutes, and has conditions
	BadStart       Kind = "bad_start"         // of DTSTART
	StartTooOld    Kind = "start_too_old"     // Number, of years that DTSTART may be ago
	TooMuchToCount Kind = "too_much_to_count" // Number, the same for a rule with COUNT
)

// Kinds returns all of them.
func Kinds() []Kind {
	return []Kind{NotUnderstood, Past, Never, TooFar, TooOften, TooManyTimes, UnknownZone, NoTimeOfDay, NoMonth, NoDayOfMonth, NoDate,
		NoNthWeekday, MinutesDiffer, SeveralTimes, BadRule, SecondsInRule, MixedRule, BadStart, StartTooOld, TooMuchToCount}
}

// An Error is why a text about a time cannot be used. Its own words are for models and
// logs; whoever wrote the text is told in their language, by its kind.
type Error struct {
	Kind    Kind
	Text    string
	Number  int
	At, Now time.Time // in the zone that the text is about
}

func (e *Error) Error() string {
	switch e.Kind {
	case NotUnderstood:
		what := "that"
		if e.Text != "" {
			what = fmt.Sprintf("%q", e.Text)
		}
		return fmt.Sprintf("no time understood in %s; write it as %s", what, Examples)
	case Past:
		return fmt.Sprintf("%s is in the past: it is now %s", Say(e.At), Say(e.Now))
	case TooFar:
		what := "that"
		if !e.At.IsZero() {
			what = Say(e.At)
		}
		return fmt.Sprintf("%s is more than %d years ahead", what, e.Number)
	case TooOften:
		return fmt.Sprintf("that is too often: at most every %d minutes", e.Number)
	case TooManyTimes:
		return fmt.Sprintf("that is %d times a day: name %d at most, or write it as in \"every 5 minutes\"", e.Number, PerDay)
	case UnknownZone:
		return fmt.Sprintf("unknown time zone %q; write it as in Europe/Oslo, America/New_York or UTC", e.Text)
	case NoTimeOfDay:
		return fmt.Sprintf("there is no %s o'clock", e.Text)
	case NoMonth:
		return "there is no month " + e.Text
	case NoDayOfMonth:
		return fmt.Sprintf("no month has a day %d", e.Number)
	case NoDate:
		return "there is no " + e.Text
	case NoNthWeekday:
		return "no month has a " + e.Text
	case BadRule:
		return "the rule cannot be read: " + e.Text
	case StartTooOld:
		return fmt.Sprintf("DTSTART is more than %d years ago", e.Number)
	case TooMuchToCount:
		return fmt.Sprintf("DTSTART is more than %d years ago: with COUNT that is too much to count", e.Number)
	}
	return plainly[e.Kind]
}

// plainly are the kinds that have nothing but their name to tell.
var plainly = map[Kind]string{
	Never:         "that never comes",
	MinutesDiffer: "times at different minutes of the hour are two reminders: ask for each",
	SeveralTimes:  "several times on such a day are several reminders: ask for each",
	SecondsInRule: "reminders come at full minutes: leave BYSECOND out",
	MixedRule:     "FREQ=HOURLY and FREQ=MINUTELY take INTERVAL, COUNT and UNTIL only; write FREQ=DAILY with BYHOUR and BYMINUTE",
	BadStart:      "DTSTART cannot be read; write it as in DTSTART:20261224T180000",
}

// badRule is an RRULE that is not one.
func badRule(why string) error { return &Error{Kind: BadRule, Text: why} }
