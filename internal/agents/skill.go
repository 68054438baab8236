package agents

import (
	"bytes"
	"slices"

	"errand/internal/core"
)

// ReadSkill is the name of the tool that reads a skill.
const ReadSkill = "read_skill"

// SkillFile is the main file of a skill. It begins with front matter.
const SkillFile = "SKILL.md"

// A Skill is a folder with instructions for one kind of work
// (https://agentskills.io/specification).
type Skill struct {
	Name        string
	Description string // its purpose, and when to use it
}

// Skills returns the skills of the agent called name, sorted by name.
func (r *Roster) Skills(name core.AgentName) []Skill {
	a, ok := r.byName[name]
	if !ok {
		return nil
	}
	var list []Skill
	for _, s := range r.skills {
		if a.Skills == nil || slices.ContainsFunc(a.Skills, func(pattern string) bool { return core.Matches(pattern, s.Name) }) {
			list = append(list, s)
		}
	}
	return list
}

func (a *Agent) checkSkills(all []Skill, fault func(field string, i int, value string, known []string, format string, args ...any)) {
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.Name
	}
	for i, pattern := range a.Skills {
		switch {
		case !slices.ContainsFunc(names, func(name string) bool { return core.Matches(pattern, name) }):
			fault("skills", i, pattern, names, "unknown skill %q", pattern)
		case slices.Contains(a.Skills[:i], pattern):
			fault("skills", i, "", nil, "skill %q is listed twice", pattern)
		}
	}
	if len(a.Skills) > 0 && !a.MayUse(ReadSkill) {
		fault("skills", 0, "", nil, "has skills but cannot read them: add %s to its tools", ReadSkill)
	}
}

// CutFrontMatter splits a SKILL.md after the second line "---".
func CutFrontMatter(text []byte) (front, body []byte, found bool) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	isMark := func(line []byte) bool { return string(bytes.TrimRight(line, " \t\r\n")) == "---" }
	at := 0
	for line := range bytes.Lines(text) {
		switch {
		case at == 0 && !isMark(line):
			return nil, text, false
		case at > 0 && isMark(line):
			return front, text[at+len(line):], true
		case at > 0:
			front = append(front, line...)
		}
		at += len(line)
	}
	return nil, text, false
}
