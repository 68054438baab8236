package store

import (
	"context"
	"regexp"
	"strings"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// A ShownPicture is an artifact as models get it, the same in every prompt.
type ShownPicture struct {
	Artifact      core.ArtifactID
	Type          string // MIME
	Width, Height int
	Fault         string // why it cannot be shown; then the following fields are empty
	Data          []byte
}

// A PromptPicture is a picture that is attached to a message of a transcript, or named in it.
type PromptPicture struct {
	Message  int // its index in the transcript
	Artifact core.ArtifactID
	Type     string // MIME, of the original
	LeftOut  bool   // there are many newer ones: the prompt mentions it only
	Tokens   int    // the most tokens that showing it costs
}

// If a transcript has too many pictures, the earliest are left out, in blocks, so that the
// beginning of the prompt stays the same for the caches of providers. Pictures of the latest
// message are always shown.
const (
	maxPictures   = 20
	picturesBlock = 10
)

func leftOut(n int) int {
	if n <= maxPictures {
		return 0
	}
	return (n - maxPictures + picturesBlock - 1) / picturesBlock * picturesBlock
}

var attachedPicture = regexp.MustCompile(`^attached: .*, image/[^,\]]+, [^,\]]+, (a-[0-9a-z]{8})$`)

var namedArtifact = regexp.MustCompile(`\ba-[0-9a-z]{8}\b`)

func (b *stepBegin) readPictures() error {
	list := picturesOf(b.out)
	if len(list) == 0 {
		return nil
	}
	ids := make([]core.ArtifactID, len(list))
	for i, p := range list {
		ids[i] = p.Artifact
	}
	var rows []struct {
		artifactRow
		Pixels int
	}
	in, args := among(ids)
	err := b.All(&rows, `SELECT id, session_key, root, type,
		COALESCE((SELECT width * height FROM pictures WHERE artifact = artifacts.id), -1) AS pixels
		FROM artifacts WHERE id`+in, args...)
	if err != nil {
		return err
	}
	here := core.Origin{SessionKey: b.out.SessionKey, Root: b.out.Root}
	found := map[core.ArtifactID]PromptPicture{}
	for _, row := range rows {
		if a := row.artifact(); strings.HasPrefix(a.Type, "image/") && a.Within(here) {
			p := PromptPicture{Artifact: a.ID, Type: a.Type, Tokens: core.MaxPictureTokens}
			if row.Pixels >= 0 { // the shown picture exists
				p.Tokens = core.PictureTokens(row.Pixels)
			}
			found[a.ID] = p
		}
	}
	for _, p := range list {
		if of, ok := found[p.Artifact]; ok {
			of.Message = p.Message
			b.out.Pictures = append(b.out.Pictures, of)
		}
	}
	for i := range leftOut(len(b.out.Pictures)) {
		b.out.Pictures[i].LeftOut = true
	}
	return nil
}

// picturesOf returns candidates: an id may not be a picture, or not an artifact of the
// conversation.
func picturesOf(b *StepInput) []PromptPicture {
	var list []PromptPicture
	seen := map[string]bool{} // an edit repeats the pictures of its message
	for i, m := range b.Transcript {
		var ids []string
		switch {
		case m.Speaker != core.FromPerson:
		case b.Task == nil:
			ids = attachedTo(b.Nonce, m.Text)
		case m.Turn == 1 && m.Step == 0:
			ids = namedArtifact.FindAllString(m.Text, maxNamed)
		}
		for _, id := range ids {
			if !seen[id] {
				list = append(list, PromptPicture{Message: i, Artifact: core.ArtifactID(id)})
			}
			seen[id] = true
		}
	}
	return list
}

const maxNamed = 20

func attachedTo(nonce core.Nonce, text string) []string {
	var ids []string
	for _, line := range nonce.Marks(text) {
		if m := attachedPicture.FindStringSubmatch(line); m != nil {
			ids = append(ids, m[1])
		}
	}
	return ids
}

// among fills up its placeholders to blocks, so that few variants of a statement are prepared
// and kept.
func among(ids []core.ArtifactID) (condition string, args []any) {
	const block = 20
	args = make([]any, (len(ids)+block-1)/block*block)
	for i := range args {
		args[i] = ""
		if i < len(ids) {
			args[i] = ids[i]
		}
	}
	return ` IN (` + sqldb.Placeholders(len(args)) + `)`, args
}

// ShownPictures returns artifacts as models get them. It leaves out artifacts that are not
// converted yet.
func (s *Store) ShownPictures(ctx context.Context, ids []core.ArtifactID) (map[core.ArtifactID]ShownPicture, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []ShownPicture
	in, args := among(ids)
	if err := s.read(ctx).All(&rows, `SELECT artifact, type, width, height, fault, data FROM pictures WHERE artifact`+in, args...); err != nil {
		return nil, err
	}
	shown := make(map[core.ArtifactID]ShownPicture, len(rows))
	for _, p := range rows {
		shown[p.Artifact] = p
	}
	return shown, nil
}

// ShownPicture returns an artifact as models get it, or ErrNotFound if it is not converted yet.
func (s *Store) ShownPicture(ctx context.Context, id core.ArtifactID) (ShownPicture, error) {
	shown, err := s.ShownPictures(ctx, []core.ArtifactID{id})
	p, ok := shown[id]
	if err == nil && !ok {
		err = ErrNotFound
	}
	return p, err
}

// KeepPicture stores a converted picture and returns the stored one: another worker may have
// been faster. If the artifact was deleted, it stores nothing and returns ErrNotFound.
func (s *Store) KeepPicture(ctx context.Context, p ShownPicture) (ShownPicture, error) {
	if p.Data == nil {
		p.Data = []byte{} // nil would be NULL
	}
	err := s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`INSERT INTO pictures (artifact, type, width, height, fault, data)
			SELECT id, ?, ?, ?, ?, ? FROM artifacts WHERE id = ? ON CONFLICT (artifact) DO NOTHING`,
			p.Type, p.Width, p.Height, p.Fault, p.Data, p.Artifact)
		return err
	})
	if err != nil {
		return p, err
	}
	return s.ShownPicture(ctx, p.Artifact)
}
