package store

import (
	"context"
	"fmt"
	"unicode/utf8"

	"errand"
	"errand/internal/content"
)

// How much of a tool's result stands in the transcript, in characters: of one that is
// longer than maxResult, that much of its beginning and its end.
const (
	maxResult  = 20_000
	resultHead = 16_000
	resultTail = 3_000
)

// shorten is what the transcript has of a tool's result. The whole of one that is too
// long is an artifact of the session, or of the tree of tasks, that the call belongs to.
func (t *tx) shorten(key errand.CallKey, tool, text string) (string, error) {
	if !tooLong(text) {
		return text, nil
	}
	var one int
	done, err := t.Value(&one, `SELECT 1 FROM messages WHERE owner = ? AND turn = ? AND step = ? AND idx = ?`, key.Owner, key.Turn, key.Step, key.Index)
	if err != nil || done {
		return "", err // it is dropped
	}
	c := Call{Key: key}
	if err := c.fillOrigin(t); err != nil {
		return "", err
	}
	return t.cutOut(c.leaves(tool), key.Index, tool, text, c.Nonce)
}

// tooLong reports whether a text is longer than what a transcript has of one.
func tooLong(text string) bool {
	return len(text) > maxResult && utf8.RuneCountInString(text) > maxResult
}

// cutOut is what a transcript has of a text that is too long, marked with its nonce. The
// whole of it is an artifact with a name.
func (t *tx) cutOut(of Artifact, index int, name, text string, n errand.Nonce) (string, error) {
	typ := content.TypeOf([]byte(text))
	if !content.IsText(typ) {
		typ = "text/plain"
	}
	whole := errand.Unmarked(text) // people read the file
	id, err := t.insertArtifact(of, 0, index, NewArtifact{Name: content.Name(name, typ), Type: typ, Data: []byte(whole)})
	if err != nil {
		return "", err
	}
	head, tail := firstRunes(text, resultHead), lastRunes(text, resultTail)
	from := len(errand.Unmarked(head))
	return head + "\n" + n.Mark(fmt.Sprintf("%d of %d bytes are left out here; the whole result is the file %s: read on with read_artifact from offset %d",
		len(whole)-from-len(errand.Unmarked(tail)), len(whole), id, from)) + "\n" + tail, nil
}

// leaves is whose an artifact is that a tool leaves: the session's, or that of the tree of
// tasks which the call belongs to.
func (c *Call) leaves(tool string) Artifact {
	of := Artifact{Key: c.Origin.SessionKey, Session: c.Session, Person: c.Person, Tool: tool}
	if of.Session == "" {
		of.Root = c.Origin.Root
	}
	return of
}

// KeepArtifact keeps a file that is in the result of a call. A call that runs again keeps
// it again. It fails with ErrClosed after the turn has ended.
func (s *Store) KeepArtifact(ctx context.Context, c Call, a NewArtifact) (id errand.ArtifactID, err error) {
	err = s.writeOwner(ctx, c.Key.Owner, func(t *tx) error {
		turn, found, err := turnOf(t, c.Key.Owner, c.Key.Turn)
		if err != nil {
			return err
		}
		if !found || !turn.Open {
			return fmt.Errorf("turn %d of %s: %w", c.Key.Turn, c.Key.Owner, ErrClosed)
		}
		id, err = t.insertArtifact(c.leaves(c.Call.Name), 0, c.Key.Index, a)
		return err
	})
	return id, err
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

func lastRunes(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}
