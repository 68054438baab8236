package texts

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"errand"
)

const mostNamed = 5

// Approvers names those who may decide about calls that wait for a yes.
func (t Texts) Approvers(names []string) string {
	if len(names) == 0 {
		return t.Localize("approval.nobody")
	}
	return strings.Join(names[:min(len(names), mostNamed)], ", ")
}

// mostShown is how many characters of a call's arguments a chat shows. Of longer ones it
// shows the beginning, and a yes needs what stands behind their end.
const mostShown = 3000

// CutsApproval reports whether a chat shows no more than the beginning of the arguments.
func CutsApproval(arguments string) bool { return utf8.RuneCountInString(arguments) > mostShown }

// Approval is what people read of a call that waits for a yes: what it is about, the
// arguments as they will be given to the tool, and how it is answered. about is a line in
// front of that; empty: there is none.
func (t Texts) Approval(q errand.Question, about string) string {
	a := q.Approval
	if about != "" {
		about = "\n" + about
	}
	id := string(q.ID)
	if !a.Cut {
		return q.Text + "\n\n" + block(a.Arguments) + about + "\n" + t.Localize("approval.how", "question", id)
	}
	runes := []rune(a.Arguments)
	return q.Text + "\n\n" + block(string(runes[:mostShown])) + about + "\n" +
		t.Localize("approval.cut", "question", id, "count", strconv.Itoa(len(runes)-mostShown))
}

// ApprovalOptions are the answers that an approval offers: yes, no and, where it may be
// given for the session, always.
func (t Texts) ApprovalOptions(a errand.Approval) []string {
	list := []string{t.Localize("approval.yes"), t.Localize("approval.no")}
	if a.ForSession {
		list = append(list, t.Localize("approval.always", "tool", errand.Cut(a.Tool, 40)))
	}
	return list
}

// ApprovalFor is what somebody reads, in a chat of their own, who decides about a call that
// was asked for by another.
func (t Texts) ApprovalFor(q errand.Question, person, about string) string {
	q.Text = t.Localize("approval.text_for", "agent", q.Agent.Display(), "tool", q.Approval.Tool, "person", person)
	return t.Approval(q, about)
}

// ApprovalLapsed is what they read when it has ended and nobody has decided.
func (t Texts) ApprovalLapsed(q errand.Question) string {
	return t.Localize("approval.lapsed", "question", string(q.ID), "tool", q.Approval.Tool)
}

// WholeApproval is all of the arguments and, behind them, for those who decide, how a yes
// is said: of what chats cut, with the seal.
func (t Texts) WholeApproval(q errand.Question, decides bool) string {
	text := q.Text + "\n\n" + block(q.Approval.Arguments)
	switch {
	case !decides || q.State != errand.QuestionOpen:
		return text
	case q.Approval.Cut:
		return text + "\n" + t.Localize("approval.seal", "question", string(q.ID), "seal", q.Approval.Seal)
	}
	return text + "\n" + t.Localize("approval.how", "question", string(q.ID))
}

// block shows a text as it is. Arguments have no backtick, which would end it.
func block(text string) string { return "```json\n" + text + "\n```" }
