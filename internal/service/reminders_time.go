package service

import (
	"strconv"

	"errand/internal/texts"
	"errand/internal/when"
)

// badTime says in a person's language why what they wrote is no time for a reminder.
func badTime(t texts.Texts, e *when.Error) *Error {
	return &Error{Kind: KindInvalid, Code: "when", Message: timeErrorText(t, e)}
}

// ClockLayout is how people read a time, in every language.
const ClockLayout = "2006-01-02 15:04"

func timeErrorText(t texts.Texts, e *when.Error) string {
	at := e.At.Format(ClockLayout)
	switch {
	case e.Kind == when.NotUnderstood && e.Text == "":
		return t.Say("when.unreadable", "examples", t.Say("when.examples"))
	case e.Kind == when.TooFar && e.At.IsZero():
		return t.Say("when.too_far_away", "number", strconv.Itoa(e.Number))
	}
	return t.Say("when."+string(e.Kind), "text", e.Text, "number", strconv.Itoa(e.Number), "at", at, "now", e.Now.Format(ClockLayout),
		"most", strconv.Itoa(when.PerDay), "examples", t.Say("when.examples"))
}
