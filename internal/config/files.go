package config

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"errand"
)

// Files are what agents have of files besides their workspaces.
type Files struct{ Folders []DiskFolder }

// A DiskFolder is a folder on the disks of the workers that agents reach by its name.
type DiskFolder struct {
	Name   string
	Path   string      // absolute
	Agents []string    // that have it, or patterns of them; nil: all
	Role   errand.Role // the least one for whom an agent has it
	Write  bool        // agents may write in it
}

// mostFolders bounds how many there are: each is a line of every list of files.
const mostFolders = 20

var folderName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,30}$`)

// files reads the section files. The roster and the servers of tools have been read.
func (l *loader) files(root *mapping) {
	section := root.section("files")
	if section == nil {
		return
	}
	n := section.get("folders")
	section.done()
	if n == nil {
		return
	}
	items := section.items("folders", n)
	if len(items) > mostFolders {
		section.fault(section.lineOf("folders"), "folders", "there are %d; %d are the most", len(items), mostFolders)
		return
	}
	for _, m := range items {
		if m == nil {
			continue // reported
		}
		f := l.diskFolder(m)
		if slices.ContainsFunc(l.cfg.Files.Folders, func(o DiskFolder) bool { return o.Name == f.Name && f.Name != "" }) {
			m.fault(m.lineOf("name"), "name", "%q is there twice", f.Name)
		}
		l.cfg.Files.Folders = append(l.cfg.Files.Folders, f)
	}
}

func (l *loader) diskFolder(m *mapping) DiskFolder {
	f := DiskFolder{Role: errand.Partner}
	var path string
	m.text("name", &f.Name)
	switch {
	case !folderName.MatchString(f.Name):
		m.fault(m.lineOf("name"), "name", "want a short name such as notes (small letters, digits, - and _): agents know its files as notes/plan.md")
	case f.Name == "skills":
		m.fault(m.lineOf("name"), "name", "skills is where copies of skills are put: choose another")
	}
	m.text("path", &path)
	if path == "" {
		m.fault(m.lineOf("path"), "path", "is missing: name a folder of this machine")
	} else if abs, err := filepath.Abs(l.beside(path)); err != nil {
		m.fault(m.lineOf("path"), "path", "%s: %v", path, err)
	} else {
		f.Path = abs
		l.keepApart(m, abs)
	}
	var lines []int
	f.Agents, lines = m.texts("agents")
	for i, pattern := range f.Agents {
		known := []string{}
		if l.cfg.Roster != nil { // else its faults are reported
			known = errand.Strings(l.cfg.Roster.Names())
		}
		if l.cfg.Roster != nil && !slices.ContainsFunc(known, func(name string) bool { return errand.Matches(pattern, name) }) {
			m.fault(lines[i], "agents", "unknown agent %q%s", pattern, didYouMean(pattern, known))
		}
	}
	l.role(m, "role", &f.Role)
	if m.boolean("write", &f.Write); f.Write && f.Path != "" {
		l.keepUnwritten(m, f.Path)
	}
	m.done()
	return f
}

// keepApart refuses a folder in which errand's own data is, or the tokens of channels, or
// that is in one of these: their readers would be the owner.
func (l *loader) keepApart(m *mapping, path string) {
	for what, own := range map[string]string{"data": l.cfg.Data, "secrets": l.beside("secrets")} {
		own, err := filepath.Abs(own)
		if err != nil {
			continue // it is not used either, then
		}
		if a, b := resolved(path), resolved(own); within(a, b) || within(b, a) {
			m.fault(m.lineOf("path"), "path", "errand's own folder %s is in it, or the other way round: agents would read its keys", what)
		}
	}
}

// keepUnwritten refuses a folder in which agents would write errand.yaml, a text that it
// names for an agent, a skill, or a program that is started for its tools: what these say,
// the next start does. A folder beside them is fine.
func (l *loader) keepUnwritten(m *mapping, path string) {
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
			m.fault(m.lineOf("write"), "write", "%s is in %s: agents would write what errand does. Take a folder without it", own, path)
			return
		}
		if own == skills && within(resolved(path), resolved(abs)) {
			m.fault(m.lineOf("write"), "write", "%s is in the folder of skills: agents would write what they are told to do. Take one outside", path)
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
