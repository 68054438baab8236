package config

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"errand/internal/agents"
	"errand/internal/core"
)

// roster checks primary and agents. Without agents it uses the default roster.
func (l *loader) roster() {
	primary, list := agents.Default()
	places := make(map[core.AgentName][]path)
	own := l.has(at("agents"))
	if own {
		primary, list = "", nil
		for _, name := range l.names(at("agents")) {
			a, at := l.agent(name, l.file.Agents[name])
			list, places[a.Name] = append(list, a), at
		}
	}
	primary = cmp.Or(core.AgentName(l.file.Primary), primary)
	list = l.remoteAgents(primary, list)
	for i := range list {
		if list[i].MaxSteps == 0 {
			list[i].MaxSteps = l.cfg.Sessions.MaxSteps
		}
	}
	rules := agents.Rules{Models: l.modelKeys(), Skills: l.cfg.Skills.List}
	if own {
		// The default agents may name tools that are missing here.
		rules.Tools, rules.Servers = l.src.Tools, l.servers()
	}
	roster, err := agents.New(primary, list, rules)
	var problems agents.Problems
	errors.As(err, &problems)
	for _, p := range problems {
		l.rosterFault(p, places)
	}
	l.cfg.Roster = roster
}

func (l *loader) agent(name string, f agentFile) (a agents.Agent, places []path) {
	p := at("agents", name)
	a = agents.Agent{
		Name: core.AgentName(name), Description: f.Description, Model: f.Model, MaxSteps: f.MaxSteps, Effort: f.Effort, Verbosity: f.Verbosity,
		Delegates: f.Delegates, Tools: f.Tools, HandoffTo: f.HandoffTo, Skills: f.Skills, StickyFor: f.StickyFor,
	}
	a.Instructions = l.prose(p.at("instructions"), f.Instructions, f.InstructionsFile)
	a.Voice = l.prose(p.at("voice"), f.Voice, f.VoiceFile)
	a.Notification, places = l.notification(a.Name, f.Notification)
	if _, tools := child(l.get(p), "tools"); tools != nil && isNull(tools) {
		l.fault(p.at("tools"), "is empty: write [] for no tools, or leave the key out for all built-in tools")
	}
	a.NotSticky = f.Sticky != nil && !*f.Sticky
	a.Role, a.ActsAs = l.role(p.at("role"), f.Role), l.role(p.at("acts_as"), f.ActsAs)
	return a, places
}

// unread replaces a text that could not be read, so that it is not also reported as missing.
const unread = "?"

func (l *loader) prose(p path, text string, file *string) string {
	if file == nil {
		return text
	}
	last := len(p) - 1
	from := p[:last].at(p[last] + "_file")
	switch {
	case *file == "":
		l.fault(from, "is empty: write the path of a file")
		return unread
	case l.given(p):
		l.fault(from, "%s is set too: keep only one of them", p[last])
		return unread
	}
	b, err := readFile(l.beside(*file))
	switch {
	case err != nil:
		l.fault(from, "%s: %v", *file, err)
	case !utf8.Valid(b):
		l.fault(from, "%s: is not UTF-8 text", *file)
	case strings.TrimSpace(string(b)) == "":
		l.fault(from, "%s: is empty", *file)
	default:
		return string(b)
	}
	return unread
}

func (l *loader) modelKeys() []string {
	if l.cfg.Demo {
		return []string{agents.DefaultModel}
	}
	return sortedKeys(l.cfg.Models)
}

func (l *loader) rosterFault(p *agents.Problem, notifications map[core.AgentName][]path) {
	text := p.Error() + hint(p.Value, p.Known)
	if p.Field == "model" && p.Value == agents.DefaultModel {
		text = fmt.Sprintf("agent %q: has no model, and models has no %q: set one of them", p.Agent, agents.DefaultModel)
	}
	place := at(sectionOf(p))
	for _, section := range []string{"agents", "remote_agents"} {
		if _, agent := child(l.get(at(section)), string(p.Agent)); agent == nil {
			continue
		}
		place = at(section, p.Agent, p.Field, p.Index)
		if list := notifications[p.Agent]; p.Field == "notification" && p.Index < len(list) {
			place = list[p.Index]
		}
	}
	if !l.isUnfit(place) {
		l.faults.add(l.cfg.File, l.line(place), "%s", text)
	}
}

// sectionOf returns the section to blame if the agent is not in the file.
func sectionOf(p *agents.Problem) string {
	switch {
	case p.Field == "model":
		return "models"
	case p.Agent == "" && p.Field != "primary":
		return "agents"
	}
	return "primary"
}
