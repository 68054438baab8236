package texts

import (
	"strings"

	"errand"
)

// TaskResult is the result of a task as a person reads it: what the store remarks there
// on the reports of several agents, and how it tells a decision, in their language.
func (t Texts) TaskResult(task *errand.Task) string {
	if task.Decision != "" && task.Result != "" {
		return t.decision(task)
	}
	return t.reports(task, task.Result)
}

// TaskError says why a task did not complete: errand's own reasons in the language of
// whoever reads it, the words of others as they are.
func (t Texts) TaskError(task *errand.Task) string {
	if task.Decision != "" && task.Error != "" {
		return t.decision(task)
	}
	if task.Reason == "" {
		return t.reports(task, task.Error)
	}
	return t.Localize("reason." + string(task.Reason))
}

func (t Texts) reports(task *errand.Task, text string) string {
	if len(task.Agents) < 2 {
		return text
	}
	for _, agent := range task.Agents {
		head := "## " + agent.Display() + "\n"
		at := strings.Index("\n\n"+text, "\n\n"+head)
		if at < 0 {
			continue
		}
		before, report := text[:at+len(head)], text[at+len(head):]
		if rest, none := strings.CutPrefix(report, errand.ReasonNoReport.Text()); none {
			text = before + t.Localize("outcome.no_report") + rest
			continue
		}
		for _, state := range []errand.TaskState{errand.Failed, errand.Rejected, errand.Canceled} {
			if rest, marked := strings.CutPrefix(report, "("+string(state)+") "); marked {
				text = before + t.Localize("outcome."+string(state), "text", rest)
			}
		}
	}
	return text
}
