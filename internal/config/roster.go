package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"errand"
	"errand/internal/agents"
)

type agentLines struct {
	agent  int
	fields map[string]int
	items  map[string][]int // of the lists
}

// roster reads primary and agents; without agents it is the default roster.
func (l *loader) roster(root *mapping) {
	primary, list := agents.Default()
	lines := make(map[errand.AgentName]agentLines)
	section := root.section("agents")
	if section != nil {
		primary, list = "", nil
		for _, name := range section.names {
			a, at := l.agent(section, name)
			list, lines[a.Name] = append(list, a), at
		}
	}
	root.text("primary", (*string)(&primary))
	list = l.remoteAgents(root, primary, list, lines)
	for i := range list {
		if list[i].MaxSteps == 0 {
			list[i].MaxSteps = l.cfg.Sessions.MaxSteps
		}
	}
	rules := agents.Rules{Models: l.modelKeys(), Skills: l.cfg.Skills.List}
	if section != nil {
		rules.Tools, rules.Servers = l.src.Tools, l.servers() // those of the default agents are errand's own affair
	}
	roster, err := agents.New(primary, list, rules)
	var problems agents.Problems
	errors.As(err, &problems)
	for _, p := range problems {
		l.rosterFault(root, lines, p)
	}
	l.cfg.Roster = roster
}

func (l *loader) agent(section *mapping, name string) (agents.Agent, agentLines) {
	a := agents.Agent{Name: errand.AgentName(name)}
	at := agentLines{agent: section.lineOf(name), fields: make(map[string]int), items: make(map[string][]int)}
	n := section.get(name)
	if n == nil {
		return a, at
	}
	m := newMapping(section.doc, fmt.Sprintf("agent %q: ", name), "", at.agent, n)
	if m == nil {
		a.Instructions = unread
		return a, at
	}
	m.text("description", &a.Description)
	a.Instructions = l.prose(m, "instructions")
	a.Voice = l.prose(m, "voice")
	a.Notification, at.items["notification"] = l.notification(m)
	m.text("model", &a.Model)
	delegates, delegateLines := m.texts("delegates")
	for _, d := range delegates {
		a.Delegates = append(a.Delegates, errand.AgentName(d))
	}
	if v := m.vals["tools"]; v != nil && isNull(v) {
		m.fault(m.lineOf("tools"), "tools", "is empty: write [] for none, or leave it out for all")
	}
	a.Tools, at.items["tools"] = m.texts("tools")
	at.items["delegates"] = delegateLines
	handoff, handoffLines := m.texts("handoff_to")
	if handoff != nil {
		a.HandoffTo = []errand.AgentName{}
	}
	for _, h := range handoff {
		a.HandoffTo = append(a.HandoffTo, errand.AgentName(h))
	}
	at.items["handoff_to"] = handoffLines
	sticky := true
	m.boolean("sticky", &sticky)
	a.NotSticky = !sticky
	m.duration("sticky_for", &a.StickyFor, time.Minute)
	l.role(m, "role", &a.Role)
	l.role(m, "acts_as", &a.ActsAs)
	a.Skills, at.items["skills"] = m.texts("skills")
	m.number("max_steps", &a.MaxSteps, 1, agents.MaxMaxSteps)
	choice(m, "effort", &a.Effort, agents.Efforts()...)
	choice(m, "verbosity", &a.Verbosity, agents.Verbosities()...)
	m.done()
	for _, name := range m.names {
		at.fields[name] = m.lineOf(name)
	}
	return a, at
}

// unread stands for a text that is there but could not be read, which has been
// reported, so that it is not reported as missing too.
const unread = "?"

// prose reads a Markdown text: key holds it, or key_file names its file.
func (l *loader) prose(m *mapping, key string) string {
	var text, path string
	inline := m.get(key) != nil
	if inline && !m.text(key, &text) {
		return unread
	}
	fileKey := key + "_file"
	if !m.text(fileKey, &path) {
		if m.get(fileKey) != nil {
			return unread
		}
		return text
	}
	line := m.lineOf(fileKey)
	if path == "" {
		m.fault(line, fileKey, "names no file")
		return unread
	}
	if inline {
		m.fault(line, fileKey, "there is %s too: keep one of them", key)
		return unread
	}
	l.prompts = append(l.prompts, l.beside(path))
	b, err := readFile(l.beside(path))
	switch {
	case err != nil:
		m.fault(line, fileKey, "%s: %v", path, err)
	case !utf8.Valid(b):
		m.fault(line, fileKey, "%s: is not UTF-8 text", path)
	case strings.TrimSpace(string(b)) == "":
		m.fault(line, fileKey, "%s: is empty", path)
	default:
		return string(b)
	}
	return unread
}

func (l *loader) modelKeys() []string {
	if l.cfg.Demo {
		return []string{agents.DefaultModel}
	}
	return slices.Sorted(maps.Keys(l.cfg.Models))
}

// rosterFault reports what the roster refuses at the line it came from: that of
// the item, the field, the agent, or the section that made it wrong.
func (l *loader) rosterFault(root *mapping, lines map[errand.AgentName]agentLines, p *agents.Problem) {
	text := p.Error() + didYouMean(p.Value, p.Known)
	if p.Field == "model" && p.Value == agents.DefaultModel {
		text = fmt.Sprintf("agent %q: it names no model, and models has no %q", p.Agent, agents.DefaultModel)
	}
	if root == nil {
		l.faults.add("", 0, "%s", text)
		return
	}
	line := root.lineOf(sectionOf(p))
	if at, ok := lines[p.Agent]; ok {
		line = at.agent
		if f, ok := at.fields[p.Field]; ok {
			line = f
		}
		if items := at.items[p.Field]; p.Index < len(items) {
			line = items[p.Index]
		}
	}
	l.faults.add(root.doc.name, line, "%s", text)
}

// sectionOf names the section of the file that decides on what p is about,
// where the agent itself is not in the file.
func sectionOf(p *agents.Problem) string {
	switch {
	case p.Field == "model":
		return "models"
	case p.Agent == "":
		if p.Field == "primary" {
			return "primary"
		}
		return "agents"
	}
	return "primary"
}
