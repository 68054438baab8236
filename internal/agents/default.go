package agents

import (
	"embed"
	"slices"

	"errand/internal/core"
)

// Each default agent has a Markdown file with its instructions and one with its voice, as in a
// custom roster.
//
//go:embed default/*.md
var defaultTexts embed.FS

// Tools of all default agents, and of some. The table of rights limits them by role.
var (
	baseTools = []string{
		"answer_task", "ask_team", "ask_user", "call_agent", "call_agent_async", "cancel_reminder", "consult", "get_task", "kill_async_agent", "list_pending_async_agents", "list_reminders",
		"list_working_memory", "read_artifact", "recall", "remember", "remind_me", "steer_task", "transfer_to_agent",
	}
	fileTools   = []string{"edit_file", "find_in_files", "list_files", "read_file", "send_file", "undo_file", "write_file"}
	serverTools = []string{"*.*"}
	skillTools  = []string{"read_skill"}
	webTools    = []string{"web_fetch", "web_search"}
)

// Default returns the agents of the default roster, and the name of its primary agent. The
// caller may change the list.
func Default() (primary core.AgentName, list []Agent) {
	list = []Agent{
		{
			Name:        "nikki",
			Description: "talks with people, does what is quick, and sends the others on errands",
			Delegates:   []core.AgentName{"sasha", "finn", "priest"},
			Tools:       slices.Concat(baseTools, skillTools, fileTools, serverTools),
		},
		{
			Name:        "sasha",
			Description: "research: finds out, compares, summarises, and says how sure each finding is",
			Delegates:   []core.AgentName{"finn"},
			Tools:       slices.Concat(baseTools, []string{"plan"}, skillTools, webTools, fileTools, serverTools),
			Notification: map[string]string{
				"en": "{agent} here: I looked into “{title}” ({id}, {asked}).",
				"es": "Aquí {agent}: he investigado «{title}» ({id}, {asked}).",
			},
		},
		{
			Name:        "finn",
			Description: "engineering: code, configuration, debugging, calculations, technical design",
			Tools:       slices.Concat(baseTools, []string{"copy_skill", "plan", "run_code"}, skillTools, fileTools, serverTools),
			Notification: map[string]string{
				"en": "{agent} here, from the workbench: “{title}” ({id}, {asked}).",
				"es": "Aquí {agent}, desde el taller: «{title}» ({id}, {asked}).",
			},
		},
		{
			Name:        "priest",
			Description: "ethics: hard decisions, conflicts, and who may be hurt by a plan",
			Tools:       baseTools,
			Notification: map[string]string{
				"en": "{agent} here: I have weighed “{title}” ({id}, {asked}).",
				"es": "Aquí {agent}: he sopesado «{title}» ({id}, {asked}).",
			},
		},
	}
	for i := range list {
		a := &list[i]
		a.Instructions = mustRead(string(a.Name) + ".md")
		a.Voice = mustRead(string(a.Name) + ".voice.md")
	}
	return "nikki", list
}

func mustRead(file string) string {
	text, err := defaultTexts.ReadFile("default/" + file)
	if err != nil {
		panic(err)
	}
	return string(text)
}
