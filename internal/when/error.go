package when

import (
	"strings"
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
	BadTime        Kind = "bad_time"          // Text, which is no time as RFC 3339 writes it
	TimeAndRule    Kind = "time_and_rule"     // both are given
)

// Kinds returns all of them.
func Kinds() []Kind {
	return []Kind{NotUnderstood, Past, Never, TooFar, TooOften, TooManyTimes, UnknownZone, NoTimeOfDay, NoMonth, NoDayOfMonth, NoDate,
		NoNthWeekday, MinutesDiffer, SeveralTimes, BadRule, SecondsInRule, MixedRule, BadStart, StartTooOld, TooMuchToCount, BadTime, TimeAndRule}
}

// An Error is why a time cannot be used. Package texts words it for people and models;
// its own words are for logs.
type Error struct {
	Kind    Kind
	Text    string
	Number  int
	At, Now time.Time // in the zone that the text is about
}

func (e *Error) Error() string {
	return strings.TrimSpace("unusable time: " + string(e.Kind) + " " + e.Text)
}

// badRule is an RRULE that is not one.
func badRule(why string) error { return &Error{Kind: BadRule, Text: why} }
