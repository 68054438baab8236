package models

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
)

// A turn is what a request is about: what the person said last, and what the tools have
// answered since.
type turn struct {
	said    string
	results []string
	tools   []string
	noTools bool
}

// An answer is what the script has the model say.
type answer struct {
	n         int // of this server's answers
	reasoning string
	signature string
	text      []string // in pieces
	tools     []string // to be called
	arguments string   // of each of them, JSON
	slow      bool     // stands still after its first piece
}

var directive = regexp.MustCompile(`use ([a-zA-Z_][a-zA-Z0-9_.-]*)( twice)?(?: with (\{.*?\}))?`)

// errandsNote is the last message of errand's requests, which the person has not written.
var errandsNote = regexp.MustCompile(`^\[\S+ note`)

var behind = regexp.MustCompile(`(?s)\n\n\[\S+ note.*`)

// next is what the model says: it uses the tool that the person names, once in each step
// and with the arguments that they give, and then says what came of it. "slowly" has it stand still.
func (s *Server) next(t turn) answer {
	s.mu.Lock()
	s.counts.Generations++
	n := s.counts.Generations
	s.happening.Broadcast()
	s.mu.Unlock()
	a := answer{n: n, reasoning: fmt.Sprintf("thought %d of %s", n, s.Kind), signature: fmt.Sprintf("signature-%d-%s", n, s.Kind)}
	s.issue(a.reasoning)
	s.issue(a.signature)
	t.said = behind.ReplaceAllString(t.said, "")
	a.slow = strings.Contains(t.said, "slowly")
	want := 0
	m := directive.FindStringSubmatch(t.said)
	if m != nil {
		if want = 1; m[2] != "" {
			want = 2
		}
	}
	switch {
	case m != nil && len(t.results) < want && !t.noTools && has(t.tools, m[1]):
		a.tools, a.arguments = []string{m[1]}, cmp.Or(m[3], "{}")
	case len(t.results) > 0:
		a.text = []string{"Done ", fmt.Sprintf("in %d steps.", len(t.results)+1)}
	default:
		a.text = []string{"Heard: ", t.said}
	}
	return a
}

func has(list []string, name string) bool {
	for _, s := range list {
		if s == name {
			return true
		}
	}
	return false
}
