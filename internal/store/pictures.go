package store

import (
	"context"
	"regexp"
	"strings"

	"errand"
	"errand/internal/store/sqldb"
)

// A ShownPicture is an artifact as a model is shown it. It is made once, so that it is
// the same in every prompt, and deleted with the artifact.
type ShownPicture struct {
	Artifact      errand.ArtifactID
	Type          string // MIME
	Width, Height int
	Fault         string // why it cannot be shown; the rest is empty then
	Data          []byte
}

// A PromptPicture is a picture that a message of a transcript came with, or names.
type PromptPicture struct {
	Message  int // its index in the transcript
	Artifact errand.ArtifactID
	Type     string // MIME, of what was sent
	LeftOut  bool   // there are many newer ones: it is told of and not shown
	Tokens   int    // at most, of a model that is shown it
}

// Bounds of the pictures of a prompt. Of those that a transcript has, the earliest are
// left out once there are too many: a block at a time, so that the prompt keeps its
// beginning in between, and providers what they have of it in their caches. What a
// single message brings is never left out while it is the latest.
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

// readPictures finds the pictures of the transcript, in order: those that are there, and
// are of the step's conversation.
func (b *stepBegin) readPictures() error {
	list := picturesOf(b.out)
	if len(list) == 0 {
		return nil
	}
	ids := make([]errand.ArtifactID, len(list))
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
	here := errand.Origin{SessionKey: b.out.SessionKey, Root: b.out.Root}
	found := map[errand.ArtifactID]PromptPicture{}
	for _, row := range rows {
		if a := row.artifact(); strings.HasPrefix(a.Type, "image/") && a.Within(here) {
			p := PromptPicture{Artifact: a.ID, Type: a.Type, Tokens: errand.MaxPictureTokens}
			if row.Pixels >= 0 { // it has been made
				p.Tokens = errand.PictureTokens(row.Pixels)
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

// picturesOf are what the messages of people came with, or, in a sub-agent's transcript,
// the artifacts that its task names: they need not be pictures, nor of its conversation.
func picturesOf(b *StepInput) []PromptPicture {
	var list []PromptPicture
	seen := map[string]bool{} // what an edit says again is there already
	for i, m := range b.Transcript {
		var ids []string
		switch {
		case m.Speaker != errand.FromPerson:
		case b.Task == nil:
			ids = attachedTo(b.Nonce, m.Text)
		case m.Turn == 1 && m.Step == 0:
			ids = namedArtifact.FindAllString(m.Text, maxNamed)
		}
		for _, id := range ids {
			if !seen[id] {
				list = append(list, PromptPicture{Message: i, Artifact: errand.ArtifactID(id)})
			}
			seen[id] = true
		}
	}
	return list
}

const maxNamed = 20

func attachedTo(nonce errand.Nonce, text string) []string {
	var ids []string
	for _, line := range nonce.Marks(text) {
		if m := attachedPicture.FindStringSubmatch(line); m != nil {
			ids = append(ids, m[1])
		}
	}
	return ids
}

// among is the condition that an id is one of ids, and what it takes. There are few
// variants of it, for statements are kept: the rest of a block is none.
func among(ids []errand.ArtifactID) (condition string, args []any) {
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

// ShownPictures returns artifacts as models are shown them, without those that nobody has
// made yet.
func (s *Store) ShownPictures(ctx context.Context, ids []errand.ArtifactID) (map[errand.ArtifactID]ShownPicture, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []ShownPicture
	in, args := among(ids)
	if err := s.read(ctx).All(&rows, `SELECT artifact, type, width, height, fault, data FROM pictures WHERE artifact`+in, args...); err != nil {
		return nil, err
	}
	shown := make(map[errand.ArtifactID]ShownPicture, len(rows))
	for _, p := range rows {
		shown[p.Artifact] = p
	}
	return shown, nil
}

// ShownPicture returns an artifact as models are shown it, or ErrNotFound: nobody has
// made that yet.
func (s *Store) ShownPicture(ctx context.Context, id errand.ArtifactID) (ShownPicture, error) {
	shown, err := s.ShownPictures(ctx, []errand.ArtifactID{id})
	p, ok := shown[id]
	if err == nil && !ok {
		err = ErrNotFound
	}
	return p, err
}

// KeepPicture keeps how an artifact is shown, and returns what is kept: another worker
// may have been faster. It keeps nothing of an artifact that is not there any more.
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
