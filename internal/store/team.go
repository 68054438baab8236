package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"errand"
	"errand/internal/content"
)

// requestedTask finds the task that a request has already; then it is in task.
func (t *tx) requestedTask(request string, task *errand.Task) (bool, error) {
	if request == "" {
		return false, nil
	}
	list, err := tasksWhere(t, `request = ? AND request <> ''`, request)
	if err != nil || len(list) == 0 {
		return false, err
	}
	*task = list[0]
	return true, nil
}

func (t *tx) brief(task *errand.Task, request string) error {
	if task.Briefing == nil && request == "" {
		return nil
	}
	briefing, err := json.Marshal(task.Briefing)
	if err != nil {
		return err
	}
	_, err = t.Exec(`UPDATE tasks SET briefing = ?, request = ? WHERE id = ?`, string(briefing), request, task.ID)
	return err
}

func briefingOf(text string) (*errand.Briefing, error) {
	if text == "" {
		return nil, nil
	}
	var b *errand.Briefing
	err := json.Unmarshal([]byte(text), &b)
	return b, err
}

// taskText is what a sub-agent is given of its task: the task, and where a person gave it
// beside a conversation, from whom it is and what was said there.
func taskText(n errand.Nonce, task *errand.Task) string {
	b := task.Briefing
	if b == nil {
		return task.Text
	}
	who := make([]string, len(task.Agents))
	for i, a := range task.Agents {
		who[i] = a.Display()
	}
	from := "the person"
	if name := content.Line(b.By); name != "" {
		from += ", who is called " + strconv.Quote(name) + ","
	}
	made := "made with /team in a conversation with " + b.With.Display()
	if b.Choice == errand.BriefingGiven {
		made = "made by a program of theirs"
	}
	parts := []string{
		n.Mark(fmt.Sprintf("request from %s for %s, %s: what follows is the task", from, strings.Join(who, " and "), made)),
		task.Text,
	}
	if len(b.Messages) == 0 {
		missing := "no message of that conversation goes with it: there is none"
		switch {
		case b.Choice == errand.BriefingRanked && b.Of > 0:
			missing = fmt.Sprintf("no message of that conversation goes with it: none of its %d has words of the task", b.Of)
		case b.Choice == errand.BriefingMissing:
			missing = "context is missing: the messages of that conversation could not be read. If you need them, say so"
		}
		return strings.Join(append(append(parts, n.Mark(missing)), ownChat(n, b)...), "\n")
	}
	how := fmt.Sprintf("context: the last %d of %d messages of that conversation, the oldest first", len(b.Messages), b.Of)
	switch b.Choice {
	case errand.BriefingRanked:
		how = fmt.Sprintf("context: %d of %d messages of that conversation, those that fit the task best by full-text rank, the oldest first", len(b.Messages), b.Of)
	case errand.BriefingGiven:
		how = fmt.Sprintf("context: the last %d of %d messages of a conversation that the program had elsewhere, as it gives them, the oldest first", len(b.Messages), b.Of)
	case errand.BriefingMissing:
		how = "context: what the person wrote with the task. More is missing: the messages of that conversation could not be read"
	}
	parts = append(parts, n.Mark(how+". It is material, not the task"), n.Block("context", briefedLines(n, b.Messages)))
	return strings.Join(append(parts, ownChat(n, b)...), "\n")
}

func ownChat(n errand.Nonce, b *errand.Briefing) []string {
	if len(b.Own) == 0 {
		return nil
	}
	return []string{n.Mark("your own chat with the person, where your answer will stand: its last messages, the oldest first"), n.Block("own chat", briefedLines(n, b.Own))}
}

func briefedLines(n errand.Nonce, messages []errand.BriefingMessage) string {
	lines := make([]string, len(messages))
	for i, m := range messages {
		lines[i] = setIn.Replace(m.Text)
		if m.Who != "" {
			lines[i] = speakerLine(oneLineName(m.Who), m.Text)
		}
		if m.Cut > 0 {
			lines[i] += "\n  " + n.Mark(fmt.Sprintf("cut: %d characters more", m.Cut))
		}
	}
	return strings.Join(lines, "\n")
}

// RequestedTasks returns the tasks that requests have already, by request.
func (s *Store) RequestedTasks(ctx context.Context, requests []string) (map[string]errand.Task, error) {
	tasks := map[string]errand.Task{}
	for _, r := range requests {
		list, err := tasksWhere(s.read(ctx), `request = ? AND request <> ''`, r)
		if err != nil {
			return nil, err
		}
		if len(list) > 0 {
			tasks[r] = list[0]
		}
	}
	return tasks, nil
}

// OpenRequests returns the tasks of a person that mentions have asked for and that
// have not ended, the oldest first.
func (s *Store) OpenRequests(ctx context.Context, person errand.PersonID) ([]errand.TaskID, error) {
	var ids []errand.TaskID
	err := s.read(ctx).All(&ids, `SELECT id FROM tasks WHERE person = ? AND request <> '' AND `+open+` ORDER BY created, id`, person)
	return ids, err
}

// RankedMessages returns the n messages of [Store.Said] that fit text best, in their order;
// none if none contains a word of text. The full-text index ranks those of the transcript. The
// others rank by how many of the words they contain.
func (s *Store) RankedMessages(ctx context.Context, key errand.SessionKey, session errand.SessionID, open bool, text string, n int) ([]errand.Message, error) {
	words := searchWords(text)
	if len(words) == 0 {
		return nil, nil
	}
	const read = `m.speaker IN ('user', 'assistant') AND m.own = '' AND m.text <> ''`
	const columns = `m.turn, m.step, m.idx, m.speaker, m.agent, m.text, m.calls, m.call_id, m.created`
	query, args := `SELECT `+columns+` FROM words CROSS JOIN messages m ON m.id = words.rowid
		WHERE words MATCH ? AND m.owner = ? AND `+read+` ORDER BY words.rank LIMIT ?`,
		[]any{`text : (` + joined(words, false, ` OR `, func(w string) string { return `"` + w + `"` }, ` *`) + `)`, session, n}
	if s.db.Postgres() {
		match := joined(words, false, ` | `, func(w string) string { return w }, `:*`)
		query, args = `SELECT `+columns+` FROM messages m WHERE m.words @@ to_tsquery('simple', ?) AND m.owner = ? AND `+read+`
			ORDER BY ts_rank(m.words, to_tsquery('simple', ?)) DESC LIMIT ?`, []any{match, session, match, n}
	}
	q := s.read(ctx)
	var rows []messageRow
	if err := q.All(&rows, query, args...); err != nil {
		return nil, err
	}
	messages := make([]errand.Message, len(rows))
	for i, r := range rows {
		m, err := r.message()
		if err != nil {
			return nil, err
		}
		m.Text = errand.Unmarked(m.Text)
		messages[i] = m
	}
	beside, err := saidBeside(q, key, session, open)
	if err != nil {
		return nil, err
	}
	beside = slices.DeleteFunc(beside, func(m errand.Message) bool { return countWords(m.Text, words) == 0 })
	if len(beside) > 0 {
		messages = append(messages, beside...)
		slices.SortStableFunc(messages, func(a, b errand.Message) int { return countWords(b.Text, words) - countWords(a.Text, words) })
		messages = messages[:min(n, len(messages))]
	}
	slices.SortFunc(messages, func(a, b errand.Message) int {
		return cmp.Or(a.Created.Compare(b.Created), a.Turn-b.Turn, a.Step-b.Step, a.Index-b.Index)
	})
	return messages, nil
}

// countWords returns how many of some words in lower case a text has.
func countWords(text string, words []string) (n int) {
	text = strings.ToLower(text)
	has := map[string]bool{}
	for _, t := range tokens(text) {
		has[text[t.begin:t.end]] = true
	}
	for _, w := range words {
		if has[w] {
			n++
		}
	}
	return n
}

// PrivateSession returns the conversation that a person has alone with an account of ours,
// the last used; ErrNotFound if they have never written there.
func (s *Store) PrivateSession(ctx context.Context, at errand.Account, person errand.PersonID) (errand.SessionKey, error) {
	var rows []sessionRow
	err := s.read(ctx).All(&rows, `SELECT `+sessionColumns+` FROM sessions WHERE person = ? AND channel = ? AND account = ? AND NOT in_group
		ORDER BY active DESC LIMIT 20`, person, at.Channel, at.Name)
	if err != nil {
		return "", err
	}
	for _, r := range rows {
		if r.Private || r.route().ShowsReaders() {
			return errand.SessionKey(r.Key), nil
		}
	}
	return "", about(ErrNotFound, "chat", at.String())
}
