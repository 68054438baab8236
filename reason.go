package errand

import "strings"

// A Reason is a code for why errand itself ended a task: people read it in their own
// language (package texts has "reason." and the code), models and programs as [Reason.Text]
// says it. Empty: the words are a person's, an agent's, or of a model that has failed.
type Reason string

// The reasons. Their sentences are in the histories of workflows and in rows: they are
// never reworded.
const (
	ReasonTerminated         Reason = "terminated"           // its workflow, in Temporal
	ReasonEndedOutside       Reason = "ended_outside"        // its workflow, and not by errand
	ReasonBroken             Reason = "broken"               // an error of errand itself
	ReasonCanceled           Reason = "canceled"             // nobody said why
	ReasonCanceledInTemporal Reason = "canceled_in_temporal" // in its Web UI, or by its command
	ReasonStopped            Reason = "stopped"              // /stop
	ReasonAbove              Reason = "above"                // with the task that had asked for it
	ReasonDeleted            Reason = "deleted"              // with its session
	ReasonNoReport           Reason = "no_report"            // its agent has left none
	ReasonUnknownPolicy      Reason = "unknown_policy"       // of a newer version
	ReasonUnknownKind        Reason = "unknown_kind"         // of an agent, likewise
)

// Reasons returns all of them.
func Reasons() []Reason {
	return []Reason{ReasonTerminated, ReasonEndedOutside, ReasonBroken, ReasonCanceled, ReasonCanceledInTemporal, ReasonStopped,
		ReasonAbove, ReasonDeleted, ReasonNoReport, ReasonUnknownPolicy, ReasonUnknownKind}
}

// Text is the reason as models and programs read it.
func (r Reason) Text() string {
	switch r {
	case ReasonTerminated:
		return "its workflow was terminated"
	case ReasonEndedOutside:
		return "its workflow was ended from outside"
	case ReasonBroken:
		return "it broke off: an error of errand itself; the Temporal Web UI shows it"
	case ReasonCanceled:
		return "canceled"
	case ReasonCanceledInTemporal:
		return "canceled from the Temporal Web UI or command line"
	case ReasonStopped:
		return "stopped by the person"
	case ReasonAbove:
		return "the task above it ended"
	case ReasonDeleted:
		return "its session was deleted"
	case ReasonNoReport:
		return "(no report)"
	case ReasonUnknownPolicy:
		return "this version of errand does not know the policy"
	case ReasonUnknownKind:
		return "this version of errand does not know the kind"
	}
	return ""
}

// ReasonOf is the reason that has this text; empty: it is none of errand's own.
func ReasonOf(text string) Reason {
	if text == "" {
		return ""
	}
	if text == "stopped" { // what /stop gives, too
		return ReasonStopped
	}
	for _, r := range Reasons() {
		if more, is := strings.CutPrefix(text, r.Text()); is && (more == "" || r.detail() != "" && strings.HasPrefix(more, r.detail())) {
			return r
		}
	}
	return ""
}

// detail is how the text of a reason goes on where more is said than the reason; empty:
// nothing more ever is.
func (r Reason) detail() string {
	switch r {
	case ReasonAbove: // and why that one did
		return ": "
	case ReasonUnknownPolicy, ReasonUnknownKind: // its name
		return ` "`
	}
	return ""
}
