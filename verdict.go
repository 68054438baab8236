package errand

import "strings"

// A Verdict is what one agent answers to what a delegation is to decide. The zero value
// is that of an agent that has not answered.
type Verdict string

// The verdicts, and what is none: Invalid stands for an answer that is no verdict. Nobody
// guesses what it may have meant.
const (
	Yes     Verdict = "YES"
	No      Verdict = "NO"
	Abstain Verdict = "ABSTAIN"
	Invalid Verdict = "INVALID"
)

// Counts reports whether v is a verdict.
func (v Verdict) Counts() bool { return v == Yes || v == No || v == Abstain }

// ParseVerdict reads a verdict in upper or lower case. Everything else is none: "SÍ" may
// be a yes or the beginning of a sentence, and "ok" an opinion.
func ParseVerdict(text string) (Verdict, bool) {
	v := Verdict(strings.ToUpper(strings.TrimSpace(text)))
	return v, v.Counts()
}

// An Answer is what a policy makes of the verdicts of all agents.
type Answer string

// The answers. A tie and a missing quorum are answers of their own, and neither is a no.
const (
	AnswerYes      Answer = "YES"
	AnswerNo       Answer = "NO"
	AnswerTie      Answer = "TIE"       // each agent has given its verdict, and as many are for it as against it
	AnswerNoQuorum Answer = "NO_QUORUM" // neither yes nor no has the verdicts that the policy asks for
)

// A Standing says what became of one agent's verdict.
type Standing string

// The standings.
const (
	StandingCounted Standing = "counted"
	StandingInvalid Standing = "invalid" // its answer was no verdict
	StandingLate    Standing = "late"    // it came when it was decided, or after the deadline
	StandingAbsent  Standing = "absent"  // there is none
)

// A GivenVerdict is one agent's part in a decision, as it is told.
type GivenVerdict struct {
	Agent      AgentName `json:"agent"`
	Verdict    Verdict   `json:"verdict,omitempty" description:"YES, NO or ABSTAIN; INVALID: its answer was none of them; left out: it gave none"`
	Confidence float64   `json:"confidence,omitempty" description:"its own, from 0 to 1"`
	Reasoning  string    `json:"reasoning,omitempty"`
	Standing   Standing  `json:"standing" description:"counted, invalid, late or absent"`
}

// A Branch is a task that follows a decision: code starts it, not an agent.
type Branch struct {
	Agents []AgentName `json:"agents"`
	Task   string      `json:"task" description:"what is to be done; its agents read the decision and its reasons, too"`
}
