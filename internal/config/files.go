package config

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"errand"
)

// Files are what agents have of files besides their workspaces.
type Files struct {
	Folders []DiskFolder `yaml:"folders" most:"20"` // Folders of this machine.
}

// A folder on the disks of the workers that agents reach by its name.
type DiskFolder struct {
	// Agents know its files as NAME/plan.md.
	Name string `yaml:"name" pattern:"^[a-z][a-z0-9_-]{0,30}$" want:"a short name such as notes (small letters, digits, - and _)"`
	// Where it is.
	Path   string      `yaml:"path"`   // absolute, once it is loaded
	Agents []string    `yaml:"agents"` // Agents that have it, or patterns of them. Default: all.
	Role   errand.Role `yaml:"role"`   // The least role of people for whom an agent has it. Default: partner.
	Write  bool        `yaml:"write"`  // Agents may write in it.
}

// files checks the section files. The roster and the servers of tools are known.
func (l *loader) files() {
	names := map[string]bool{}
	for i, f := range l.file.Files.Folders {
		p := at("files", "folders", i)
		switch {
		case f.Name == "":
			l.fault(p.at("name"), "is missing: give a short name such as notes: agents know its files as notes/plan.md")
		case f.Name == "skills":
			l.fault(p.at("name"), "skills is where copies of skills are put: choose another")
		case names[f.Name]:
			l.fault(p.at("name"), "%q is there twice", f.Name)
		}
		names[f.Name] = true
		l.cfg.Files.Folders = append(l.cfg.Files.Folders, l.diskFolder(p, f))
	}
}

func (l *loader) diskFolder(p path, f DiskFolder) DiskFolder {
	if f.Path == "" {
		l.fault(p.at("path"), "is missing: name a folder of this machine")
	} else if abs, err := filepath.Abs(l.beside(f.Path)); err != nil {
		l.fault(p.at("path"), "%s: %v", f.Path, err)
	} else {
		f.Path = abs
		l.keepApart(p.at("path"), abs)
	}
	for i, pattern := range f.Agents {
		if l.cfg.Roster == nil {
			break // its faults are reported
		}
		known := errand.Strings(l.cfg.Roster.Names())
		if !slices.ContainsFunc(known, func(name string) bool { return errand.Matches(pattern, name) }) {
			l.fault(p.at("agents", i), "unknown agent %q%s", pattern, hint(pattern, known))
		}
	}
	f.Role = cmp.Or(l.role(p.at("role"), f.Role), errand.Partner)
	if f.Write && f.Path != "" {
		l.keepUnwritten(p.at("write"), f.Path)
	}
	return f
}

// keepApart refuses a folder in which errand's own data is, or the tokens of channels, or
// that is in one of these: their readers would be the owner.
func (l *loader) keepApart(p path, path string) {
	for what, own := range map[string]string{"data": l.cfg.Data, "secrets": l.beside("secrets")} {
		own, err := filepath.Abs(own)
		if err != nil {
			continue // it is not used either, then
		}
		if a, b := resolved(path), resolved(own); within(a, b) || within(b, a) {
			l.fault(p, "errand's own folder %s is in it, or the other way round: agents would read its keys", what)
		}
	}
}

// keepUnwritten refuses a folder in which agents would write errand.yaml, a text that it
// names for an agent, a skill, or a program that is started for its tools: what these say,
// the next start does. A folder beside them is fine.
func (l *loader) keepUnwritten(p path, path string) {
	own := append([]string{l.cfg.File}, l.prompts...)
	skills := l.cfg.Skills.Folder
	if skills != "" {
		own = append(own, skills)
	}
	for _, server := range l.cfg.MCPServers {
		for _, word := range server.Command {
			if info, err := os.Stat(word); filepath.IsAbs(word) && err == nil && info.Mode().IsRegular() {
				own = append(own, word)
			}
		}
	}
	for _, own := range own {
		abs, err := filepath.Abs(own)
		if err != nil || own == "" {
			continue // it is not read either, then
		}
		// A link can be written as well as what it leads to.
		if in := resolved(path); within(resolved(abs), in) || within(filepath.Join(resolved(filepath.Dir(abs)), filepath.Base(abs)), in) {
			l.fault(p, "%s is in %s: agents would write what errand does. Take a folder without it", own, path)
			return
		}
		if own == skills && within(resolved(path), resolved(abs)) {
			l.fault(p, "%s is in the folder of skills: agents would write what they are told to do. Take one outside", path)
			return
		}
	}
}

// resolved is a path without links, as far as it is there.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if up := filepath.Dir(path); up != path {
		return filepath.Join(resolved(up), filepath.Base(path))
	}
	return path
}

// within reports whether the folder inner is outer, or in it.
func within(inner, outer string) bool {
	rel, err := filepath.Rel(outer, inner)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
