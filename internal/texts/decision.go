package texts

import (
	"cmp"
	"strconv"
	"strings"

	"errand/internal/core"
)

// decision translates a decision, except for the agents' own reasons.
func (t Texts) decision(task *core.Task) string {
	standings, verdicts := map[core.Standing]int{}, map[core.Verdict]int{}
	for _, v := range task.Verdicts {
		standings[v.Standing]++
		if v.Standing == core.StandingCounted {
			verdicts[v.Verdict]++
		}
	}
	var b strings.Builder
	b.WriteString(t.Localize("decision.head", "answer", t.Localize("decision.answer."+string(task.Decision)), "policy", string(task.Policy)) + "\n")
	b.WriteString(t.Localize("decision.tally", "asked", strconv.Itoa(len(task.Verdicts)), "counted", strconv.Itoa(standings[core.StandingCounted]),
		"yes", strconv.Itoa(verdicts[core.Yes]), "no", strconv.Itoa(verdicts[core.No]), "abstain", strconv.Itoa(verdicts[core.Abstain]),
		"invalid", strconv.Itoa(standings[core.StandingInvalid]), "late", strconv.Itoa(standings[core.StandingLate]),
		"absent", strconv.Itoa(standings[core.StandingAbsent])))
	for _, v := range task.Verdicts {
		b.WriteString("\n\n## " + v.Agent.Display() + ": " + t.standing(v) + "\n" + cmp.Or(t.reasoning(v), t.Localize("outcome.no_report")))
	}
	if next := task.Next(); next != nil {
		if task.FollowedBy != "" {
			b.WriteString("\n\n" + t.Localize("decision.followed", "task", string(task.FollowedBy), "agents", strings.Join(core.Strings(next.Agents), ","), "text", next.Task))
		} else if i := strings.LastIndex(task.Result+task.Error, core.NotFollowed); i >= 0 {
			b.WriteString("\n\n" + (task.Result + task.Error)[i:]) // with its reason, which is stored in English only
		}
	}
	return b.String()
}

func (t Texts) standing(v core.GivenVerdict) string {
	verdict := t.Localize("decision.verdict." + string(cmp.Or(v.Verdict, core.Abstain)))
	switch v.Standing {
	case core.StandingCounted:
		return t.Localize("decision.counted", "verdict", verdict, "confidence", strconv.FormatFloat(v.Confidence, 'g', 2, 64))
	case core.StandingLate:
		return t.Localize("decision.late", "verdict", verdict)
	case core.StandingInvalid:
		return t.Localize("decision.invalid")
	}
	return t.Localize("decision.absent")
}

func (t Texts) reasoning(v core.GivenVerdict) string {
	if v.Reasoning == core.ReasonNoReport.Text() {
		return ""
	}
	return v.Reasoning
}
