package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"errand"
)

// ErrNoWords refuses a search for nothing.
var ErrNoWords = errors.New("there is no word to search for: give at least one, of letters or digits")

// Bounds of one search, whatever was typed.
const (
	maxSearchWords = 16
	maxSearchWord  = 64 // characters; a longer word is searched by its beginning
	maxHits        = 200
)

// A Hit is a message of a session in which the words were found. Turn, Step and
// Index are its place in the transcript.
type Hit struct {
	Session errand.SessionID `json:"session_id"`
	Person  errand.PersonID  `json:"person"`
	Channel string           `json:"channel"`
	Chat    string           `json:"chat"`
	Turn    int              `json:"turn"`
	Step    int              `json:"step"`
	Index   int              `json:"index"`
	Agent   errand.AgentName `json:"agent,omitempty"` // who answered; empty for what the person wrote
	Speaker errand.Speaker   `json:"speaker"`
	Excerpt string           `json:"excerpt"` // one line around the first word that was found
	Created time.Time        `json:"created"`
}

type hitRow struct {
	Owner   string
	Person  string
	Channel string
	Chat    string
	Turn    int
	Step    int
	Idx     int
	Agent   string
	Speaker string
	Text    string
	Created int64
}

// Search returns messages of person, or of everybody, that have all words of
// text, the newest first. The last word, if it has three letters, may be the
// beginning of one: messages that have it whole come before those. limit 0
// means 20.
//
// Anything may be typed: what is not a letter or digit parts words and means
// nothing else. ErrNoWords if that leaves none.
func (s *Store) Search(ctx context.Context, text string, person errand.PersonID, limit int) ([]Hit, error) {
	words := searchWords(text)
	if len(words) == 0 {
		return nil, ErrNoWords
	}
	f := &search{s: s, words: words, person: person, limit: min(orDefault(limit, 20), maxHits), seen: map[[4]any]bool{}}
	if err := f.run(ctx); err != nil {
		return nil, err
	}
	hits := make([]Hit, len(f.rows))
	for i, r := range f.rows {
		hits[i] = r.hit(words)
	}
	return hits, nil
}

// A search is one call of Search.
type search struct {
	s      *Store
	words  []string
	person errand.PersonID
	limit  int
	rows   []hitRow
	seen   map[[4]any]bool // their places
}

// shortestBeginning is how many letters of a word it takes to search for what
// begins with them: what begins with fewer is nearly everything.
const shortestBeginning = 3

func (f *search) run(ctx context.Context) error {
	all := func(string) bool { return true }
	query, args := f.query(f.words, false)
	if err := f.take(ctx, query, args, f.limit, all); err != nil {
		return err
	}
	last := foldWord(f.words[len(f.words)-1])
	if len(f.rows) == f.limit || utf8.RuneCountInString(last) < shortestBeginning {
		return nil
	}
	if f.s.db.Postgres() {
		query, args = f.query(f.words, true)
		return f.take(ctx, query, args, 2*f.limit, all) // some are there already
	}
	// The index has the first three letters of each word as one of its own. What
	// it finds by them is looked through, the newest first.
	head := append(slices.Clone(f.words[:len(f.words)-1]), string([]rune(last)[:shortestBeginning]))
	query, args = f.query(head, true)
	return f.take(ctx, query, args, maxLookedThrough, func(text string) bool { return begins(text, last) })
}

// maxLookedThrough bounds how many messages are read to find words by more than
// three letters.
const maxLookedThrough = 2000

func (f *search) take(ctx context.Context, query string, args []any, limit int, ok func(text string) bool) error {
	q := f.s.read(ctx)
	rows, err := q.Query(query+" LIMIT ?", append(args, limit)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for len(f.rows) < f.limit && rows.Next() {
		var r hitRow
		if err := q.Scan(rows, &r); err != nil {
			return f.s.db.Explain(err)
		}
		place := [4]any{r.Owner, r.Turn, r.Step, r.Idx}
		if !f.seen[place] && ok(r.Text) {
			f.seen[place] = true
			f.rows = append(f.rows, r)
		}
	}
	return f.s.db.Explain(rows.Err())
}

func (f *search) query(words []string, prefix bool) (string, []any) {
	if f.s.db.Postgres() {
		return f.tsQuery(words, prefix)
	}
	return f.ftsQuery(words, prefix)
}

func (r hitRow) hit(words []string) Hit {
	return Hit{
		Session: errand.SessionID(r.Owner), Person: errand.PersonID(r.Person), Channel: r.Channel, Chat: r.Chat,
		Turn: r.Turn, Step: r.Step, Index: r.Idx, Agent: errand.AgentName(r.Agent), Speaker: errand.Speaker(r.Speaker),
		Excerpt: excerpt(errand.Unmarked(r.Text), words), Created: at(r.Created),
	}
}

const hitColumns = `m.owner, s.person, s.channel, s.chat, m.turn, m.step, m.idx, m.agent, m.speaker, m.text, m.created`

// ftsQuery is the search in SQLite's index, FTS5. Every word is quoted, so that
// none of them is an operator; the index is read from its end, and joined in
// this order.
func (f *search) ftsQuery(words []string, prefix bool) (string, []any) {
	person := f.person
	match := `text : (` + joined(words, prefix, ` AND `, func(w string) string { return `"` + w + `"` }, ` *`) + `)`
	query := `SELECT ` + hitColumns + ` FROM words CROSS JOIN messages m ON m.id = words.rowid CROSS JOIN sessions s ON s.id = m.owner WHERE words MATCH ?`
	args := []any{match}
	if person != "" {
		if id := searchWords(string(person)); len(id) > 0 {
			args[0] = match + ` AND person : "` + strings.Join(id, " ") + `"`
		}
		// The index knows the words of an id, this the id.
		query, args = query+` AND s.person = ?`, append(args, harmless(string(person)))
	}
	return query + ` ORDER BY words.rowid DESC`, args
}

func (f *search) tsQuery(words []string, prefix bool) (string, []any) {
	person := f.person
	match := joined(words, prefix, ` & `, func(w string) string { return w }, `:*`)
	query, args := `SELECT `+hitColumns+` FROM messages m JOIN sessions s ON s.id = m.owner
		WHERE m.speaker IN ('user', 'assistant') AND m.words @@ to_tsquery('simple', ?)`, []any{match}
	if person != "" {
		query, args = query+` AND s.person = ?`, append(args, harmless(string(person)))
	}
	return query + ` ORDER BY m.created DESC, m.turn DESC, m.step DESC, m.idx DESC`, args
}

// joined puts a query together of words. The last one may be the beginning of
// one, and so is one that was cut.
func joined(words []string, prefix bool, and string, quote func(string) string, star string) string {
	parts := make([]string, len(words))
	for i, w := range words {
		parts[i] = quote(w)
		if prefix && i == len(words)-1 || utf8.RuneCountInString(w) == maxSearchWord {
			parts[i] += star
		}
	}
	return strings.Join(parts, and)
}

// searchWords takes the words out of what was typed: runs of letters and
// digits, in lower case.
func searchWords(text string) []string {
	var words []string
	for _, t := range tokens(text) {
		word := []rune(strings.ToLower(text[t.begin:t.end]))
		if len(word) > maxSearchWord {
			word = word[:maxSearchWord]
		}
		if words = append(words, string(word)); len(words) == maxSearchWords {
			break
		}
	}
	return words
}

// A token is where a word is in a text.
type token struct{ begin, end int }

func tokens(text string) []token {
	var list []token
	begin := -1
	for i, r := range text {
		part := r != unicode.ReplacementChar && (unicode.IsLetter(r) || unicode.IsNumber(r) || begin >= 0 && unicode.IsMark(r))
		switch {
		case part && begin < 0:
			begin = i
		case !part && begin >= 0:
			list, begin = append(list, token{begin, i}), -1
		}
	}
	if begin >= 0 {
		list = append(list, token{begin, len(text)})
	}
	return list
}
