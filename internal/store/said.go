package store

import (
	"cmp"
	"context"
	"slices"

	"errand"
	"errand/internal/store/sqldb"
)

const maxBeside = 50

// Said returns the last n messages that people and agents have written in the conversation of
// a session, oldest first, and how many there are: those of its transcript, the requests of
// people to other agents, and what agents have answered by themselves. errand's own words are
// not among them. If others read the conversation (open), neither are answers in another chat.
func (s *Store) Said(ctx context.Context, key errand.SessionKey, session errand.SessionID, open bool, n int) ([]errand.Message, int, error) {
	q := s.read(ctx)
	var of int
	if _, err := q.Value(&of, `SELECT COUNT(*) FROM messages WHERE own = '' AND owner = ? AND `+readByPeople, session); err != nil {
		return nil, 0, err
	}
	messages, err := shownWhere(q, `own = '' AND owner = ? AND `+readByPeople+` ORDER BY turn DESC, step DESC, idx DESC LIMIT ?`, session, max(n, 1))
	if err != nil {
		return nil, 0, err
	}
	slices.Reverse(messages)
	beside, err := saidBeside(q, key, session, open)
	if err != nil {
		return nil, 0, err
	}
	messages, of = append(messages, beside...), of+len(beside)
	slices.SortStableFunc(messages, func(a, b errand.Message) int { return a.Created.Compare(b.Created) })
	return messages[max(0, len(messages)-n):], of, nil
}

// saidBeside is what was said by tasks: what people have asked with /team, once for all the
// agents they have asked, and the answers.
func saidBeside(q sqldb.Querier, key errand.SessionKey, session errand.SessionID, open bool) ([]errand.Message, error) {
	source := key
	if open {
		source = ""
	}
	tasks, err := tasksWhere(q, `(session_key = ? OR source = ? AND source <> '') AND depth <= 1 AND (request <> '' OR way = 'notification')
		AND created >= (SELECT created FROM sessions WHERE id = ?) ORDER BY created DESC, id LIMIT ?`, key, source, session, maxBeside)
	var said []errand.Message
	asked := map[string]bool{}
	for _, t := range slices.Backward(tasks) {
		if b := t.Briefing; b != nil && t.Origin.Direct && !asked[b.By+"\x00"+t.Text] {
			asked[b.By+"\x00"+t.Text] = true
			text := t.Text
			if key.Shared() {
				text = speakerLine(cmp.Or(oneLineName(b.By), "The person"), text)
			}
			said = append(said, errand.Message{Speaker: errand.FromPerson, Text: text, Created: t.Created})
		}
		if t.State == errand.Completed && t.Way == errand.WayNotification && t.Result != "" {
			said = append(said, errand.Message{Speaker: errand.FromAgent, Agent: t.Agents[0], Text: errand.Unmarked(t.Result), Created: t.Finished})
		}
	}
	return said, err
}
