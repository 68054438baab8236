package when

import (
	"strings"
	"time"
)

// A Kind says what is wrong with a time. Package texts has a sentence for each: "when."
// and the kind.
type Kind string

// The kinds, each with the fields that its Error has.
const (
	NotUnderstood Kind = "not_understood"  // Text; empty if the text is empty or too long
	Past          Kind = "past"            // At, Now
	Never         Kind = "never"           // a rule without a future time
	TooFar        Kind = "too_far"         // Number, of years; At
	TooOften      Kind = "too_often"       // Number, of minutes that must pass between two times
	UnknownZone   Kind = "unknown_zone"    // Text
	BadRule       Kind = "bad_rule"        // Text, English: what is wrong with the RRULE
	SecondsInRule Kind = "seconds_in_rule" // BYSECOND
	MixedRule     Kind = "mixed_rule"      // counts hours or minutes and has conditions
	BadStart      Kind = "bad_start"       // of DTSTART
	StartTooOld   Kind = "start_too_old"   // Number, of years
	BadTime       Kind = "bad_time"        // Text, which is not RFC 3339
	TimeAndRule   Kind = "time_and_rule"   // both are given
)

// Kinds returns all of them.
func Kinds() []Kind {
	return []Kind{NotUnderstood, Past, Never, TooFar, TooOften, UnknownZone, BadRule, SecondsInRule, MixedRule, BadStart, StartTooOld,
		BadTime, TimeAndRule}
}

// An Error is why a time cannot be used. Package texts words it for people and models.
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
