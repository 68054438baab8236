package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// A NewArtifact is stored with a message. The caller has checked Name and detected Type.
type NewArtifact struct {
	Name  string
	Type  string // MIME, detected from the content
	Voice bool   // a voice note; its transcript becomes the message's text
	Data  []byte
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

func (r artifactRow) artifact() core.Artifact {
	return core.Artifact{
		ID: core.ArtifactID(r.ID), Key: core.SessionKey(r.SessionKey), Session: core.SessionID(r.Session), Person: core.PersonID(r.Person),
		Tool: r.Tool, Root: r.Root, Name: r.Name, Type: r.Type, Size: r.Size, SHA256: r.Sha256, Voice: r.Voice, Created: at(r.Created),
	}
}

func artifactsWhere(q sqldb.Querier, where string, args ...any) ([]core.Artifact, error) {
	var rows []artifactRow
	if err := q.All(&rows, `SELECT `+artifactColumns+` FROM artifacts WHERE `+where, args...); err != nil {
		return nil, err
	}
	list := make([]core.Artifact, len(rows))
	for i, r := range rows {
		list[i] = r.artifact()
	}
	return list, nil
}

// Artifact returns an artifact without its data, or ErrNotFound.
func (s *Store) Artifact(ctx context.Context, id core.ArtifactID) (core.Artifact, error) {
	list, err := artifactsWhere(s.read(ctx), `id = ?`, id)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("artifact %s: %w", id, ErrNotFound)
	}
	if err != nil {
		return core.Artifact{}, err
	}
	return list[0], nil
}

// ArtifactData returns the bytes of an artifact, or ErrNotFound.
func (s *Store) ArtifactData(ctx context.Context, id core.ArtifactID) ([]byte, error) {
	var data []byte
	found, err := s.read(ctx).Value(&data, `SELECT data FROM artifacts WHERE id = ?`, id)
	if err == nil && !found {
		err = fmt.Errorf("artifact %s: %w", id, ErrNotFound)
	}
	return data, err
}

// ArtifactPart returns at most n bytes of an artifact, starting at offset, or ErrNotFound.
func (s *Store) ArtifactPart(ctx context.Context, id core.ArtifactID, offset int64, n int) ([]byte, error) {
	var data []byte
	found, err := s.read(ctx).Value(&data, `SELECT substr(data, ?, ?) FROM artifacts WHERE id = ?`, offset+1, n, id)
	if err == nil && !found {
		err = fmt.Errorf("artifact %s: %w", id, ErrNotFound)
	}
	return data, err
}

// Artifacts returns the files that people sent in a session and that tools left there, oldest
// first.
func (s *Store) Artifacts(ctx context.Context, id core.SessionID) ([]core.Artifact, error) {
	return artifactsWhere(s.read(ctx), `session = ? AND session <> '' ORDER BY created, inbox, idx, id`, id)
}

// SentFiles returns at most limit files that people sent in the sessions of a conversation, the
// latest first.
func (s *Store) SentFiles(ctx context.Context, key core.SessionKey, limit int) ([]core.Artifact, error) {
	return artifactsWhere(s.read(ctx), `session IN (SELECT id FROM sessions WHERE key = ?) AND tool = '' ORDER BY created DESC, inbox DESC, idx, id LIMIT ?`, key, limit)
}

func (t *tx) attach(row int64, key core.SessionKey, m InboxMessage) ([]core.AttachedFile, error) {
	if err := t.bookFiles(m); err != nil {
		return nil, err
	}
	var files []core.AttachedFile
	for i, a := range m.Attached {
		id, err := t.insertArtifact(core.Artifact{Key: key, Person: m.Person}, row, i, a)
		if err != nil {
			return nil, err
		}
		files = append(files, core.AttachedFile{ID: id, Name: a.Name, Type: a.Type, Size: int64(len(a.Data))})
	}
	return files, nil
}

func (t *tx) attached(row int64) ([]core.AttachedFile, error) {
	list, err := artifactsWhere(t, `inbox = ? ORDER BY idx, id`, row)
	if err != nil {
		return nil, err
	}
	files := make([]core.AttachedFile, len(list))
	for i, a := range list {
		files[i] = core.AttachedFile{ID: a.ID, Name: a.Name, Type: a.Type, Size: a.Size}
	}
	return files, nil
}

var errDrawn = errors.New("no free id was drawn for an artifact")

// insertArtifact stores a. row is 0 if a came from a tool.
func (t *tx) insertArtifact(of core.Artifact, row int64, index int, a NewArtifact) (core.ArtifactID, error) {
	sum := sha256.Sum256(a.Data)
	data := a.Data
	if data == nil {
		data = []byte{} // nil would be NULL
	}
	for range 10 {
		id := core.NewArtifactID()
		n, err := t.Exec(`INSERT INTO artifacts (id, inbox, idx, session_key, session, person, tool, root, voice, name, type, size, sha256, created, data)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
			id, row, index, of.Key, of.Session, of.Person, of.Tool, of.Root, a.Voice, a.Name, a.Type, len(data), hex.EncodeToString(sum[:]), t.now, data)
		if err != nil || n == 1 {
			return id, err
		}
	}
	return "", errDrawn
}

// replaceAttached moves the attachments of an edited row to its edit, unless the edit has its own.
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
