package activities

import (
	"strings"
	"time"

	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/texts"
	"errand/internal/when"
)

// Notifications render the notification of a task's outcome. They call no model, because the
// session that requested the task is over or could not report the outcome.
type Notifications struct {
	Roster   *agents.Roster
	Texts    *texts.Catalog
	Language string         // of people who have not chosen one
	Zone     *time.Location // of people who have not chosen one
}

// Text returns the notification of a task in a person's language and time zone. It begins with the
// opening of the agent who worked on the task, if the roster has one in that language.
func (n Notifications) Text(task *core.Task, language, zone string) string {
	phrases := n.Texts.For(language, n.Language)
	if task.Late != "" {
		return lateText(task, phrases)
	}
	if task.Origin.Direct {
		return answerText(task, phrases)
	}
	opening := n.opening(task, phrases, when.ZoneOr(zone, n.Zone))
	switch task.State {
	case core.Completed:
		return phrases.Localize("late.completed", "opening", opening, "result", phrases.TaskResult(task))
	case core.Canceled:
		return phrases.Localize("late.canceled", "opening", opening, "reason", phrases.TaskError(task))
	default:
		return phrases.Localize("late.failed", "opening", opening, "reason", phrases.TaskError(task))
	}
}

func answerText(task *core.Task, phrases texts.Texts) string {
	args := []string{"agent", together(task.Agents, phrases), "id", string(task.ID), "title", task.Title}
	switch task.State {
	case core.Completed:
		return phrases.Localize("team.completed", append(args, "result", phrases.TaskResult(task))...)
	case core.Canceled:
		return phrases.Localize("team.canceled", append(args, "reason", phrases.TaskError(task))...)
	default:
		return phrases.Localize("team.failed", append(args, "reason", phrases.TaskError(task))...)
	}
}

func lateText(task *core.Task, phrases texts.Texts) string {
	args := []string{"agent", together(task.Agents, phrases), "id", string(task.LateTask()), "title", task.Title}
	text := task.LateText()
	if text == "" {
		return phrases.Localize("peer.late_lost", append(args, "kind", string(task.Late))...)
	}
	args = append(args, "text", text)
	switch task.Late {
	case core.LateResult:
		return phrases.Localize("peer.late_result", args...)
	case core.LateStatus:
		return phrases.Localize("peer.late_status", args...)
	case core.LateInputRequired:
		return phrases.Localize("peer.late_asks", args...)
	default:
		return phrases.Localize("peer.late_error", args...)
	}
}

func (n Notifications) opening(task *core.Task, phrases texts.Texts, zone *time.Location) string {
	notified := task.Finished
	if notified.IsZero() {
		notified = task.Created
	}
	who, id, asked := together(task.Agents, phrases), string(task.ID), phrases.Moment(task.Created.In(zone), notified)
	if own := n.own(task, phrases.Language().Tag); own != "" {
		return strings.NewReplacer("{agent}", who, "{id}", id, "{title}", task.Title, "{asked}", asked).Replace(own)
	}
	return phrases.Localize("late.opening", "agent", who, "id", id, "title", task.Title, "asked", asked)
}

func (n Notifications) own(task *core.Task, language string) string {
	agent, ok := n.Roster.Agent(task.Agents[0])
	if !ok || len(task.Agents) > 1 {
		return ""
	}
	if text := agent.Notification[language]; text != "" || n.Texts.For(n.Language).Language().Tag != language {
		return text
	}
	return agent.Notification[""]
}

// together joins the names of agents: "Sasha, Finn and Vera".
func together(names []core.AgentName, phrases texts.Texts) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = name.Display()
	}
	last := len(list) - 1
	if last == 0 {
		return list[0]
	}
	return phrases.Localize("late.and", "agents", strings.Join(list[:last], ", "), "last", list[last])
}
