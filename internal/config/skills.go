package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"errand/internal/agents"
)

// Skills are the skills that agents can read.
type Skills struct {
	Folder string         // has one folder per skill, each with a SKILL.md; empty: no skills
	List   []agents.Skill // sorted by name
}

// Limits of a skill. The first three are those of https://agentskills.io/specification.
const (
	maxSkillName        = 64
	maxSkillDescription = 1024 // characters
	maxCompatibility    = 500  // characters
	maxSkillFile        = 256_000
	mostSkills          = 100 // each is a line in every prompt
)

var skillName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (l *loader) skills() {
	path := l.file.Skills
	fault := func(format string, args ...any) { l.fault(at("skills"), format, args...) }
	if !l.has(at("skills")) {
		return
	}
	if path == "" {
		fault("is empty: write the path of a folder")
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
		// A link counts as its target. A link out of the folder is refused later.
		if info, err := os.Stat(filepath.Join(s.Folder, name)); err != nil || !info.IsDir() {
			continue
		}
		if skill, ok := l.skill(name, fault); ok {
			s.List = append(s.List, skill)
		}
	}
	switch {
	case len(s.List) > mostSkills:
		fault("%s has %d skills; the maximum is %d", path, len(s.List), mostSkills)
	case len(s.List) == 0 && len(l.faults) == 0:
		fault("%s has no folder with a %s", path, agents.SkillFile)
	}
}

// skill reads the front matter of a SKILL.md. Agents read the rest when they need it.
func (l *loader) skill(name string, fault func(string, ...any)) (skill agents.Skill, ok bool) {
	file := filepath.Join(l.cfg.Skills.Folder, name, agents.SkillFile)
	text, err := agents.SkillFolder{Path: l.cfg.Skills.Folder}.Read(name+"/"+agents.SkillFile, maxSkillFile)
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
	// The empty line replaces the first "---", so that line numbers match.
	root := parse(file, append([]byte("\n"), front...), &l.faults)
	if root == nil {
		if len(l.faults) == before {
			l.faults.add(file, 1, "the front matter is empty: want name: %s and description: …", name)
		}
		return skill, false
	}
	return l.frontMatter(file, name, root), len(l.faults) == before
}

// frontMatter ignores other keys, which are for other programs.
func (l *loader) frontMatter(file, folder string, root *yaml.Node) (skill agents.Skill) {
	var front struct{ Name, Description, Compatibility string }
	if root.Kind != yaml.MappingNode {
		l.faults.add(file, root.Line, "want settings, one \"key: value\" per line, found %s", describe(root))
		return skill
	} else if err := root.Decode(&front); err != nil {
		l.faults.add(file, root.Line, "%v", err)
		return skill
	}
	fault := func(key, format string, args ...any) {
		line := root.Line
		if k, _ := pair(root, key); k != nil {
			line = k.Line
		}
		l.faults.add(file, line, key+": "+format, args...)
	}
	skill.Name, skill.Description = front.Name, strings.Join(strings.Fields(front.Description), " ")
	switch size := utf8.RuneCountInString(skill.Description); {
	case size == 0:
		fault("description", "is missing: say what the skill does, and when to use it")
	case size > maxSkillDescription:
		fault("description", "has %d characters; the maximum is %d", size, maxSkillDescription)
	}
	switch {
	case skill.Name == "":
		fault("name", "is missing: write %s, the name of the folder", folder)
	case len(skill.Name) > maxSkillName || !skillName.MatchString(skill.Name):
		fault("name", "%q: want small letters, digits and single hyphens between them, at most %d", skill.Name, maxSkillName)
	case skill.Name != folder:
		fault("name", "%q must be the name of the folder, %s", skill.Name, folder)
	}
	if utf8.RuneCountInString(front.Compatibility) > maxCompatibility {
		fault("compatibility", "has more than %d characters", maxCompatibility)
	}
	return skill
}
