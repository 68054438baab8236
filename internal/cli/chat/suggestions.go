package chat

import (
	"context"
	"strings"
	"time"

	"errand"
	"errand/client"
	"errand/internal/cli/words"
	"errand/internal/printable"
)

// suggestions are what can be completed in a chat. The worker is asked for each kind when
// it is first needed; until it has answered there are none.
type suggestions struct {
	lists   map[kind]suggested
	fetches map[kind]bool
	changes map[kind]int // how often a kind was forgotten: what was asked for before that is out of date
	fetch   func(k kind, change int)
}

func newSuggestions() *suggestions {
	return &suggestions{lists: map[kind]suggested{}, fetches: map[kind]bool{}, changes: map[kind]int{}}
}

// A kind is a kind of words that can be completed.
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
	failed  bool // it has not answered
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

// withoutMark is an id without the letter that says of what it is one.
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

// come takes what the worker has answered, and reports whether it is worth looking again
// for what is to be completed. A failure is not kept: the next that is completed asks again.
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

// note forgets what an event has changed.
func (s *suggestions) note(t errand.EventType) {
	switch t {
	case errand.EventTask, errand.EventLate:
		s.forget(ofTasks)
		s.forget(ofOpenTasks)
	case errand.EventQuestion, errand.EventNotice:
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

// suggest asks the worker. Where that fails there is nothing to complete: what is sent
// will say why.
func (c *Conversation) suggest(ctx context.Context, k kind, change int, l words.Language) suggested {
	list := suggested{kind: k, change: change, at: time.Now()}
	add := func(word, about string, space bool) {
		list.choices = append(list.choices, choice{Word: printable.Line(word), About: about, Space: space})
	}
	switch k {
	case ofCommands:
		got, err := c.API().ListCommands(ctx)
		list.failed = err != nil
		for _, c := range got.Value {
			list.choices = append(list.choices, choice{Word: "/" + printable.Line(strings.TrimPrefix(c.Name, "/")), Usage: c.Usage, About: c.About, Space: c.Takes})
		}
	case ofAgents:
		got, err := c.API().ListAgents(ctx, &client.ListAgentsParams{Chat: c.Chat})
		list.failed = err != nil
		for _, a := range got.Value {
			add(string(a.Name), a.Description, true)
		}
	case ofTasks, ofOpenTasks:
		got, err := c.API().ListTasks(ctx, &client.ListTasksParams{Limit: mostSuggested})
		list.failed = err != nil
		for _, t := range got.Value {
			if k == ofTasks || !t.State.Terminal() {
				add(string(t.ID), stateName(l, t.State)+", "+t.Title, true)
			}
		}
	case ofQuestions:
		got, err := c.API().ListQuestions(ctx, nil)
		list.failed = err != nil
		for _, q := range got.Value {
			add(string(q.ID), q.Text, true)
		}
	}
	return list
}

func stateName(l words.Language, s errand.TaskState) string {
	switch s {
	case errand.Submitted:
		return l.Say("submitted")
	case errand.Working:
		return l.Say("working")
	case errand.InputRequired:
		return l.Say("waits for an answer")
	case errand.Completed:
		return l.Say("completed")
	case errand.Failed:
		return l.Say("failed")
	case errand.Canceled:
		return l.Say("canceled")
	case errand.Rejected:
		return l.Say("rejected")
	}
	return printable.Line(string(s))
}
