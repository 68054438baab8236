package llm

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"errand"
)

// What Task.Report writes (task.go of the root package).
var (
	reportHead = regexp.MustCompile(`(?s)^\s*\[task (t-[0-9a-z]+), ([^:\]]*): (\w+)\]\n?(.*)$`)
	reportBody = regexp.MustCompile(`(?s)<report>\n?(.*?)\n?</report>`)
)

type parsedReport struct {
	id, who string
	state   errand.TaskState
	text    string
}

func readReport(s string) (parsedReport, bool) {
	m := reportHead.FindStringSubmatch(s)
	if m == nil {
		return parsedReport{}, false
	}
	r := parsedReport{id: m[1], who: displayed(strings.Split(m[2], ","), " and "), state: errand.TaskState(m[3]), text: strings.TrimSpace(m[4])}
	if b := reportBody.FindStringSubmatch(m[4]); b != nil {
		r.text = strings.TrimSpace(b[1])
	}
	return r, true
}

func (t *demoTurn) relay(i int) string {
	result := strings.TrimSpace(t.tail[i].Content)
	if result == errand.StoppedByPerson {
		return "" // who stopped it knows
	}
	call := t.callOf(t.tail[:i], t.tail[i].ToolCallID)
	arguments := map[string]string{}
	json.Unmarshal([]byte(call.Arguments), &arguments) // what is no JSON has no arguments
	report, isReport := readReport(result)
	agent := errand.AgentName(arguments["agent"]).Display()
	switch call.Name {
	case "get_task":
		if !isReport {
			return "About " + arguments["task_id"] + ": " + result
		}
		if t.asked(i, report.id) {
			return t.status(report)
		}
		return t.late(report)
	case "call_agent":
		if !isReport {
			return fmt.Sprintf("%s: %s", agent, result)
		}
		return t.returned(report, fmt.Sprintf("%s reports:\n%s", report.who, report.text))
	case "call_agent_async":
		if id := taskID.FindString(result); id != "" {
			return fmt.Sprintf("I sent %s off: %s; I will tell you when it is done.", agent, id)
		}
		return fmt.Sprintf("I could not send %s off: %s", agent, result)
	case "list_pending_async_agents":
		return "This is what I see running:\n" + result
	case "kill_async_agent":
		return "I asked for " + arguments["task_id"] + " to be stopped: " + result
	case "transfer_to_agent":
		return t.tookOver(result)
	case "remind_me":
		if problem, ok := strings.CutPrefix(result, "error: "); ok {
			return "I cannot remind you then: " + problem
		}
		return result
	case "list_working_memory", "recall", "write_file":
		return "" // its own notes are not news
	case "web_search", "web_fetch":
		return lookupReply(result)
	}
	if isReport {
		return t.late(report)
	}
	return fmt.Sprintf("%s answered: %s", call.Name, result)
}

// tookOver greets whoever was handed over to this agent.
func (t *demoTurn) tookOver(result string) string {
	if strings.HasPrefix(result, "error:") {
		return "I cannot hand you over: " + strings.TrimPrefix(result, "error: ")
	}
	name := "I am"
	if m := ownName.FindStringSubmatch(t.system); m != nil {
		name = m[1] + " here: I am"
	}
	return name + " the one you are talking with now."
}

func (t *demoTurn) callOf(messages []openai.ChatCompletionMessage, id string) openai.FunctionCall {
	for _, m := range slices.Backward(messages) {
		for _, c := range m.ToolCalls {
			if c.ID == id {
				return c.Function
			}
		}
	}
	return openai.FunctionCall{Name: "a tool"}
}

// asked reports whether a message before tail[i] asks for task id: otherwise
// its result came by itself.
func (t *demoTurn) asked(i int, id string) bool {
	for _, m := range t.tail[:i] {
		if m.Role == openai.ChatMessageRoleUser && slices.ContainsFunc(taskID.FindAllString(m.Content, -1), func(prefix string) bool {
			return strings.HasPrefix(id, prefix)
		}) {
			return true
		}
	}
	return false
}

func (t *demoTurn) status(r parsedReport) string {
	return t.returned(r, fmt.Sprintf("%s (%s) is completed. The result:\n%s", r.id, r.who, r.text))
}

func (t *demoTurn) late(r parsedReport) string {
	about := ""
	if task := t.taskText(r.id); task != "" {
		about = fmt.Sprintf(" on %q", cut(task, 60))
	}
	if r.state != errand.Completed {
		about += " (" + r.id + ")"
	}
	verb := "is"
	if strings.Contains(r.who, " and ") {
		verb = "are"
	}
	return t.returned(r, fmt.Sprintf("%s %s back%s: %s", r.who, verb, about, r.text))
}

func (t *demoTurn) returned(r parsedReport, done string) string {
	about := r.id
	if task := t.taskText(r.id); task != "" {
		about = fmt.Sprintf("%q (%s)", cut(task, 60), r.id)
	}
	switch {
	case r.state == errand.Completed:
		return done
	case r.state == errand.Canceled:
		return fmt.Sprintf("%s was stopped before finishing %s: %s", r.who, about, r.text)
	case r.state.Terminal():
		return fmt.Sprintf("%s could not finish %s: %s", r.who, about, r.text)
	}
	return fmt.Sprintf("%s is still working on %s; I will tell you when it is done.", r.who, about)
}

// taskText finds what a task was about: the arguments of the delegating call
// whose result names its id.
func (t *demoTurn) taskText(id string) string {
	all := slices.Concat(t.before, t.tail)
	for i, m := range all {
		if m.Role != openai.ChatMessageRoleTool || taskID.FindString(m.Content) != id {
			continue
		}
		var arguments struct {
			Task string `json:"task"`
		}
		if json.Unmarshal([]byte(t.callOf(all[:i], m.ToolCallID).Arguments), &arguments) == nil && arguments.Task != "" {
			return arguments.Task
		}
	}
	return ""
}
