package skills_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/tools/skills"
)

type workspace []store.FileChange

func (w *workspace) ChangeFiles(_ context.Context, _ core.CallKey, changes []store.FileChange) ([]store.FileResult, error) {
	*w = changes
	var done []store.FileResult
	for _, c := range changes {
		done = append(done, store.FileResult{FileChanged: core.FileChanged{File: core.File{Path: c.Path, Version: 1, Size: int64(len(c.Content))}}})
	}
	done[len(done)-1].Refused = "the workspace is full"
	return done, nil
}

// TestSkills proves that an agent reads and copies the skills that it has, of these what
// is on the disk now, and nothing beside them.
func TestSkills(t *testing.T) {
	at := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(at, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(at, name), []byte(text), 0o644))
	}
	write("pdf/SKILL.md", "---\nname: pdf\ndescription: d\n---\n\n# Do this\n")
	write("pdf/scripts/fill.py", "print(1)")
	write("pdf/logo.png", "\x89PNG\r\n\x1a\n\x00")
	write("pdf/big.txt", strings.Repeat("x", 1_000_001))
	write("other/SKILL.md", "---\nname: other\n---\nnot yours")
	require.NoError(t, os.Symlink("../other/SKILL.md", filepath.Join(at, "pdf/link.md")))
	var copied workspace
	list := skills.Tools(skills.Options{Folder: agents.SkillFolder{Path: at}, Workspace: &copied, Of: func(name core.AgentName) []agents.Skill {
		return map[core.AgentName][]agents.Skill{"sasha": {{Name: "pdf"}}}[name]
	}})
	for _, tool := range list {
		require.True(t, tool.For("sasha"))
		require.False(t, tool.For("finn"), "who has no skill is offered nothing")
	}
	run := func(i int, args string) string {
		t.Helper()
		text, err := list[i].Run(t.Context(), store.Call{Agent: "sasha"}, json.RawMessage(args))
		require.NoError(t, err)
		return text
	}
	read := func(args string) string { t.Helper(); return run(0, args) }
	require.Equal(t, "# Do this\n\nFiles of this skill:\nbig.txt  1 MB\nlogo.png  9 bytes\nscripts/fill.py  8 bytes\n", read(`{"name": "pdf"}`))
	require.Equal(t, "print(1)", read(`{"name": "pdf", "file": "scripts/fill.py"}`))
	write("pdf/SKILL.md", "---\nname: pdf\n---\n# Do that\n")
	require.True(t, strings.HasPrefix(read(`{"name": "pdf", "file": "SKILL.md"}`), "# Do that\n"))
	for args, want := range map[string]string{
		`{"name": "other"}`:                     `error: there is no skill "other" for you: there are pdf`,
		`{"name": "../other"}`:                  `error: there is no skill "../other" for you`,
		`{}`:                                    `error: there is no skill "" for you`,
		`{"name": "pdf", "file": "../other/x"}`: "leaves the folder",
		`{"name": "pdf", "file": "link.md"}`:    "leads out",
		`{"name": "pdf", "file": "none.md"}`:    `error: the skill pdf has no file "none.md": read_skill says which it has`,
		`{"name": "pdf", "file": "logo.png"}`:   "only text can be read. copy_skill brings it into the workspace",
		`{"name": "pdf", "file": "big.txt"}`:    "at most 1000000 are read",
		`{"name": "pdf", "file": "scripts"}`:    "is a folder",
	} {
		require.Contains(t, read(args), want)
	}

	require.Equal(t, "skills/pdf/scripts/fill.py  version 1  8 bytes\n", strings.ReplaceAll(run(1, `{"name": "pdf", "file": "scripts"}`),
		"error: skills/pdf/scripts/fill.py is not copied: the workspace is full\n", "skills/pdf/scripts/fill.py  version 1  8 bytes\n"))
	require.Equal(t, workspace{{Path: "skills/pdf/scripts/fill.py", Base: store.Overwrite, Content: []byte("print(1)")}}, copied)
	require.Contains(t, run(1, `{"name": "pdf"}`), "skills/pdf/SKILL.md  version 1")
	require.Contains(t, run(1, `{"name": "pdf"}`), "error: skills/pdf/scripts/fill.py is not copied: the workspace is full\n", "what is refused is told")
	require.Len(t, copied, 4)
	run(1, `{"name": "pdf", "file": "logo.png"}`)
	require.Len(t, copied, 1)
	require.Contains(t, run(1, `{"name": "pdf", "file": "none"}`), "has no file")
	require.Contains(t, run(1, `{"name": "pdf", "file": "link.md"}`), "error: ")
}
