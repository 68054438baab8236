package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"errand"
	"errand/internal/store/sqldb"
)

// A NewArtifact is something that came with a message, as it is to be kept:
// whoever makes one has checked its name, and found out its type.
type NewArtifact struct {
	Name  string
	Type  string // MIME, by its content
	Voice bool   // spoken for this message: what was said is its text
	Data  []byte
}

// An Artifact is something that a person sent besides text, and goes with the session
// that took the message; or it is the result of a tool that was too long for a model, or a
// file that a remote agent made, and goes with the session or the tree of tasks that the call
// or the task belongs to.
type Artifact struct {
	ID      errand.ArtifactID `json:"id"`
	Key     errand.SessionKey `json:"-"`                    // of the conversation it was sent in
	Session errand.SessionID  `json:"session_id,omitempty"` // empty: no turn has taken the message
	Person  errand.PersonID   `json:"person" description:"who sent it; of a tool's result, for whom it ran"`
	Tool    string            `json:"tool,omitempty" description:"the tool or remote agent whose result it is; a person sent it where there is none"`
	Root    string            `json:"-"` // of a tool's result that belongs to no session: that of the call's origin
	Name    string            `json:"name"`
	Type    string            `json:"type"`
	Size    int64             `json:"size" description:"bytes"`
	SHA256  string            `json:"sha256"`
	Voice   bool              `json:"voice,omitempty"`
	Created time.Time         `json:"created"`
}

// Within reports whether an artifact is of the conversation, or of the tree of tasks
// without one, that o is the origin in: of all agents at work there, and of no others.
func (a Artifact) Within(o errand.Origin) bool {
	if a.Root != "" {
		return a.Root == o.Root
	}
	return a.Key != "" && a.Key == o.SessionKey
}

type artifactRow struct {
	ID         string
	SessionKey string
	Session    string
	Person     string
	Tool       string
	Root       string
	Voice      bool
	Name       string
	Type       string
	Size       int64
	Sha256     string
	Created    int64
}

const artifactColumns = `id, session_key, session, person, tool, root, voice, name, type, size, sha256, created`

func (r artifactRow) artifact() Artifact {
	return Artifact{
		ID: errand.ArtifactID(r.ID), Key: errand.SessionKey(r.SessionKey), Session: errand.SessionID(r.Session), Person: errand.PersonID(r.Person),
		Tool: r.Tool, Root: r.Root, Name: r.Name, Type: r.Type, Size: r.Size, SHA256: r.Sha256, Voice: r.Voice, Created: at(r.Created),
	}
}

func artifactsWhere(q sqldb.Querier, where string, args ...any) ([]Artifact, error) {
	var rows []artifactRow
	if err := q.All(&rows, `SELECT `+artifactColumns+` FROM artifacts WHERE `+where, args...); err != nil {
		return nil, err
	}
	list := make([]Artifact, len(rows))
	for i, r := range rows {
		list[i] = r.artifact()
	}
	return list, nil
}

// Artifact returns what an artifact is, without its data, or ErrNotFound.
func (s *Store) Artifact(ctx context.Context, id errand.ArtifactID) (Artifact, error) {
	list, err := artifactsWhere(s.read(ctx), `id = ?`, id)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("artifact %s: %w", id, ErrNotFound)
	}
	if err != nil {
		return Artifact{}, err
	}
	return list[0], nil
}

// ArtifactData returns the bytes of an artifact, or ErrNotFound.
func (s *Store) ArtifactData(ctx context.Context, id errand.ArtifactID) ([]byte, error) {
	var data []byte
	found, err := s.read(ctx).Value(&data, `SELECT data FROM artifacts WHERE id = ?`, id)
	if err == nil && !found {
		err = fmt.Errorf("artifact %s: %w", id, ErrNotFound)
	}
	return data, err
}

// ArtifactPart returns at most n bytes of an artifact from an offset on, or
// ErrNotFound.
func (s *Store) ArtifactPart(ctx context.Context, id errand.ArtifactID, offset int64, n int) ([]byte, error) {
	var data []byte
	found, err := s.read(ctx).Value(&data, `SELECT substr(data, ?, ?) FROM artifacts WHERE id = ?`, offset+1, n, id)
	if err == nil && !found {
		err = fmt.Errorf("artifact %s: %w", id, ErrNotFound)
	}
	return data, err
}

// Artifacts returns what was sent in a session and what tools left there, the oldest
// first.
func (s *Store) Artifacts(ctx context.Context, id errand.SessionID) ([]Artifact, error) {
	return artifactsWhere(s.read(ctx), `session = ? AND session <> '' ORDER BY created, inbox, idx, id`, id)
}

func (t *tx) attach(row int64, key errand.SessionKey, m InboxMessage) ([]errand.AttachedFile, error) {
	if err := t.bookFiles(m); err != nil {
		return nil, err
	}
	var files []errand.AttachedFile
	for i, a := range m.Attached {
		id, err := t.insertArtifact(Artifact{Key: key, Person: m.Person}, row, i, a)
		if err != nil {
			return nil, err
		}
		files = append(files, errand.AttachedFile{ID: id, Name: a.Name, Type: a.Type, Size: int64(len(a.Data))})
	}
	return files, nil
}

func (t *tx) attached(row int64) ([]errand.AttachedFile, error) {
	list, err := artifactsWhere(t, `inbox = ? ORDER BY idx, id`, row)
	if err != nil {
		return nil, err
	}
	files := make([]errand.AttachedFile, len(list))
	for i, a := range list {
		files[i] = errand.AttachedFile{ID: a.ID, Name: a.Name, Type: a.Type, Size: a.Size}
	}
	return files, nil
}

var errDrawn = errors.New("no free id was drawn for an artifact")

// insertArtifact keeps a, which came with the message of a row of the inbox or, if row
// is 0, from a tool. of says whose it is.
func (t *tx) insertArtifact(of Artifact, row int64, index int, a NewArtifact) (errand.ArtifactID, error) {
	sum := sha256.Sum256(a.Data)
	data := a.Data
	if data == nil {
		data = []byte{} // nil would be NULL
	}
	for range 10 {
		id := errand.NewArtifactID()
		n, err := t.Exec(`INSERT INTO artifacts (id, inbox, idx, session_key, session, person, tool, root, voice, name, type, size, sha256, created, data)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
			id, row, index, of.Key, of.Session, of.Person, of.Tool, of.Root, a.Voice, a.Name, a.Type, len(data), hex.EncodeToString(sum[:]), t.now, data)
		if err != nil || n == 1 {
			return id, err
		}
	}
	return "", errDrawn
}

// replaceAttached gives the attachments of a row that an edit replaces to the
// edit, unless that brings its own: an edit of the words leaves the rest.
func (t *tx) replaceAttached(old, edit int64) error {
	var one int
	own, err := t.Value(&one, `SELECT 1 FROM artifacts WHERE inbox = ? LIMIT 1`, edit)
	if err != nil {
		return err
	}
	if own {
		_, err = t.Exec(`DELETE FROM artifacts WHERE inbox = ?`, old)
		return err
	}
	n, err := t.Exec(`UPDATE artifacts SET inbox = ? WHERE inbox = ?`, edit, old)
	if err != nil || n == 0 {
		return err
	}
	_, err = t.Exec(`UPDATE inbox SET hearing = (SELECT CASE WHEN hearing = 'unheard' THEN hearing ELSE '' END FROM inbox WHERE id = ?) WHERE id = ?`, old, edit)
	return err
}
