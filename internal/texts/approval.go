package texts

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"errand/internal/core"
)

const mostNamed = 5

// Approvers lists the names of the people who may approve a call.
func (t Texts) Approvers(names []string) string {
	if len(names) == 0 {
		return t.Localize("approval.nobody")
	}
	return strings.Join(names[:min(len(names), mostNamed)], ", ")
}

// mostShown is in characters. A chat shows only the beginning of longer arguments, and to approve
// them a person needs the seal at their end.
const mostShown = 3000

// CutsApproval reports whether a chat shows only the beginning of the arguments.
func CutsApproval(arguments string) bool { return utf8.RuneCountInString(arguments) > mostShown }

// Approval is the text of an approval request: its purpose, the tool's arguments, and how to
// answer. A non-empty about is a line before the arguments.
func (t Texts) Approval(q core.Question, about string) string {
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

// ApprovalOptions are yes, no and, if the approval may cover the session, always.
func (t Texts) ApprovalOptions(a core.Approval) []string {
	list := []string{t.Localize("approval.yes"), t.Localize("approval.no")}
	if a.ForSession {
		list = append(list, t.Localize("approval.always", "tool", core.Cut(a.Tool, 40)))
	}
	return list
}

// ApprovalFor is the approval request for a decider who reads another person's call in their own
// chat.
func (t Texts) ApprovalFor(q core.Question, person, about string) string {
	q.Text = t.Localize("approval.text_for", "agent", q.Agent.Display(), "tool", q.Approval.Tool, "person", person)
	return t.Approval(q, about)
}

// ApprovalLapsed is the message to deciders about an approval that ended without a decision.
func (t Texts) ApprovalLapsed(q core.Question) string {
	return t.Localize("approval.lapsed", "question", string(q.ID), "tool", q.Approval.Tool)
}

// WholeApproval shows the complete arguments. Deciders also read how to approve, with the seal if a
// chat would cut the arguments.
func (t Texts) WholeApproval(q core.Question, decides bool) string {
	text := q.Text + "\n\n" + block(q.Approval.Arguments)
	switch {
	case !decides || q.State != core.QuestionOpen:
		return text
	case q.Approval.Cut:
		return text + "\n" + t.Localize("approval.seal", "question", string(q.ID), "seal", q.Approval.Seal)
	}
	return text + "\n" + t.Localize("approval.how", "question", string(q.ID))
}

// block shows a text unchanged. Arguments contain no backtick, which would end the block.
func block(text string) string { return "```json\n" + text + "\n```" }
