package scripted

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"errand/internal/core"
)

// The format of Task.Report (task.go of package core).
var (
	reportHead = regexp.MustCompile(`(?s)^\[task (t-[0-9a-z]+), ([^:\]]*): (\w+)\]\n?(.*)$`)
	reportBody = regexp.MustCompile(`(?s)<report>\n?(.*?)\n?</report>`)
)

func tell(t *Turn, m Match) (Answer, bool) {
	task, state, text := m.Groups[1], core.TaskState(m.Groups[3]), strings.TrimSpace(m.Groups[4])
	who := displayed(strings.Split(m.Groups[2], ","), " and ")
	if b := reportBody.FindStringSubmatch(text); b != nil {
		text = strings.TrimSpace(b[1])
	}
	about, on := task, ""
	if asked := t.TaskText(task); asked != "" {
		about = fmt.Sprintf("%q (%s)", Cut(asked, 60), task)
		on = fmt.Sprintf(" on %q", Cut(asked, 60))
	}
	var out string
	switch {
	case state == core.Canceled:
		out = fmt.Sprintf("%s was stopped before finishing %s: %s", who, about, text)
	case state != core.Completed && state.Terminal():
		out = fmt.Sprintf("%s could not finish %s: %s", who, about, text)
	case state != core.Completed:
		out = fmt.Sprintf("%s is still working on %s; I will tell you when it is done.", who, about)
	case m.Tool == "call_agent":
		out = fmt.Sprintf("%s reports:\n%s", who, text)
	case m.Tool == "get_task" && isAskedFor(t, m.At, task):
		out = fmt.Sprintf("%s (%s) is completed. The result:\n%s", task, who, text)
	case strings.Contains(who, " and "):
		out = fmt.Sprintf("%s are back%s: %s", who, on, text)
	default:
		out = fmt.Sprintf("%s is back%s: %s", who, on, text)
	}
	return Answer{Text: out}, true
}

func isAskedFor(t *Turn, i int, task string) bool {
	return slices.ContainsFunc(t.Since[:i], func(m core.Message) bool {
		return m.Speaker == core.FromPerson && slices.ContainsFunc(taskID.FindAllString(m.Text, -1), func(prefix string) bool {
			return strings.HasPrefix(task, prefix)
		})
	})
}
