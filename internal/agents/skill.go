package agents

import (
	"bytes"
	"slices"

	"errand"
)

// ReadSkill is the name of the tool that reads a skill.
const ReadSkill = "read_skill"

// SkillFile is the file of a skill that says what it is, in its front matter, and what to do.
const SkillFile = "SKILL.md"

// A Skill is a folder with instructions for one kind of work, which an agent reads when
// it is about to do such work (https://agentskills.io/specification).
type Skill struct {
	Name        string
	Description string // what it is for, and when to use it
}

// Skills returns the skills that the agent called name has, in the order of their names.
func (r *Roster) Skills(name errand.AgentName) []Skill {
	a, ok := r.byName[name]
	if !ok {
		return nil
	}
	var list []Skill
	for _, s := range r.skills {
		if a.Skills == nil || slices.ContainsFunc(a.Skills, func(pattern string) bool { return errand.Matches(pattern, s.Name) }) {
			list = append(list, s)
		}
	}
	return list
}

// checkSkills refuses skills that there are not, and those that the agent could not read.
func (a *Agent) checkSkills(all []Skill, fault func(field string, i int, value string, known []string, format string, args ...any)) {
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.Name
	}
	for i, pattern := range a.Skills {
		switch {
		case !slices.ContainsFunc(names, func(name string) bool { return errand.Matches(pattern, name) }):
			fault("skills", i, pattern, names, "unknown skill %q", pattern)
		case slices.Contains(a.Skills[:i], pattern):
			fault("skills", i, "", nil, "skill %q is listed twice", pattern)
		}
	}
	if len(a.Skills) > 0 && !a.MayUse(ReadSkill) {
		fault("skills", 0, "", nil, "it has skills and cannot read them: put %s among its tools", ReadSkill)
	}
}

// CutFrontMatter cuts a SKILL.md into what stands between its first two lines ---, and
// what follows them.
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
