package chat

import (
	"context"
	"strings"
	"time"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

// suggestions requests each kind from the worker when it is first needed.
type suggestions struct {
	lists   map[kind]suggested
	fetches map[kind]bool
	changes map[kind]int // how often a kind was invalidated: older requests are outdated
	fetch   func(k kind, change int)
}

func newSuggestions() *suggestions {
	return &suggestions{lists: map[kind]suggested{}, fetches: map[kind]bool{}, changes: map[kind]int{}}
}

type kind int

const (
	ofCommands kind = iota
	ofAgents
	ofTasks
	ofOpenTasks
	ofQuestions
	ofModes
	ofAll
	kinds
)

type suggested struct {
	kind    kind
	change  int
	choices []choice
	at      time.Time
	failed  bool // the request failed
}

var argument = map[string]kind{
	"/agent": ofAgents, "/new": ofAgents, "/history": ofAgents,
	"/task": ofTasks, "/cancel": ofOpenTasks,
	"/answer": ofQuestions, "/decline": ofQuestions, "/questions": ofQuestions,
	"/busy": ofModes, "/stop": ofAll,
}

var said = map[kind][]choice{
	ofModes: {{Word: "collect"}, {Word: "steer"}, {Word: "queue"}, {Word: "interrupt"}},
	ofAll:   {{Word: "all"}},
}

const suggestAge = 30 * time.Second

func (s *suggestions) complete(text string) (from int, choices []choice) {
	from = strings.LastIndexAny(text, " \n\t") + 1
	word, before := strings.ToLower(text[from:]), strings.Fields(text[:from])
	var of kind
	switch k, ok := argument[strings.ToLower(first(before))]; {
	case len(before) == 0 && strings.HasPrefix(word, "/"):
		of = ofCommands
	case strings.HasPrefix(word, "@"):
		of = ofAgents
	case ok && len(before) == 1 && strings.HasPrefix(text, "/"):
		of = k
	default:
		return from, nil
	}
	for _, c := range s.of(of) {
		if of == ofAgents && strings.HasPrefix(word, "@") {
			c.Word = "@" + c.Word
		}
		if low := strings.ToLower(c.Word); strings.HasPrefix(low, word) || strings.HasPrefix(withoutMark(low), word) {
			choices = append(choices, c)
		}
	}
	return from, choices
}

func first(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

func withoutMark(id string) string {
	if len(id) > 2 && id[1] == '-' {
		return id[2:]
	}
	return id
}

func (s *suggestions) of(k kind) []choice {
	if list, ok := said[k]; ok {
		return list
	}
	list, ok := s.lists[k]
	if (!ok || time.Since(list.at) > suggestAge) && !s.fetches[k] {
		s.fetches[k] = true
		s.fetch(k, s.changes[k])
	}
	return list.choices
}

// come stores a list and reports whether to complete again. It does not store a failure,
// so the next completion requests the list again.
func (s *suggestions) come(list suggested) bool {
	if list.change != s.changes[list.kind] {
		return true
	}
	s.fetches[list.kind] = false
	if !list.failed {
		s.lists[list.kind] = list
	}
	return !list.failed
}

func (s *suggestions) note(t core.EventType) {
	switch t {
	case core.EventTask, core.EventLate:
		s.forget(ofTasks)
		s.forget(ofOpenTasks)
	case core.EventQuestion, core.EventNotice:
		s.forget(ofQuestions)
	}
}

func (s *suggestions) forget(k kind) {
	delete(s.lists, k)
	delete(s.fetches, k)
	s.changes[k]++
}

func (s *suggestions) forgetAll() {
	for k := range kinds {
		s.forget(k)
	}
}

const mostSuggested = 50

// suggest ignores errors, because sending the message shows them.
func (c *Conversation) suggest(ctx context.Context, k kind, change int) suggested {
	list := suggested{kind: k, change: change, at: time.Now()}
	add := func(word, about string, space bool) {
		list.choices = append(list.choices, choice{Word: console.Line(word), About: about, Space: space})
	}
	switch k {
	case ofCommands:
		got, err := api.Call(ctx, c.API(), api.ListCommands, api.None{})
		list.failed = err != nil
		for _, c := range got.Value {
			list.choices = append(list.choices, choice{Word: "/" + console.Line(strings.TrimPrefix(c.Name, "/")), Usage: c.Usage, About: c.About, Space: c.Takes})
		}
	case ofAgents:
		got, err := api.Call(ctx, c.API(), api.ListAgents, api.ListAgentsInput{Chat: c.Chat})
		list.failed = err != nil
		for _, a := range got.Value {
			add(string(a.Name), a.Description, true)
		}
	case ofTasks, ofOpenTasks:
		got, err := api.Call(ctx, c.API(), api.ListTasks, api.ListTasksInput{Limit: mostSuggested})
		list.failed = err != nil
		for _, t := range got.Value.Items {
			if k == ofTasks || !t.State.Terminal() {
				add(string(t.ID), stateName(t.State)+", "+t.Title, true)
			}
		}
	case ofQuestions:
		got, err := api.Call(ctx, c.API(), api.ListQuestions, api.ListQuestionsInput{})
		list.failed = err != nil
		for _, q := range got.Value.Items {
			add(string(q.ID), q.Text, true)
		}
	}
	return list
}

func stateName(s core.TaskState) string {
	switch s {
	case core.Submitted:
		return "submitted"
	case core.Working:
		return "working"
	case core.InputRequired:
		return "waits for an answer"
	case core.Completed:
		return "completed"
	case core.Failed:
		return "failed"
	case core.Canceled:
		return "canceled"
	case core.Rejected:
		return "rejected"
	}
	return console.Line(string(s))
}
