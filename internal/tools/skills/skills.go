// Package skills is the tools with which agents read skills: instructions for kinds of
// work, in folders of the operator.
package skills

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"errand/internal/agents"
	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/tools"
)

// Limits of one call.
const (
	maxRead   = 1_000_000  // bytes of a file
	maxCopied = 20_000_000 // bytes of all files
	maxFiles  = 500
)

// CopySkill is the name of the tool that copies a skill into the workspace.
const CopySkill = "copy_skill"

// A Workspace keeps the files of a conversation. [*store.Store] implements it.
type Workspace interface {
	ChangeFiles(context.Context, core.CallKey, []store.FileChange) ([]store.FileResult, error)
}

// Options configure the tools.
type Options struct {
	Folder    agents.SkillFolder                  // has one folder per skill
	Of        func(core.AgentName) []agents.Skill // returns the skills of an agent
	Workspace Workspace
}

// Tools returns the tools. They are offered only to agents with skills.
func Tools(o Options) []tools.Tool {
	s := skills{o}
	has := func(name core.AgentName) bool { return len(o.Of(name)) > 0 }
	return []tools.Tool{{
		Name:        agents.ReadSkill,
		Description: "Read a skill: instructions for a kind of work, and the list of its files. With file, read one of the files.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {
			"name": {"type": "string", "description": "name of the skill"},
			"file": {"type": "string", "description": "one of its files, such as references/forms.md; default: the instructions"}}, "required": ["name"]}`),
		Effect: tools.ReadOnly, Doing: "doing.skill", For: has, Run: s.read,
	}, {
		Name:        CopySkill,
		Description: "Copy the files of a skill into the workspace under skills/NAME/, where you can run and change them. Files of the same names are replaced.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {
			"name": {"type": "string", "description": "name of the skill"},
			"file": {"type": "string", "description": "only this file or folder of the skill"}}, "required": ["name"]}`),
		Effect: tools.Idempotent, Doing: "doing.skill", For: has, Run: s.copy,
	}}
}

type skills struct{ Options }

type args struct{ Name, File string }

// find returns errors that the model can read.
func (s skills) find(call store.Call, raw json.RawMessage) (in args, at agents.SkillFolder, err error) {
	in, err = tools.Parse[args](raw)
	if err != nil {
		return in, at, err
	}
	var names []string
	for _, skill := range s.Of(call.Agent) {
		if skill.Name == in.Name {
			at, err = s.Folder.In(in.Name)
			return in, at, err
		}
		names = append(names, skill.Name)
	}
	return in, at, fmt.Errorf("there is no skill %q for you: there are %s", core.Cut(content.Line(in.Name), 80), strings.Join(names, ", "))
}

func (s skills) read(_ context.Context, call store.Call, raw json.RawMessage) (string, error) {
	in, at, err := s.find(call, raw)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	if in.File != "" && in.File != agents.SkillFile {
		text, err := read(at, in.File)
		if err != nil {
			return problem(in, err), nil
		}
		return text, nil
	}
	text, err := read(at, agents.SkillFile)
	if err != nil {
		return problem(in, err), nil
	}
	_, body, _ := agents.CutFrontMatter([]byte(text))
	var b strings.Builder
	b.WriteString(strings.TrimSpace(string(body)) + "\n")
	n := 0
	err = at.Walk("", func(e agents.SkillFolderFile) bool {
		if e.Path == agents.SkillFile {
			return true
		}
		if n++; n > maxFiles {
			return false
		}
		if n == 1 {
			b.WriteString("\nFiles of this skill:\n")
		}
		fmt.Fprintf(&b, "%s  %s\n", e.Path, content.Size(e.Size))
		return true
	})
	if err != nil {
		return problem(in, err), nil
	}
	if n > maxFiles {
		b.WriteString("(and more)\n")
	}
	return b.String(), nil
}

func read(at agents.SkillFolder, name string) (string, error) {
	data, err := at.Read(name, maxRead)
	if err != nil {
		return "", err
	}
	if typ := content.TypeOf(data); len(data) > 0 && !content.IsText(typ) || !utf8.Valid(data) {
		return "", fmt.Errorf("%s is %s, %s: only text can be read. %s brings it into the workspace", name, typ, content.Size(int64(len(data))), CopySkill)
	}
	return string(data), nil
}

func (s skills) copy(ctx context.Context, call store.Call, raw json.RawMessage) (string, error) {
	in, at, err := s.find(call, raw)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	changes, err := files(at, in)
	if err != nil {
		return problem(in, err), nil
	}
	done, err := s.Workspace.ChangeFiles(ctx, call.Key, changes)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, f := range done {
		if f.Refused != "" {
			fmt.Fprintf(&b, "error: %s is not copied: %s\n", f.Path, f.Refused)
			continue
		}
		fmt.Fprintf(&b, "%s  version %d  %s\n", f.Path, f.Version, content.Size(f.Size))
	}
	return b.String(), nil
}

func files(at agents.SkillFolder, in args) (changes []store.FileChange, err error) {
	left := int64(maxCopied)
	var failed error
	err = at.Walk(in.File, func(e agents.SkillFolderFile) bool {
		if len(changes) == maxFiles {
			failed = fmt.Errorf("there are more than %d files: name a folder of it", maxFiles)
			return false
		}
		if e.Size > left {
			failed = fmt.Errorf("the files have more than %s: name those that you need", content.Size(maxCopied))
			return false
		}
		data, err := at.Read(e.Path, left)
		if err != nil {
			failed = err
			return false
		}
		changes = append(changes, store.FileChange{Path: "skills/" + in.Name + "/" + e.Path, Base: store.Overwrite, Content: data})
		left -= int64(len(data))
		return true
	})
	if err == nil {
		err = failed
	}
	if err == nil && len(changes) == 0 {
		err = errors.New("there is no file")
	}
	return changes, err
}

func problem(in args, err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("error: the skill %s has no file %q: read_skill says which it has", in.Name, core.Cut(content.Line(in.File), 100))
	}
	return "error: " + err.Error()
}
