package store

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

const mostUnread = 99

const longestTitle = 60 // characters

type chatRow struct {
	ID, Channel, Account, Chat, Thread, Agent, Name, Titled, Said string
	Pinned, Archived, Working                                     bool
	Active                                                        int64
	Unread                                                        int
	News                                                          int64
	NewsType                                                      string
}

const firstWords = `COALESCE((SELECT e.text FROM events e WHERE e.session_key = s.key AND e.type = 'message' AND e.text <> '' ORDER BY e.id LIMIT 1), '')`

const unseen = `FROM events e WHERE e.session_key = s.key AND e.id > c.seen AND e.type IN `

// atWork compares the person too, because of the index tasks_person_state.
const atWork = `EXISTS (SELECT 1 FROM tasks t WHERE t.session_key = s.key AND t.person = s.person AND t.state IN ('submitted', 'working'))`

// listed leaves out chats of single requests (see [core.UnnamedChats]) that have no late result
// and that the person has not opened.
const listed = `(s.channel <> '` + core.ChannelWeb + `' OR s.chat NOT LIKE '` + core.UnnamedChats + `%' OR c.session_key IS NOT NULL
	OR EXISTS (SELECT 1 FROM events e WHERE e.session_key = s.key AND e.type = 'late'))`

// Chats returns the chats of a person: pinned chats first, then the most recently active. The
// default limit is 200.
func (s *Store) Chats(ctx context.Context, person core.PersonID, p Page) ([]core.Chat, error) {
	behind, values, err := chatOrder.behind(p.After)
	if err != nil {
		return nil, err
	}
	var rows []chatRow
	err = s.read(ctx).All(&rows, `SELECT s.id, s.channel, s.account, s.chat, s.thread, s.agent, COALESCE(c.name, '') AS name, COALESCE(m.title, '') AS titled,
		`+firstWords+` AS said,
		COALESCE(c.pinned, FALSE) AS pinned, COALESCE(c.archived, FALSE) AS archived, s.active,
		(SELECT COUNT(*) FROM (SELECT 1 `+unseen+`('reply', 'question', 'late', 'error', 'file') LIMIT ?) AS unseen) AS unread,
		COALESCE((SELECT e.id `+unseen+`('late', 'question') ORDER BY e.id DESC LIMIT 1), 0) AS news,
		COALESCE((SELECT e.type `+unseen+`('late', 'question') ORDER BY e.id DESC LIMIT 1), '') AS news_type,
		`+atWork+` AS working
		FROM sessions s LEFT JOIN chats c ON c.session_key = s.key LEFT JOIN chat_titles m ON m.session_key = s.key
		WHERE s.person = ? AND s.state <> 'ended' AND `+listed+` AND `+behind+chatOrder.by()+" LIMIT ?", append(append([]any{mostUnread, harmless(string(person))}, values...), orDefault(p.Limit, 200))...)
	if err != nil {
		return nil, err
	}
	list := make([]core.Chat, len(rows))
	for i, r := range rows {
		list[i] = r.view()
	}
	return list, nil
}

func (r chatRow) view() core.Chat {
	c := core.Chat{
		Session: core.SessionID(r.ID), Route: core.Route{Channel: r.Channel, Account: r.Account, Chat: r.Chat, Thread: r.Thread},
		Agent: core.AgentName(r.Agent), Title: r.Name, Named: r.Name != "", Pinned: r.Pinned, Archived: r.Archived, Active: at(r.Active), Working: r.Working,
		Unread: r.Unread, News: core.News{ID: r.News, Type: core.EventType(r.NewsType)},
	}
	if !c.Named {
		c.Title = cmp.Or(r.Titled, titleOf(r.Said))
	}
	return c
}

func titleOf(said string) string {
	line := strings.Join(strings.Fields(core.Cut(core.Unmarked(said), 10*longestTitle)), " ")
	cut := core.Cut(line, longestTitle)
	if cut == line {
		return line
	}
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		return cut[:i] + "…"
	}
	return cut
}

// ChatTitles returns the titles of the chats of some sessions. It leaves out chats without a
// message, deleted chats, and shared chats, because their first words may come from another person.
func (s *Store) ChatTitles(ctx context.Context, sessions []core.SessionID) (map[core.SessionID]string, error) {
	titles := map[core.SessionID]string{}
	if len(sessions) == 0 {
		return titles, nil
	}
	args := make([]any, len(sessions))
	for i, id := range sessions {
		args[i] = harmless(string(id))
	}
	var rows []chatRow
	err := s.read(ctx).All(&rows, `SELECT s.id, COALESCE(c.name, '') AS name, COALESCE(m.title, '') AS titled,
		`+firstWords+` AS said
		FROM sessions s LEFT JOIN chats c ON c.session_key = s.key LEFT JOIN chat_titles m ON m.session_key = s.key
		WHERE s.id IN (`+sqldb.Placeholders(len(args))+`) AND s.person <> ?`, append(args, core.Everyone)...)
	for _, r := range rows {
		if title := r.view().Title; title != "" {
			titles[core.SessionID(r.ID)] = title
		}
	}
	return titles, err
}

// ChangeChat changes a chat in the person's list. id may be any session that the chat has had.
// It fails with ErrNotFound if the person has no session with that id.
func (s *Store) ChangeChat(ctx context.Context, person core.PersonID, id core.SessionID, to core.ChatChange) error {
	return s.write(ctx, "", func(t *tx) error {
		var key string
		found, err := t.Value(&key, `SELECT key FROM sessions WHERE id = ? AND person = ?`, id, person)
		if err == nil && !found {
			err = fmt.Errorf("chat of session %s: %w", id, ErrNotFound)
		}
		if err != nil {
			return err
		}
		if _, err := t.Exec(`INSERT INTO chats (session_key, person) VALUES (?, ?) ON CONFLICT (session_key) DO NOTHING`, key, person); err != nil {
			return err
		}
		if to.Name != nil {
			if _, err := t.Exec(`UPDATE chats SET name = ? WHERE session_key = ?`, *to.Name, key); err != nil {
				return err
			}
		}
		if to.Pinned != nil {
			if _, err := t.Exec(`UPDATE chats SET pinned = ? WHERE session_key = ?`, *to.Pinned, key); err != nil {
				return err
			}
		}
		if to.Archived != nil {
			if _, err := t.Exec(`UPDATE chats SET archived = ? WHERE session_key = ?`, *to.Archived, key); err != nil {
				return err
			}
		}
		if to.Seen != nil {
			if _, err := t.Exec(`UPDATE chats SET seen = ? WHERE session_key = ? AND seen < ?`, *to.Seen, key, *to.Seen); err != nil {
				return err
			}
		}
		return nil
	})
}

// dropChat deletes the title of a deleted session's chat, because it may quote deleted
// messages. If this was the chat's last session, it deletes the chat's settings too.
func (t *tx) dropChat(id core.SessionID) error {
	if _, err := t.Exec(`DELETE FROM chat_titles WHERE session_key = (SELECT key FROM sessions WHERE id = ?)`, id); err != nil {
		return err
	}
	_, err := t.Exec(`DELETE FROM chats WHERE session_key = (SELECT key FROM sessions WHERE id = ?)
		AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.key = chats.session_key AND s.id <> ?)`, id, id)
	return err
}
