package chat

import (
	"context"
	"strings"
	"time"

	"errand"
	"errand/client"
	"errand/internal/cli/lineedit"
	"errand/internal/cli/words"
	"errand/internal/printable"
)

// suggestions are what can be completed in a chat. The worker is asked for each kind when
// it is first needed; until it has answered there are none.
type suggestions struct {
	lists   map[kind]suggested
	fetches map[kind]bool
	fetch   func(kind)
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
)

// suggested is what the worker has answered.
type suggested struct {
	kind    kind
	choices []lineedit.Choice
	at      time.Time
}

// argument is what the first word behind a command is.
var argument = map[string]kind{
	"/agent": ofAgents, "/new": ofAgents, "/history": ofAgents,
	"/task": ofTasks, "/cancel": ofOpenTasks,
	"/answer": ofQuestions, "/decline": ofQuestions, "/questions": ofQuestions,
	"/busy": ofModes, "/stop": ofAll,
}

// said are the words that commands take which are the same everywhere.
var said = map[kind][]lineedit.Choice{
	ofModes: {{Word: "collect"}, {Word: "steer"}, {Word: "queue"}, {Word: "interrupt"}},
	ofAll:   {{Word: "all"}},
}

// suggestAge is how long an answer of the worker is good for.
const suggestAge = 30 * time.Second

// complete is [lineedit.Editor.Complete].
func (s *suggestions) complete(text string) (from int, choices []lineedit.Choice) {
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

func (s *suggestions) of(k kind) []lineedit.Choice {
	if list, ok := said[k]; ok {
		return list
	}
	list, ok := s.lists[k]
	if (!ok || time.Since(list.at) > suggestAge) && !s.fetches[k] {
		s.fetches[k] = true
		s.fetch(k)
	}
	return list.choices
}

// come takes what the worker has answered.
func (s *suggestions) come(list suggested) {
	s.lists[list.kind], s.fetches[list.kind] = list, false
}

// note forgets what an event has changed.
func (s *suggestions) note(t errand.EventType) {
	switch t {
	case errand.EventTask, errand.EventLate:
		delete(s.lists, ofTasks)
		delete(s.lists, ofOpenTasks)
	case errand.EventQuestion, errand.EventNotice:
		delete(s.lists, ofQuestions)
	}
}

// mostSuggested is how many tasks are offered.
const mostSuggested = 50

// suggest asks the worker. Where that fails there is nothing to complete: what is sent
// will say why.
func (c *Conversation) suggest(ctx context.Context, k kind, l words.Language) suggested {
	list := suggested{kind: k, at: time.Now()}
	add := func(word, about string, space bool) {
		list.choices = append(list.choices, lineedit.Choice{Word: printable.Line(word), About: about, Space: space})
	}
	switch k {
	case ofCommands:
		got, _ := c.API().ListCommands(ctx)
		for _, c := range got.Value {
			list.choices = append(list.choices, lineedit.Choice{Word: "/" + printable.Line(strings.TrimPrefix(c.Name, "/")), Usage: c.Usage, About: c.About, Space: c.Takes})
		}
	case ofAgents:
		got, _ := c.API().ListAgents(ctx, &client.ListAgentsParams{Chat: c.Chat})
		for _, a := range got.Value {
			add(string(a.Name), a.Description, true)
		}
	case ofTasks, ofOpenTasks:
		got, _ := c.API().ListTasks(ctx, &client.ListTasksParams{Limit: mostSuggested})
		for _, t := range got.Value {
			if k == ofTasks || !t.State.Terminal() {
				add(string(t.ID), stateName(l, t.State)+", "+t.Title, true)
			}
		}
	case ofQuestions:
		got, _ := c.API().ListQuestions(ctx, nil)
		for _, q := range got.Value {
			add(string(q.ID), q.Text, true)
		}
	}
	return list
}

// stateName is how people read the state of a task.
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
