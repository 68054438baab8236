package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"errand/internal/agents"
	"errand/internal/folder"
)

// Skills are the folders with instructions that agents can read.
type Skills struct {
	Folder string         // that has them, each a folder with a SKILL.md; empty: there are none
	List   []agents.Skill // in the order of their names
}

// What a skill may be, of which the first three are those of
// https://agentskills.io/specification.
const (
	maxSkillName        = 64
	maxSkillDescription = 1024 // characters
	maxCompatibility    = 500  // characters
	maxSkillFile        = 256_000
	mostSkills          = 100 // each is a line of every prompt
)

var skillName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (l *loader) skills(root *mapping) {
	var path string
	if !root.text("skills", &path) {
		return
	}
	fault := func(format string, args ...any) { root.fault(root.lineOf("skills"), "skills", format, args...) }
	if path == "" {
		fault("names no folder")
		return
	}
	s := &l.cfg.Skills
	s.Folder = l.beside(path)
	entries, err := os.ReadDir(s.Folder)
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		fault("%s: %v", path, err)
		return
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") {
			continue
		}
		// A link is taken for what it leads to, and refused where that is elsewhere.
		if info, err := os.Stat(filepath.Join(s.Folder, name)); err != nil || !info.IsDir() {
			continue
		}
		if skill, ok := l.skill(name, fault); ok {
			s.List = append(s.List, skill)
		}
	}
	switch {
	case len(s.List) > mostSkills:
		fault("%s has %d skills; %d are the most", path, len(s.List), mostSkills)
	case len(s.List) == 0 && len(l.faults) == 0:
		fault("%s has no folder with a %s in it", path, agents.SkillFile)
	}
}

// skill reads one SKILL.md. Only its front matter matters here: the rest is read when an
// agent asks for it.
func (l *loader) skill(name string, fault func(string, ...any)) (skill agents.Skill, ok bool) {
	file := filepath.Join(l.cfg.Skills.Folder, name, agents.SkillFile)
	text, _, err := folder.Folder{Path: l.cfg.Skills.Folder}.Read(name+"/"+agents.SkillFile, maxSkillFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		fault("the folder %s has no %s: write one, or move the folder away", name, agents.SkillFile)
		return skill, false
	case err != nil:
		l.faults.add(file, 0, "%v", err)
		return skill, false
	case !utf8.Valid(text):
		l.faults.add(file, 0, "is not UTF-8 text")
		return skill, false
	}
	front, _, found := agents.CutFrontMatter(text)
	if !found {
		l.faults.add(file, 1, "want front matter: a line ---, then name: %s and description: …, then a line ---", name)
		return skill, false
	}
	before := len(l.faults)
	m := parse(file, append([]byte("\n"), front...), &l.faults) // the empty line stands for the first ---
	if m == nil {
		if len(l.faults) == before {
			l.faults.add(file, 1, "the front matter is empty: want name: %s and description: …", name)
		}
		return skill, false
	}
	m.text("name", &skill.Name)
	m.text("description", &skill.Description)
	skill.Description = strings.Join(strings.Fields(skill.Description), " ")
	switch size := utf8.RuneCountInString(skill.Description); {
	case size == 0:
		m.fault(m.lineOf("description"), "description", "is missing: say what the skill does, and when to use it")
	case size > maxSkillDescription:
		m.fault(m.lineOf("description"), "description", "has %d characters; at most %d", size, maxSkillDescription)
	}
	switch {
	case skill.Name == "":
		m.fault(m.lineOf("name"), "name", "is missing: it is that of the folder, %s", name)
	case len(skill.Name) > maxSkillName || !skillName.MatchString(skill.Name):
		m.fault(m.lineOf("name"), "name", "%q: want small letters, digits and single hyphens between them, at most %d", skill.Name, maxSkillName)
	case skill.Name != name:
		m.fault(m.lineOf("name"), "name", "%q is not that of its folder, %s", skill.Name, name)
	}
	var compatibility string
	if m.text("compatibility", &compatibility); utf8.RuneCountInString(compatibility) > maxCompatibility {
		m.fault(m.lineOf("compatibility"), "compatibility", "has more than %d characters", maxCompatibility)
	}
	// Other keys are for other programs: many of them have some of their own.
	return skill, len(l.faults) == before
}
