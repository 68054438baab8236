package store

import (
	"cmp"
	"context"
	"slices"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

const maxBeside = 50

// Said returns the last n messages that people and agents wrote in a session's conversation,
// oldest first, and the total number. It counts the transcript, people's requests to other
// agents, and results that agents delivered outside turns, but not errand's own messages. If
// other people read the conversation (open), it leaves out answers in other chats.
func (s *Store) Said(ctx context.Context, key core.SessionKey, session core.SessionID, open bool, n int) ([]core.Message, int, error) {
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
	slices.SortStableFunc(messages, func(a, b core.Message) int { return a.Created.Compare(b.Created) })
	return messages[max(0, len(messages)-n):], of, nil
}

// saidBeside returns a /team request once, even if it went to several agents.
func saidBeside(q sqldb.Querier, key core.SessionKey, session core.SessionID, open bool) ([]core.Message, error) {
	source := key
	if open {
		source = ""
	}
	tasks, err := tasksWhere(q, `(session_key = ? OR source = ? AND source <> '') AND depth <= 1 AND (request <> '' OR way = 'notification')
		AND created >= (SELECT created FROM sessions WHERE id = ?) ORDER BY created DESC, id LIMIT ?`, key, source, session, maxBeside)
	var said []core.Message
	asked := map[string]bool{}
	for _, t := range slices.Backward(tasks) {
		if b := t.Briefing; b != nil && t.Origin.Direct && !asked[b.By+"\x00"+t.Text] {
			asked[b.By+"\x00"+t.Text] = true
			text := t.Text
			if key.Shared() {
				text = speakerLine(cmp.Or(oneLineName(b.By), "The user"), text)
			}
			said = append(said, core.Message{Speaker: core.FromPerson, Text: text, Created: t.Created})
		}
		if t.State == core.Completed && t.Way == core.WayNotification && t.Result != "" {
			said = append(said, core.Message{Speaker: core.FromAgent, Agent: t.Agents[0], Text: core.Unmarked(t.Result), Created: t.Finished})
		}
	}
	return said, err
}
