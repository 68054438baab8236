package store

import (
	"strings"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// findEvents sets the events of hits in web chats: of a person's message its own, and of an agent's
// message the end of its turn.
func findEvents(q sqldb.Querier, hits []core.SearchHit) error {
	answers := map[core.SessionID][]*core.SearchHit{}
	for i := range hits {
		h := &hits[i]
		if h.Channel != core.ChannelWeb {
			continue
		}
		if h.Speaker != core.FromPerson {
			answers[h.Session] = append(answers[h.Session], h)
			continue
		}
		// A message stands in the transcript before the step that took it.
		_, err := q.Value(&h.Event, `SELECT e.id FROM inbox i JOIN events e ON e.session_key = i.session_key AND e.message_id = i.message_id
			WHERE i.owner = ? AND i.turn = ? AND i.turn IS NOT NULL AND i.step = ? AND i.idx = ?
			AND e.message_id <> '' AND e.type = 'message' AND e.cause IN ('', 'taken') ORDER BY e.id DESC LIMIT 1`, h.Session, h.Turn, h.Step+1, h.Index)
		if err != nil {
			return err
		}
	}
	for session, of := range answers {
		args := []any{session}
		for _, h := range of {
			args = append(args, h.Turn)
		}
		var rows []struct {
			Turn int
			ID   int64
		}
		err := q.All(&rows, `SELECT turn, MAX(id) AS id FROM events WHERE session = ? AND session <> '' AND task = ''
			AND type IN ('reply', 'question', 'late', 'error', 'partial') AND turn IN (?`+strings.Repeat(", ?", len(of)-1)+`) GROUP BY turn`, args...)
		if err != nil {
			return err
		}
		ends := map[int]int64{}
		for _, r := range rows {
			ends[r.Turn] = r.ID
		}
		for _, h := range of {
			h.Event = ends[h.Turn]
		}
	}
	return nil
}
