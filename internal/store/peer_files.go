package store

import (
	"fmt"
	"strings"

	"errand/internal/content"
	"errand/internal/core"
)

// withPeerFiles stores the files of a peer's result as artifacts of o's session, or of its tree
// of tasks if there is no session. It returns the result with a line per file: its id, or why
// it was not stored.
func (t *tx) withPeerFiles(o core.Origin, agent core.AgentName, told core.PeerTask) (string, error) {
	var lines []string
	if told.Text != "" {
		lines = append(lines, told.Text)
	}
	of := core.Artifact{Key: o.SessionKey, Session: o.Session, Person: o.Person, Tool: string(agent)}
	if of.Session == "" {
		of.Root = o.Root
	}
	for i, f := range told.Files {
		name := content.Line(f.Name)
		if f.Fault != "" {
			lines = append(lines, fmt.Sprintf("(a file that was not kept: %s: %s)", name, content.Line(f.Fault)))
			continue
		}
		id, err := t.insertArtifact(of, 0, i, NewArtifact{Name: f.Name, Type: f.Type, Data: f.Data})
		if err != nil {
			return "", err
		}
		lines = append(lines, fmt.Sprintf("[file %s: %s, %s, %s]", id, name, content.Line(f.Type), content.Size(int64(len(f.Data)))))
	}
	return strings.Join(lines, "\n"), nil
}
