package texts

import (
	"cmp"
	"strconv"
	"strings"

	"errand"
)

// decision is a decision as a person reads it: what was decided, who was counted, and the
// reasons of each, which are the agents' own words. In the store it is as programs and
// agents read it.
func (t Texts) decision(task *errand.Task) string {
	standings, verdicts := map[errand.Standing]int{}, map[errand.Verdict]int{}
	for _, v := range task.Verdicts {
		standings[v.Standing]++
		if v.Standing == errand.StandingCounted {
			verdicts[v.Verdict]++
		}
	}
	var b strings.Builder
	b.WriteString(t.Localize("decision.head", "answer", t.Localize("decision.answer."+string(task.Decision)), "policy", string(task.Policy)) + "\n")
	b.WriteString(t.Localize("decision.tally", "asked", strconv.Itoa(len(task.Verdicts)), "counted", strconv.Itoa(standings[errand.StandingCounted]),
		"yes", strconv.Itoa(verdicts[errand.Yes]), "no", strconv.Itoa(verdicts[errand.No]), "abstain", strconv.Itoa(verdicts[errand.Abstain]),
		"invalid", strconv.Itoa(standings[errand.StandingInvalid]), "late", strconv.Itoa(standings[errand.StandingLate]),
		"absent", strconv.Itoa(standings[errand.StandingAbsent])))
	for _, v := range task.Verdicts {
		b.WriteString("\n\n## " + v.Agent.Display() + ": " + t.standing(v) + "\n" + cmp.Or(t.reasoning(v), t.Localize("outcome.no_report")))
	}
	if next := task.Next(); next != nil {
		if task.FollowedBy != "" {
			b.WriteString("\n\n" + t.Localize("decision.followed", "task", string(task.FollowedBy), "agents", strings.Join(errand.Strings(next.Agents), ","), "text", next.Task))
		} else if i := strings.LastIndex(task.Result+task.Error, errand.NotFollowed); i >= 0 {
			b.WriteString("\n\n" + (task.Result + task.Error)[i:]) // with why, which is kept in these words only
		}
	}
	return b.String()
}

func (t Texts) standing(v errand.GivenVerdict) string {
	verdict := t.Localize("decision.verdict." + string(cmp.Or(v.Verdict, errand.Abstain)))
	switch v.Standing {
	case errand.StandingCounted:
		return t.Localize("decision.counted", "verdict", verdict, "confidence", strconv.FormatFloat(v.Confidence, 'g', 2, 64))
	case errand.StandingLate:
		return t.Localize("decision.late", "verdict", verdict)
	case errand.StandingInvalid:
		return t.Localize("decision.invalid")
	}
	return t.Localize("decision.absent")
}

// reasoning is why an agent answered so; empty where it has said nothing.
func (t Texts) reasoning(v errand.GivenVerdict) string {
	if v.Reasoning == errand.ReasonNoReport.Text() {
		return ""
	}
	return v.Reasoning
}
