package core

import (
	"strings"
)

// A Policy decides which agents of a delegation must finish, and when the delegation is decided. It
// is stored in histories forever, so it has one canonical form, see decision.ParsePolicy.
type Policy string

// AllEnd is the default policy: decided when all agents have ended, and completed if one has
// completed. It counts no verdicts.
const AllEnd Policy = ""

// Policies that count verdicts without weights and vetoes. decision.ParsePolicy has more.
const (
	All      Policy = "all"      // YES if all agents say so; NO if one does
	Any      Policy = "any"      // YES if one agent says so; NO if all do
	Majority Policy = "majority" // YES or NO if more than half of all agents say so
)

// CountsVerdicts reports whether the agents have to give verdicts.
func (p Policy) CountsVerdicts() bool { return p != AllEnd }

// An Outcome is how an agent's part of a delegation ended. The zero value means that it is working.
type Outcome struct {
	State TaskState // not terminal: working
	// Why is the reason for a missing report, if the agent's workflow broke.
	Why string
	// Verdict counts from the moment it is given, however the agent's work ends.
	Verdict Verdict
}

// A Decision is how a delegation ends.
type Decision struct {
	State  TaskState // completed, failed, canceled or rejected
	Why    string    // the reason, if no report has it
	Answer Answer    // by the verdicts; empty: none are counted
	// EndsRest cancels agents that are still working. Otherwise they may finish.
	EndsRest bool
}

// A Verdict is one agent's answer to the question of a delegation. The zero value means none yet.
type Verdict string

// Invalid stands for an answer that is not a verdict. It is not interpreted.
const (
	Yes     Verdict = "YES"
	No      Verdict = "NO"
	Abstain Verdict = "ABSTAIN"
	Invalid Verdict = "INVALID"
)

// Counts reports whether v is a verdict.
func (v Verdict) Counts() bool { return v == Yes || v == No || v == Abstain }

// ParseVerdict ignores case. Other texts are not verdicts: "SÍ" may be a yes or the beginning of a
// sentence, and "ok" an opinion.
func ParseVerdict(text string) (Verdict, bool) {
	v := Verdict(strings.ToUpper(strings.TrimSpace(text)))
	return v, v.Counts()
}

// An Answer is the result of a policy from the verdicts of all agents.
type Answer string

// A tie and a missing quorum are separate answers. Neither is a no.
const (
	AnswerYes      Answer = "YES"
	AnswerNo       Answer = "NO"
	AnswerTie      Answer = "TIE"       // all agents gave verdicts, and YES and NO are equal
	AnswerNoQuorum Answer = "NO_QUORUM" // neither YES nor NO has the verdicts that the policy requires
)

// A Standing is whether one agent's verdict counts.
type Standing string

const (
	StandingCounted Standing = "counted"
	StandingInvalid Standing = "invalid" // its answer was no verdict
	StandingLate    Standing = "late"    // it came after the decision or the deadline
	StandingAbsent  Standing = "absent"  // it did not come
)

// A GivenVerdict is one agent's part in a decision.
type GivenVerdict struct {
	Agent      AgentName `json:"agent"`
	Verdict    Verdict   `json:"verdict,omitempty" description:"YES, NO or ABSTAIN; INVALID: any other answer; omitted: no answer"`
	Confidence float64   `json:"confidence,omitempty" description:"the agent's own confidence, from 0 to 1"`
	Reasoning  string    `json:"reasoning,omitempty"`
	Standing   Standing  `json:"standing" description:"counted, invalid, late or absent"`
}

// A Branch is a task that follows a decision. Code starts it, not an agent.
type Branch struct {
	Agents []AgentName `json:"agents"`
	Task   string      `json:"task" description:"the task; its agents also read the decision and its reasons"`
}

// An AnswerSchema is the part of JSON Schema with which an agent may describe an answer: one value,
// or an object of values, as in MCP's elicitation
// (https://modelcontextprotocol.io/specification/2025-06-18/client/elicitation). People must be
// able to type the answer.
type AnswerSchema struct {
	Type        string                  `json:"type"`
	Title       string                  `json:"title,omitempty"`
	Description string                  `json:"description,omitempty"`
	Enum        []string                `json:"enum,omitempty"`
	Format      string                  `json:"format,omitempty"` // email, uri, date or date-time
	MinLength   *int                    `json:"minLength,omitempty"`
	MaxLength   *int                    `json:"maxLength,omitempty"`
	Minimum     *float64                `json:"minimum,omitempty"`
	Maximum     *float64                `json:"maximum,omitempty"`
	Properties  map[string]AnswerSchema `json:"properties,omitempty"`
	Required    []string                `json:"required,omitempty"`
}

// The faults of an answer. An unmet format is its own code.
const (
	MisfitEmpty   = "empty"
	MisfitOptions = "options" // not one of Want
	MisfitNumber  = "number"
	MisfitWhole   = "integer"
	MisfitLeast   = "least" // less than Want
	MisfitMost    = "most"  // more than Want
	MisfitYesNo   = "boolean"
	MisfitShort   = "short"   // fewer characters than Want
	MisfitLong    = "long"    // more characters than Want
	MisfitSeveral = "several" // one value, but several are required
	MisfitUnasked = "unasked" // Name is not among Want
	MisfitMissing = "missing" // Name, which is among Want, is missing
)

// An AnswerError explains why a text does not answer a question. Its code is translated for the
// reader.
type AnswerError struct {
	Code string
	Name string // the property; empty: the whole answer
	Want string // a limit, or names
}

func (e *AnswerError) Error() string {
	return strings.TrimSpace(strings.Join([]string{"no answer:", e.Code, e.Name, e.Want}, " "))
}
