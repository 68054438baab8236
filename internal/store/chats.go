package store

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"errand"
	"errand/internal/store/sqldb"
)

// A Chat is a conversation as a person finds it in the list of theirs: all the sessions
// that followed each other on one route.
type Chat struct {
	Session  errand.SessionID `json:"session_id" description:"the one that is not over; what changes the chat names it by this"`
	Route    errand.Route     `json:"route"`
	Agent    errand.AgentName `json:"agent"`
	Title    string           `json:"title" description:"its name, or what a model has called it, or the first words that are left of it; empty where there are none"`
	Named    bool             `json:"named" description:"the person has named it"`
	Pinned   bool             `json:"pinned"`
	Archived bool             `json:"archived"`
	Active   time.Time        `json:"active" description:"last turn or message"`
	// Unread counts what agents have said behind what the person has seen, and is 0 where
	// nobody has told what was seen.
	Unread int `json:"unread" description:"what agents have said since the person has seen the chat on the page, at most 99; 0 for chats that the page has not shown"`
	// News is the latest of it that came by itself; its ID is 0 where there is none.
	News News `json:"news,omitzero" description:"the latest of it that is no answer: a late result, a reminder or a question"`
}

// News is something that came by itself.
type News struct {
	ID   int64            `json:"id"`
	Type errand.EventType `json:"type"`
}

const mostUnread = 99

const longestTitle = 60 // characters

type chatRow struct {
	ID, Channel, Account, Chat, Thread, Agent, Name, Titled, Said string
	Pinned, Archived                                              bool
	Active                                                        int64
	Unread                                                        int
	News                                                          int64
	NewsType                                                      string
}

const firstWords = `COALESCE((SELECT e.text FROM events e WHERE e.session_key = s.key AND e.type = 'message' AND e.text <> '' ORDER BY e.id LIMIT 1), '')`

// unseen are the events of a chat that its person has not seen and that agents have said.
const unseen = `FROM events e WHERE e.session_key = s.key AND e.id > c.seen AND e.type IN `

// listed leaves out the chats of single requests, see [errand.UnnamedChats], in which nothing came
// late and which the person has not opened.
const listed = `(s.channel <> '` + errand.ChannelWeb + `' OR s.chat NOT LIKE '` + errand.UnnamedChats + `%' OR c.session_key IS NOT NULL
	OR EXISTS (SELECT 1 FROM events e WHERE e.session_key = s.key AND e.type = 'late'))`

// Chats returns the chats of a person, those that were pinned first and then the last
// active; 200 by default.
func (s *Store) Chats(ctx context.Context, person errand.PersonID, p Page) ([]Chat, error) {
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
		COALESCE((SELECT e.type `+unseen+`('late', 'question') ORDER BY e.id DESC LIMIT 1), '') AS news_type
		FROM sessions s LEFT JOIN chats c ON c.session_key = s.key LEFT JOIN chat_titles m ON m.session_key = s.key
		WHERE s.person = ? AND s.state <> 'ended' AND `+listed+` AND `+behind+chatOrder.by()+" LIMIT ?", append(append([]any{mostUnread, harmless(string(person))}, values...), orDefault(p.Limit, 200))...)
	if err != nil {
		return nil, err
	}
	list := make([]Chat, len(rows))
	for i, r := range rows {
		list[i] = r.view()
	}
	return list, nil
}

func (r chatRow) view() Chat {
	c := Chat{
		Session: errand.SessionID(r.ID), Route: errand.Route{Channel: r.Channel, Account: r.Account, Chat: r.Chat, Thread: r.Thread},
		Agent: errand.AgentName(r.Agent), Title: r.Name, Named: r.Name != "", Pinned: r.Pinned, Archived: r.Archived, Active: at(r.Active),
		Unread: r.Unread, News: News{r.News, errand.EventType(r.NewsType)},
	}
	if !c.Named {
		c.Title = cmp.Or(r.Titled, titleOf(r.Said))
	}
	return c
}

// titleOf makes a title of the first words that somebody said: one line, cut between words.
func titleOf(said string) string {
	line := strings.Join(strings.Fields(errand.Cut(errand.Unmarked(said), 10*longestTitle)), " ")
	cut := errand.Cut(line, longestTitle)
	if cut == line {
		return line
	}
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		return cut[:i] + "…"
	}
	return cut
}

// ChatTitles returns what the chats of some sessions are called; those in which nobody has
// said anything, and those that are gone, are left out. So are those that several share: their
// first words may be somebody else's.
func (s *Store) ChatTitles(ctx context.Context, sessions []errand.SessionID) (map[errand.SessionID]string, error) {
	titles := map[errand.SessionID]string{}
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
		WHERE s.id IN (`+sqldb.Placeholders(len(args))+`) AND s.person <> ?`, append(args, errand.Everyone)...)
	for _, r := range rows {
		if title := r.view().Title; title != "" {
			titles[errand.SessionID(r.ID)] = title
		}
	}
	return titles, err
}

// A ChatChange is what a person does with a chat in their list; nil stays as it is.
type ChatChange struct {
	Name     *string // "": its title, or its first words, again
	Pinned   *bool
	Archived *bool
	Seen     *int64 // id of an event; what was seen stays seen
}

// ChangeChat changes a chat of person in the list of theirs. It is the one of a session,
// whichever of those that it has had; ErrNotFound where person has none with that id.
func (s *Store) ChangeChat(ctx context.Context, person errand.PersonID, id errand.SessionID, to ChatChange) error {
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

// dropChat forgets what was done with the chat of a session that goes as its last one, and
// the title that may be made of the words of any.
func (t *tx) dropChat(id errand.SessionID) error {
	if _, err := t.Exec(`DELETE FROM chat_titles WHERE session_key = (SELECT key FROM sessions WHERE id = ?)`, id); err != nil {
		return err
	}
	_, err := t.Exec(`DELETE FROM chats WHERE session_key = (SELECT key FROM sessions WHERE id = ?)
		AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.key = chats.session_key AND s.id <> ?)`, id, id)
	return err
}
