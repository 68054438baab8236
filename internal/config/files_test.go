package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand"
	"errand/internal/config"
)

func foldersOf(t *testing.T, yaml string) ([]config.DiskFolder, string, string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "errand.yaml")
	require.NoError(t, os.WriteFile(file, []byte(yaml), 0o644))
	cfg, err := config.Load(config.Sources{File: file, Env: func(name string) string {
		return map[string]string{"ERRAND_DATA": filepath.Join(dir, "data")}[name]
	}})
	if err != nil {
		return nil, dir, strings.ReplaceAll(err.Error(), dir+"/", "")
	}
	return cfg.Files.Folders, dir, ""
}

// TestFolders proves that folders are read-only, and for partners, unless the file says
// otherwise.
func TestFolders(t *testing.T) {
	list, dir, err := foldersOf(t, "files:\n  folders:\n    - {name: notes, path: my notes}\n    - {name: drafts, path: /srv/drafts, agents: [sa*], role: member, write: true}\n")
	require.Empty(t, err)
	require.Equal(t, []config.DiskFolder{
		{Name: "notes", Path: filepath.Join(dir, "my notes"), Role: errand.Partner},
		{Name: "drafts", Path: "/srv/drafts", Agents: []string{"sa*"}, Role: errand.Member, Write: true},
	}, list)
}

// TestRefusedFolders proves that a folder that cannot be, or that has errand's keys in it,
// is refused with its line.
func TestRefusedFolders(t *testing.T) {
	for item, want := range map[string]string{
		"{path: x}":                             "errand.yaml:3: files.folders[0].name: is missing: give a short name",
		"{name: A/b, path: x}":                  "errand.yaml:3: files.folders[0].name: want a short name",
		"{name: skills, path: x}":               "errand.yaml:3: files.folders[0].name: skills is where copies",
		"{name: notes}":                         "errand.yaml:3: files.folders[0].path: is missing",
		"{name: notes, path: .}":                "errand.yaml:3: files.folders[0].path: errand's own folder data is in it",
		"{name: notes, path: /}":                "errand.yaml:3: files.folders[0].path: errand's own folder data is in it",
		"{name: notes, path: data/files}":       "errand.yaml:3: files.folders[0].path: errand's own folder data is in it",
		"{name: notes, path: secrets}":          "errand.yaml:3: files.folders[0].path: errand's own folder secrets is in it",
		"{name: notes, path: x, agents: [sas]}": `errand.yaml:3: files.folders[0].agents[0]: unknown agent "sas" (did you mean "sasha"?)`,
		"{name: notes, path: x, role: boss}":    `errand.yaml:3: files.folders[0].role: there is no role "boss"`,
		"{name: notes, path: x, wrote: true}":   `errand.yaml:3: files.folders[0]: unknown key "wrote" (did you mean "write"?)`,
	} {
		_, _, err := foldersOf(t, "files:\n  folders:\n    - "+item+"\n")
		require.Contains(t, err, want, item)
	}
	_, _, err := foldersOf(t, "files:\n  folders:\n    - {name: a, path: x}\n    - {name: a, path: y}\n")
	require.Contains(t, err, `errand.yaml:4: files.folders[1].name: "a" is there twice`)
}

// TestWritableFolders proves that agents are given no folder to write in by which they
// would change what errand does, and that one beside is fine.
func TestWritableFolders(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"etc/prompts/sasha.md":   "Be kind.",
		"etc/skills/x/SKILL.md":  "---\nname: x\ndescription: d\n---\n",
		"etc/drafts/a.md":        "a",
		"servers/tools.py":       "print()",
		"linked/errand.yaml":     "", // written below
		"elsewhere/in/it/b.md":   "b",
		"etc/skills/x/more/c.md": "c",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	require.NoError(t, os.Symlink(filepath.Join(dir, "etc"), filepath.Join(dir, "link")))
	require.NoError(t, os.Remove(filepath.Join(dir, "linked", "errand.yaml")))
	require.NoError(t, os.Symlink(filepath.Join(dir, "linked", "errand.yaml"), filepath.Join(dir, "etc", "errand.yaml")))
	load := func(path string, write bool) string {
		yaml := fmt.Sprintf(`primary: sasha
agents: {sasha: {description: d, instructions_file: prompts/sasha.md}}
skills: skills
mcp_servers:
  - {name: local, command: [python3, %s/servers/tools.py]}
files:
  folders:
    - {name: f, path: %s, write: %t}
`, dir, path, write)
		file := filepath.Join(dir, "etc", "errand.yaml")
		require.NoError(t, os.WriteFile(file, []byte(yaml), 0o644))
		_, err := config.Load(config.Sources{File: file, Env: func(name string) string {
			return map[string]string{"ERRAND_DATA": filepath.Join(dir, "data"), "ANTHROPIC_API_KEY": "k"}[name]
		}})
		if err == nil {
			return ""
		}
		return strings.ReplaceAll(err.Error(), dir+"/", "")
	}
	for _, path := range []string{"drafts", "../elsewhere", dir + "/elsewhere/in"} {
		require.Empty(t, load(path, true), path)
	}
	for path, want := range map[string]string{
		".":             "etc/errand.yaml:8: files.folders[0].write: etc/errand.yaml is in etc: agents would write what errand does",
		"../link":       "etc/errand.yaml is in link: agents would write",
		"../linked":     "etc/errand.yaml is in linked: agents would write",
		"prompts":       "etc/prompts/sasha.md is in etc/prompts: agents would write",
		"skills":        "etc/skills is in etc/skills: agents would write",
		"skills/x/more": "etc/skills/x/more is in the folder of skills: agents would write",
		"../servers":    "servers/tools.py is in servers: agents would write",
	} {
		require.Contains(t, load(path, true), want, path)
		if path != "." && path != "../link" { // secrets would be in it too
			require.Empty(t, load(path, false), "they may be read: %s", path)
		}
	}
}
