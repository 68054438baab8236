package agents

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// longestNotification is in characters: the outcome stands behind it.
const longestNotification = 500

var place = regexp.MustCompile(`\{[^{}]*\}`)

// Places are what can stand in an agent's words for a notification, and is filled in:
// the agent's name, the id and the title of the task, and when it was asked for. The
// id has to be there, for people name the task by it.
func Places() []string { return []string{"agent", "id", "title", "asked"} }

// Languages returns those in which a has words for a notification, in order.
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
			fault("", nil, "the place {id} is missing: people name the task by it")
		}
		for _, p := range place.FindAllString(text, -1) {
			if name := strings.Trim(p, "{}"); !slices.Contains(Places(), name) {
				fault(name, Places(), "unknown place %s", p)
			}
		}
	}
	return ps
}
