package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/agents"
	"errand/internal/config"
)

func withSkills(t *testing.T, yaml string, files map[string]string) (*config.Config, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, "skills", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "errand.yaml"), []byte(yaml), 0o644))
	cfg, err := config.Load(config.Sources{File: filepath.Join(dir, "errand.yaml"), Env: func(string) string { return "" },
		Tools: []string{"call_agent", agents.ReadSkill}})
	if err != nil {
		return nil, strings.ReplaceAll(err.Error(), dir+"/", "")
	}
	return cfg, ""
}

const pdf = "---\nname: pdf\ndescription: >\n  Fill forms.\n  Use for PDFs.\nversion: 3\nmetadata: {author: ada}\n---\n# PDF\n"

// TestSkills proves that skills are read with what they are for, and who has which.
func TestSkills(t *testing.T) {
	cfg, err := withSkills(t, "skills: skills\n"+two+"    skills: [data-*]\n", map[string]string{
		"pdf/SKILL.md": pdf, "data-csv/SKILL.md": "\ufeff---\r\nname: data-csv\r\ndescription: Tables.\r\n---\r\nbody", "README.md": "these are mine", ".git/config": "x",
	})
	require.Empty(t, err)
	csv := agents.Skill{Name: "data-csv", Description: "Tables."}
	require.Equal(t, []agents.Skill{csv, {Name: "pdf", Description: "Fill forms. Use for PDFs."}}, cfg.Roster.Skills("nikki"))
	require.Equal(t, []agents.Skill{csv}, cfg.Roster.Skills("sasha"))

	shipped, bad := config.Load(config.Sources{File: "../../docs/errand.example.yaml", Env: func(name string) string { return map[string]string{"OPENAI_API_KEY": "k"}[name] }})
	require.NoError(t, bad)
	require.Empty(t, shipped.Skills.List)
	text, bad := os.ReadFile("../../docs/skills/csv-summary/SKILL.md")
	require.NoError(t, bad)
	cfg, err = withSkills(t, "skills: skills\n", map[string]string{"csv-summary/SKILL.md": string(text)})
	require.Empty(t, err, "the example is one")
	require.Len(t, cfg.Roster.Skills("finn"), 1)
}

// TestRefusedSkills proves that what is wrong with a skill is said with file and line.
func TestRefusedSkills(t *testing.T) {
	const use = "skills: skills\n"
	long := strings.Repeat("x", 1025)
	for _, test := range []struct{ name, yaml, file, text, want string }{
		{"no folder", use, "", "", "errand.yaml:1: skills: skills: no such file or directory"},
		{"none in it", use, "README.md", "x", "errand.yaml:1: skills: skills has no folder with a SKILL.md"},
		{"no SKILL.md", use, "pdf/skill.txt", "x", "errand.yaml:1: skills: the folder pdf has no SKILL.md: write one, or move the folder away"},
		{"no front matter", use, "pdf/SKILL.md", "# PDF\n", "skills/pdf/SKILL.md:1: want front matter: a line ---, then name: pdf and description: …, then a line ---"},
		{"without end", use, "pdf/SKILL.md", "---\nname: pdf\n", "skills/pdf/SKILL.md:1: want front matter"},
		{"empty", use, "pdf/SKILL.md", "---\n---\n", "skills/pdf/SKILL.md:1: the front matter is empty"},
		{"not YAML", use, "pdf/SKILL.md", "---\nname: pdf\ndescription: a: b\n---\n", "skills/pdf/SKILL.md:3: not YAML: mapping values are not allowed in this context"},
		{"a list", use, "pdf/SKILL.md", "---\n- name\n---\n", "skills/pdf/SKILL.md:2: want settings"},
		{"no name", use, "pdf/SKILL.md", "---\ndescription: x\n---\n", "skills/pdf/SKILL.md:2: name: is missing: write pdf, the name of the folder"},
		{"no description", use, "pdf/SKILL.md", "---\nname: pdf\n---\n", "skills/pdf/SKILL.md:2: description: is missing"},
		{"another name", use, "pdf/SKILL.md", "---\ndescription: x\nname: pdfs\n---\n", `skills/pdf/SKILL.md:3: name: "pdfs" must be the name of the folder, pdf`},
		{"bad name", use, "Pdf--x/SKILL.md", "---\nname: Pdf--x\ndescription: x\n---\n", `skills/Pdf--x/SKILL.md:2: name: "Pdf--x": want small letters`},
		{"long", use, "pdf/SKILL.md", "---\nname: pdf\ndescription: " + long + "\n---\n", "skills/pdf/SKILL.md:3: description: has 1025 characters; the maximum is 1024"},
		{"huge", use, "pdf/SKILL.md", "---\nname: pdf\n---\n" + strings.Repeat("x", 256_000), "skills/pdf/SKILL.md: pdf/SKILL.md has 256018 bytes; at most 256000 are read"},
		{"not UTF-8", use, "pdf/SKILL.md", "---\nname: \xff\n---\n", "skills/pdf/SKILL.md: is not UTF-8 text"},
		{"unknown", use + two + "    skills: [pdff]\n", "pdf/SKILL.md", pdf, `errand.yaml:9: agent "sasha": unknown skill "pdff" (did you mean "pdf"?)`},
		{"twice", use + two + "    skills: [pdf, pdf]\n", "pdf/SKILL.md", pdf, `errand.yaml:9: agent "sasha": skill "pdf" is listed twice`},
		{"unreadable", use + two + "    skills: [pdf]\n    tools: [call_agent]\n", "pdf/SKILL.md", pdf, `errand.yaml:9: agent "sasha": has skills but cannot read them: add read_skill to its tools`},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{}
			if test.file != "" {
				files[test.file] = test.text
			}
			_, err := withSkills(t, test.yaml, files)
			require.Contains(t, err, test.want)
		})
	}
}

// TestSkillElsewhere proves that a link out of the folder is no skill.
func TestSkillElsewhere(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"elsewhere/pdf", "skills"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "elsewhere/pdf/SKILL.md"), []byte(pdf), 0o644))
	require.NoError(t, os.Symlink("../elsewhere/pdf", filepath.Join(dir, "skills/pdf")))
	file := filepath.Join(dir, "errand.yaml")
	require.NoError(t, os.WriteFile(file, []byte("skills: skills\n"), 0o644))
	_, err := config.Load(config.Sources{File: file, Env: func(string) string { return "" }})
	require.ErrorContains(t, err, "leads out of the folder")
}
