package agents

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// longestNotification is in characters. The outcome follows it.
const longestNotification = 500

var place = regexp.MustCompile(`\{[^{}]*\}`)

// Places returns the placeholders of an agent's notification: the agent's name, the task's id and
// title, and when it was requested. The id is required, because people refer to the task by it.
func Places() []string { return []string{"agent", "id", "title", "asked"} }

// Languages returns the languages in which a has a notification text, sorted.
func (a *Agent) Languages() []string { return slices.Sorted(maps.Keys(a.Notification)) }

func (a *Agent) checkNotification() Problems {
	var ps Problems
	for i, tag := range a.Languages() {
		text, where := a.Notification[tag], "notification"
		if tag != "" {
			where += "." + tag
		}
		fault := func(value string, known []string, format string, args ...any) {
			ps = append(ps, &Problem{Agent: a.Name, Field: "notification", Index: i, Value: value, Known: known, Text: where + ": " + fmt.Sprintf(format, args...)})
		}
		switch n := utf8.RuneCountInString(text); {
		case strings.TrimSpace(text) == "":
			fault("", nil, "is empty")
			continue
		case !utf8.ValidString(text):
			fault("", nil, "is not UTF-8 text")
			continue
		case n > longestNotification:
			fault("", nil, "is longer than %d characters", longestNotification)
		}
		if !strings.Contains(text, "{id}") {
			fault("", nil, "the placeholder {id} is missing: people need it to refer to the task")
		}
		for _, p := range place.FindAllString(text, -1) {
			if name := strings.Trim(p, "{}"); !slices.Contains(Places(), name) {
				fault(name, Places(), "unknown placeholder %s", p)
			}
		}
	}
	return ps
}
