package scripted

import (
	"regexp"
	"slices"
	"strings"

	"errand/internal/core"
)

var (
	background = regexp.MustCompile(`(?i)[\s,;]*\b(in the background|meanwhile|in the meantime|async(hronously)?|later\W*$|(and )?(do not|don't) wait( for (it|her|him|them))?)[\s,;]*`)
	asking     = regexp.MustCompile(`(?i)\b(?:ask|tell|have|get|let|send|order|delegate to)\s+(?:the\s+)?`)
	addressed  = regexp.MustCompile(`(?is)^\s*@?([\w-]+)\s*[,:]\s*(?:please\s+)?(.+)$`)
	between    = regexp.MustCompile(`(?i)^(\s*,\s*(and\s+)?|\s+and\s+|\s*&\s*)`)
	nameWord   = regexp.MustCompile(`^@?[\w-]+`)
	noName     = regexp.MustCompile(`(?i)^(me|us|him|her|them|it|you|a|an|the|my|your|this|that|to|no|some|any)$`)
	asWord     = regexp.MustCompile(`(?i)^(please|off to|to)\s+|\s+(and|then|also|please)$`)
)

// delegations parses "ask Sasha and Finn to X", "have Sasha X, then ask Finn to Y" and
// "Sasha, please X". A request within another task belongs to that task.
func delegations(t *Turn, text string) (calls []core.ToolCall) {
	tool := "call_agent"
	if background.MatchString(text) && t.Offers("call_agent_async") || !t.Offers(tool) {
		tool = "call_agent_async"
	}
	if !t.Offers(tool) {
		return nil
	}
	known := agentsOf(t)
	add := func(agents []string, task string) {
		if task = tidy(task); task == "" {
			return
		}
		for _, agent := range agents {
			calls = append(calls, Call(tool, map[string]string{"agent": agent, "task": task}))
		}
	}
	var agents []string
	start := 0 // where the task of agents starts
	for _, m := range asking.FindAllStringIndex(text, -1) {
		found, n := names(known, text[m[1]:])
		nested := m[0] < start || strings.HasSuffix(strings.ToLower(strings.TrimSpace(text[:m[0]])), " to") ||
			agents != nil && strings.TrimSpace(text[start:m[0]]) == ""
		if len(found) == 0 || nested {
			continue
		}
		if agents != nil {
			add(agents, text[start:m[0]])
		}
		agents, start = found, m[1]+n
	}
	add(agents, text[start:])
	if m := addressed.FindStringSubmatch(text); agents == nil && m != nil {
		if found, n := names(known, m[1]); n == len(m[1]) {
			add(found, m[2])
		}
	}
	return calls
}

// names parses the agents at the start of s ("Sasha, Finn and Priest to …").
func names(known []string, s string) (agents []string, n int) {
	for {
		at := 0
		if len(agents) > 0 {
			sep := between.FindStringIndex(s[n:])
			if sep == nil {
				return agents, n
			}
			at = sep[1]
		}
		word := nameWord.FindString(s[n+at:])
		name := strings.ToLower(strings.TrimPrefix(word, "@"))
		if word == "" || !slices.Contains(known, name) {
			return agents, n
		}
		agents = append(agents, name)
		n += at + len(word)
	}
}

func tidy(s string) string {
	s = background.ReplaceAllString(s, " ")
	for {
		tidied := strings.Trim(asWord.ReplaceAllString(s, ""), " \n\t,;:.!")
		if tidied == s {
			return s
		}
		s = tidied
	}
}
