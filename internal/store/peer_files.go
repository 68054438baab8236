package store

import (
	"fmt"
	"strings"

	"errand"
	"errand/internal/content"
)

// withPeerFiles keeps the files of a peer's result as artifacts of what o is the origin of: the
// session's, or those of the tree of tasks where there is none. It returns the words of the
// result with a line for each file: its id, or why it was not kept.
func (t *tx) withPeerFiles(o errand.Origin, agent errand.AgentName, told errand.PeerTask) (string, error) {
	var lines []string
	if told.Text != "" {
		lines = append(lines, told.Text)
	}
	of := Artifact{Key: o.SessionKey, Session: o.Session, Person: o.Person, Tool: string(agent)}
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
