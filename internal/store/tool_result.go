package store

import (
	"context"
	"fmt"
	"unicode/utf8"

	"errand/internal/content"
	"errand/internal/core"
)

// In characters. Of a result longer than maxResult, the transcript has only the beginning and
// the end.
const (
	maxResult  = 20_000
	resultHead = 16_000
	resultTail = 3_000
)

// shorten stores a long result as an artifact of the session or the tree of tasks, and returns
// its beginning and end.
func (t *tx) shorten(key core.CallKey, tool, text string) (string, error) {
	if !tooLong(text) {
		return text, nil
	}
	var one int
	done, err := t.Value(&one, `SELECT 1 FROM messages WHERE owner = ? AND turn = ? AND step = ? AND idx = ?`, key.Owner, key.Turn, key.Step, key.Index)
	if err != nil || done {
		return "", err // CommitTool drops a second result
	}
	c := Call{Key: key}
	if err := c.fillOrigin(t); err != nil {
		return "", err
	}
	return t.cutOut(c.leaves(tool), key.Index, tool, text, c.Nonce)
}

func tooLong(text string) bool {
	return len(text) > maxResult && utf8.RuneCountInString(text) > maxResult
}

func (t *tx) cutOut(of core.Artifact, index int, name, text string, n core.Nonce) (string, error) {
	typ := content.TypeOf([]byte(text))
	if !content.IsText(typ) {
		typ = "text/plain"
	}
	whole := core.Unmarked(text) // the file is for people
	id, err := t.insertArtifact(of, 0, index, NewArtifact{Name: content.Name(name, typ), Type: typ, Data: []byte(whole)})
	if err != nil {
		return "", err
	}
	head, tail := firstRunes(text, resultHead), lastRunes(text, resultTail)
	from := len(core.Unmarked(head))
	return head + "\n" + n.Mark(fmt.Sprintf("%d of %d bytes are left out here. The whole result is the file %s: continue with read_artifact from offset %d",
		len(whole)-from-len(core.Unmarked(tail)), len(whole), id, from)) + "\n" + tail, nil
}

func (c *Call) leaves(tool string) core.Artifact {
	of := core.Artifact{Key: c.Origin.SessionKey, Session: c.Session, Person: c.Person, Tool: tool}
	if of.Session == "" {
		of.Root = c.Origin.Root
	}
	return of
}

// KeepArtifact stores a file that belongs to the result of a call. A call that runs twice
// stores its file twice. It fails with ErrClosed after the turn has ended.
func (s *Store) KeepArtifact(ctx context.Context, c Call, a NewArtifact) (id core.ArtifactID, err error) {
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
