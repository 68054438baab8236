package when

import (
	"strings"
	"time"
)

// A Kind says what is wrong with a time. Package texts has a sentence for each, with the key
// "when." and the kind.
type Kind string

// The kinds, each with the fields of Error that it uses.
const (
	NotUnderstood Kind = "not_understood"  // Text; empty if the text is empty or too long
	Past          Kind = "past"            // At, Now
	Never         Kind = "never"           // a rule without a future time
	TooFar        Kind = "too_far"         // Number of years; At
	TooOften      Kind = "too_often"       // Number of minutes that must lie between two times
	UnknownZone   Kind = "unknown_zone"    // Text
	BadRule       Kind = "bad_rule"        // Text, in English: what is wrong with the RRULE
	SecondsInRule Kind = "seconds_in_rule" // BYSECOND
	MixedRule     Kind = "mixed_rule"      // combines hours or minutes with conditions
	BadStart      Kind = "bad_start"       // in DTSTART
	StartTooOld   Kind = "start_too_old"   // Number of years
	BadTime       Kind = "bad_time"        // Text, which is not RFC 3339
	TimeAndRule   Kind = "time_and_rule"   // only one may be given
)

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{NotUnderstood, Past, Never, TooFar, TooOften, UnknownZone, BadRule, SecondsInRule, MixedRule, BadStart, StartTooOld,
		BadTime, TimeAndRule}
}

// An Error is the reason why a time is invalid. Package texts has its text for people and models.
// Error() is for logs.
type Error struct {
	Kind    Kind
	Text    string
	Number  int
	At, Now time.Time // in the zone of the text
}

func (e *Error) Error() string {
	return strings.TrimSpace("unusable time: " + string(e.Kind) + " " + e.Text)
}

func badRule(why string) error { return &Error{Kind: BadRule, Text: why} }
