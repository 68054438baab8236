package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"errand/internal/core"
)

// ErrNoWords refuses a search without words.
var ErrNoWords = errors.New("there is no word to search for: give at least one, of letters or digits")

const (
	maxSearchWords = 16
	maxSearchWord  = 64 // characters; of a longer word, only the beginning is searched
	maxHits        = 200
)

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

// Search returns messages of person, or of all people, that have all words of text, newest
// first. The last word also matches longer words if it has at least three letters; messages
// with the whole word come first. limit 0 means 20. All characters except letters and digits
// separate words. It fails with ErrNoWords if there are none.
func (s *Store) Search(ctx context.Context, text string, person core.PersonID, limit int) ([]core.SearchHit, error) {
	words := searchWords(text)
	if len(words) == 0 {
		return nil, ErrNoWords
	}
	f := &search{s: s, words: words, person: person, limit: min(orDefault(limit, 20), maxHits), seen: map[[4]any]bool{}}
	if err := f.run(ctx); err != nil {
		return nil, err
	}
	hits := make([]core.SearchHit, len(f.rows))
	for i, r := range f.rows {
		hits[i] = r.hit(words)
	}
	return hits, findEvents(s.read(ctx), hits)
}

type search struct {
	s      *Store
	words  []string
	person core.PersonID
	limit  int
	rows   []hitRow
	seen   map[[4]any]bool // the positions of rows
}

// shortestBeginning is a number of letters. A shorter prefix matches nearly everything.
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
		return f.take(ctx, query, args, 2*f.limit, all) // the first query found some of them
	}
	// The index has the first three letters of each word as an entry. This query reads its
	// matches, newest first, and compares the whole prefix.
	head := append(slices.Clone(f.words[:len(f.words)-1]), string([]rune(last)[:shortestBeginning]))
	query, args = f.query(head, true)
	return f.take(ctx, query, args, maxLookedThrough, func(text string) bool { return begins(text, last) })
}

// maxLookedThrough limits the messages that are read to match a prefix of more than three letters.
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

func (r hitRow) hit(words []string) core.SearchHit {
	return core.SearchHit{
		Session: core.SessionID(r.Owner), Person: core.PersonID(r.Person), Channel: r.Channel, Chat: r.Chat,
		Turn: r.Turn, Step: r.Step, Index: r.Idx, Agent: core.AgentName(r.Agent), Speaker: core.Speaker(r.Speaker),
		Excerpt: excerpt(core.WithoutReportMarks(core.Unmarked(r.Text)), words), Created: at(r.Created),
	}
}

const hitColumns = `m.owner, s.person, s.channel, s.chat, m.turn, m.step, m.idx, m.agent, m.speaker, m.text, m.created`

// ftsQuery quotes every word, so that no word is an operator. The query reads the index from
// its end, and joins in this order.
func (f *search) ftsQuery(words []string, prefix bool) (string, []any) {
	person := f.person
	match := `text : (` + joined(words, prefix, ` AND `, func(w string) string { return `"` + w + `"` }, ` *`) + `)`
	query := `SELECT ` + hitColumns + ` FROM words CROSS JOIN messages m ON m.id = words.rowid CROSS JOIN sessions s ON s.id = m.owner WHERE words MATCH ?`
	args := []any{match}
	if person != "" {
		if id := searchWords(string(person)); len(id) > 0 {
			args[0] = match + ` AND person : "` + strings.Join(id, " ") + `"`
		}
		// The index has the words of an id; this compares the whole id.
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

// joined matches the last word as a prefix if prefix is set, and always a word that was cut.
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
