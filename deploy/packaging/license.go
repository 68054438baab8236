package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

const thirdParty = "THIRD_PARTY_LICENSES.txt"

// libsignal makes the program with WhatsApp subject to the GPL.
const libsignal = "go.mau.fi/libsignal"

// It is missing in the module of the folder statsd.
//
//go:embed licenses/go-statsd-client.txt
var statsdLicense []byte

// withoutFile has what applies to modules without a license file.
var withoutFile = map[string][]byte{
	"github.com/cactus/go-statsd-client/statsd":    statsdLicense,
	"github.com/nexus-rpc/nexus-proto-annotations": []byte("This module contains no license.\n"),
}

var legalName = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|patents|copyright)s?([._-].*)?$`)

// legalFiles returns the licenses of everything in the program.
func (p program) legalFiles() ([]file, error) {
	parts, err := p.parts()
	if err != nil {
		return nil, err
	}
	files := []file{p.notice(), {name: thirdParty, mode: 0o644, data: thirdPartyText(parts)}}
	has := slices.ContainsFunc(parts, func(m licensed) bool { return m.path == libsignal })
	if has != (p.license == "GPL-3.0-only") {
		return nil, fmt.Errorf("%s is under %s; it contains %s: %v", p.name, p.license, libsignal, has)
	}
	for _, m := range parts {
		if m.path == libsignal {
			files = append(files, file{name: "COPYING", mode: 0o644, data: m.texts[0]})
		}
	}
	return files, nil
}

func (p program) notice() file {
	from := p.from
	lines := []string{
		"errand " + from.version + " " + p.about + ", for " + p.os + "/" + p.arch + ", commit " + from.commit, "",
		"errand's own source is under the Apache License, version 2.0: see LICENSE.",
		thirdParty + " has the licenses of all modules in the program.", "",
	}
	if p.license == "GPL-3.0-only" {
		lines = append(lines,
			"This program contains "+libsignal+" for WhatsApp, which is under the GNU General",
			"Public License, version 3. So you may distribute this program only under the GPL-3.0:",
			"see COPYING. errand-nowhatsapp is the same without WhatsApp, under the Apache License.", "")
	}
	return text("NOTICE.txt", append(lines,
		"The source of this program:",
		"- errand: "+from.archiveName()+", from the place where you got this program.",
		"- Modules: the addresses in "+thirdParty+". go.mod and go.sum in errand's source have their",
		"  versions and checksums.", "",
		"To build it from the source, use Go "+from.goVersion+":", "",
		"  CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -tags='"+p.tags+"' ./cmd/errand")...)
}

// A part is a module in the program, or something else with a license.
type part struct{ path, version, dir string }

// A licensed is a part with the texts of its license files.
type licensed struct {
	part
	texts [][]byte
}

// parts returns Go's library, the scripts of the pages, and the modules that the program links.
func (p program) parts() ([]licensed, error) {
	folders, err := p.foldersOfModules()
	if err != nil {
		return nil, err
	}
	root, err := p.from.run(p.environment(), "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	goroot := strings.TrimSpace(string(root))
	folders[part{"the Go library", "go" + p.from.goVersion, goroot}] = []string{goroot}
	scripts, err := filepath.Glob(filepath.Join(p.from.top, "internal/doors/web/static/vendor/*"))
	if err != nil {
		return nil, err
	}
	for _, dir := range scripts {
		folders[part{"the script " + filepath.Base(dir), "", dir}] = []string{dir}
	}
	var parts []licensed
	for m, dirs := range folders {
		texts, err := licensesIn(dirs)
		if err != nil {
			return nil, err
		}
		if len(texts) == 0 && withoutFile[m.path] == nil {
			return nil, fmt.Errorf("%s has no license file", m.path)
		}
		if len(texts) == 0 {
			texts = [][]byte{withoutFile[m.path]}
		}
		parts = append(parts, licensed{m, texts})
	}
	slices.SortFunc(parts, func(a, b licensed) int { return strings.Compare(a.path, b.path) })
	return parts, nil
}

// foldersOfModules returns the folders of the linked packages of each module, and their parents in
// the module.
func (p program) foldersOfModules() (map[part][]string, error) {
	const format = `{{if .Module}}{{if not .Module.Main}}{{.Module.Path}}|{{.Module.Version}}|{{.Module.Dir}}|{{.Dir}}{{end}}{{end}}`
	out, err := p.from.run(p.environment(), "go", "list", "-deps", "-tags="+p.tags, "-f", format, "./cmd/errand")
	if err != nil {
		return nil, err
	}
	folders := map[part][]string{}
	for line := range strings.Lines(string(out)) {
		column := strings.Split(strings.TrimSpace(line), "|")
		if len(column) != 4 {
			continue // a package of Go's library or of errand
		}
		m := part{column[0], column[1], column[2]}
		for dir := column[3]; strings.HasPrefix(dir, m.dir); dir = filepath.Dir(dir) {
			if !slices.Contains(folders[m], dir) {
				folders[m] = append(folders[m], dir)
			}
		}
	}
	return folders, nil
}

func licensesIn(dirs []string) ([][]byte, error) {
	var texts [][]byte
	slices.Sort(dirs)
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.IsDir() || !legalName.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			texts = append(texts, text)
		}
	}
	return texts, nil
}

// thirdPartyText has each text once, below the names of the parts that it applies to.
func thirdPartyText(parts []licensed) []byte {
	names := map[string][]string{}
	var order []string
	for _, m := range parts {
		name := strings.TrimSpace(m.path + " " + m.version)
		if strings.Contains(m.path, ".") {
			name += "\n  https://proxy.golang.org/" + escaped(m.path) + "/@v/" + escaped(m.version) + ".zip"
		}
		for _, text := range m.texts {
			key := string(bytes.TrimSpace(text))
			if names[key] == nil {
				order = append(order, key)
			}
			if !slices.Contains(names[key], name) {
				names[key] = append(names[key], name)
			}
		}
	}
	var all bytes.Buffer
	for _, text := range order {
		fmt.Fprintf(&all, "%s\n%s\n\n%s\n\n", strings.Repeat("=", 80), strings.Join(names[text], "\n"), text)
	}
	return all.Bytes()
}

// escaped writes a path or version as the proxy for modules wants it.
func escaped(name string) string {
	var out strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			out.WriteByte('!')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}
