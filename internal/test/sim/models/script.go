package models

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/llm/scripted"
)

// A thought is what a provider wants back of an answer.
type thought struct {
	n         int // of this server's answers
	reasoning string
	signature string
}

func (s *Server) think() thought {
	var t thought
	s.count(func(c *Counts) {
		c.Generations++
		t = thought{c.Generations, fmt.Sprintf("thought %d of %s", c.Generations, s.Kind), fmt.Sprintf("signature-%d-%s", c.Generations, s.Kind)}
		s.issued[t.reasoning], s.issued[t.signature] = true, true
	})
	return t
}

// IsNote reports whether a message of a person is errand's status note.
func IsNote(text string) bool { return note.MatchString(text) }

// note is errand's status note: a message of its own, or behind a person's last one.
var note = regexp.MustCompile(`(?s)(^|\n\n)\[(\S+ ){0,3}note\b.*`)

// add adds a message to a request. Instructions and errand's status note have their own places.
func add(r *llm.Request, m core.Message) {
	switch m.Speaker {
	case "system", "developer":
		r.System += m.Text + "\n"
		return
	case core.FromPerson:
		if at := note.FindStringIndex(m.Text); at != nil {
			m.Text, r.Note = m.Text[:at[0]], strings.TrimSpace(m.Text[at[0]:])
			if at[0] == 0 {
				return
			}
		}
	}
	r.Messages = append(r.Messages, m)
}

func (s *Server) answer(ctx context.Context, t thought, r llm.Request, deltas func(llm.Delta)) (llm.Response, error) {
	if s.Model != nil {
		return s.Model.Complete(ctx, r, deltas)
	}
	turn := scripted.NewTurn(r)
	said, a := s.next(t, turn)
	if strings.Contains(said, "slowly") {
		if len(a.Deltas) > 0 {
			deltas(llm.Delta{Text: a.Deltas[0]})
			a.Deltas = a.Deltas[1:]
		}
		s.count(func(c *Counts) { c.Pieces++ })
		select {
		case <-s.holding():
		case <-ctx.Done():
			s.count(func(c *Counts) { c.HungUp++ })
		}
	}
	return a.Give(ctx, deltas)
}

var directive = regexp.MustCompile(`use ([a-zA-Z_][a-zA-Z0-9_.-]*)( twice)?(?: with (\{.*?\}))?`)

// next is what the model says: it uses the tool that the person names, once in each step
// and with the arguments that they give, and then says what came of it.
func (s *Server) next(th thought, t *scripted.Turn) (said string, a scripted.Answer) {
	results := 0
	for _, m := range t.Since {
		switch m.Speaker {
		case core.FromPerson:
			said, results = m.Text, 0
		case core.FromTool:
			results++
		}
	}
	m := directive.FindStringSubmatch(said)
	switch {
	case m != nil && results <= len(m[2])/len(" twice") && !t.Request.NoTools && t.Offers(m[1]):
		return said, scripted.Answer{Calls: []core.ToolCall{{ID: fmt.Sprintf("call_%d", th.n), Name: m[1], Arguments: cmp.Or(m[3], "{}")}}, Deltas: []string{}}
	case results > 0:
		a.Deltas = []string{"Done ", fmt.Sprintf("in %d steps.", results+1)}
	default:
		a.Deltas = []string{"Heard: ", said}
	}
	a.Text = strings.Join(a.Deltas, "")
	return said, a
}
