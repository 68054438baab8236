package agents

import (
	"embed"

	"errand"
)

// What the default agents are told is one Markdown file each, and one for the
// voice, as a roster of one's own would have them.
//
//go:embed default/*.md
var defaultTexts embed.FS

// Default returns the agents of the roster that is used where none is
// configured, and the name of its primary agent. The caller may change the
// list before it makes a roster of it.
func Default() (primary errand.AgentName, list []Agent) {
	list = []Agent{
		{
			Name:        "nikki",
			Description: "talks with people, does what is quick, and sends the others on errands",
			Delegates:   []errand.AgentName{"sasha", "finn", "priest"},
		},
		{
			Name:        "sasha",
			Description: "research: finds out, compares, summarises, and says how sure each finding is",
			Delegates:   []errand.AgentName{"finn"},
			Notification: map[string]string{
				"en": "{agent} here: I looked into “{title}” ({id}, {asked}).",
				"es": "Aquí {agent}: he investigado «{title}» ({id}, {asked}).",
			},
		},
		{
			Name:        "finn",
			Description: "engineering: code, configuration, debugging, calculations, technical design",
			Notification: map[string]string{
				"en": "{agent} here, from the workbench: “{title}” ({id}, {asked}).",
				"es": "Aquí {agent}, desde el taller: «{title}» ({id}, {asked}).",
			},
		},
		{
			Name:        "priest",
			Description: "ethics: hard decisions, conflicts, and who may be hurt by a plan",
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

// mustRead panics where the program was built without one of its own files.
func mustRead(file string) string {
	text, err := defaultTexts.ReadFile("default/" + file)
	if err != nil {
		panic(err)
	}
	return string(text)
}
