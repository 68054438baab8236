package texts

import (
	"strings"

	"errand/internal/core"
)

// TaskResult is the result of a task. It translates the store's remarks and decisions.
func (t Texts) TaskResult(task *core.Task) string {
	if task.Decision != "" && task.Result != "" {
		return t.decision(task)
	}
	return t.reports(task, task.Result)
}

// TaskError is the reason why a task did not complete. It translates errand's own reasons.
func (t Texts) TaskError(task *core.Task) string {
	if task.Decision != "" && task.Error != "" {
		return t.decision(task)
	}
	if task.Reason == "" {
		return t.reports(task, task.Error)
	}
	return t.Localize("reason." + string(task.Reason))
}

func (t Texts) reports(task *core.Task, text string) string {
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
		if rest, none := strings.CutPrefix(report, core.ReasonNoReport.Text()); none {
			text = before + t.Localize("outcome.no_report") + rest
			continue
		}
		for _, state := range []core.TaskState{core.Failed, core.Rejected, core.Canceled} {
			if rest, marked := strings.CutPrefix(report, "("+string(state)+") "); marked {
				text = before + t.Localize("outcome."+string(state), "text", rest)
			}
		}
	}
	return text
}
