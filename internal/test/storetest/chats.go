package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var chatList = map[string]func(*testing.T, Opener){
	"chats of all channels are listed by their first words, the last active first": func(t *testing.T, open Opener) {
		s, clock := opened(t, open)
		first := chatOn(t, s, core.WebRoute("first"))
		first.write("Which night trains\n go <b>to</b> Oslo, " + strings.Repeat("and how long do they take ", 5))
		clock.tick(time.Minute)
		second := chatOn(t, s, core.Route{Channel: "telegram", Account: "news", Chat: "4711"})
		second.write("good evening")
		clock.tick(time.Minute)
		chatOn(t, s, core.WebRoute("empty"))
		_, err := s.Rehydrate(t.Context(), core.NewSessionKey(core.WebRoute("hers"), "bob"), "nikki")
		require.NoError(t, err)
		clock.tick(time.Minute)
		first.write("second words")
		first.commit(reply(first.begin(1, 1), "two"))
		require.Equal(t, []string{
			`web/first "Which night trains go <b>to</b> Oslo, and how long do they…"`, `web/empty ""`, `telegram/4711 "good evening"`,
		}, chatsOfAda(t, s))

		// What follows a session is the same chat, and has the same first words.
		_, err = s.EndSession(t.Context(), first.key, first.session, "reset", "nikki")
		require.NoError(t, err)
		require.Len(t, chatsOfAda(t, s), 3)
		require.Contains(t, chatsOfAda(t, s)[0], "Which night trains")
	},
	"a chat of one request is listed once something came late, or its person has opened it": func(t *testing.T, open Opener) {
		s, _ := opened(t, open)
		chatOn(t, s, core.WebRoute("v1-named")).write("hello")
		unnamed := chatOn(t, s, core.WebRoute(core.UnnamedChats+"1"))
		unnamed.write("what is new?")
		require.Equal(t, []string{`web/v1-named "hello"`}, chatsOfAda(t, s))
		unnamed.lates(1)
		require.Len(t, chatsOfAda(t, s), 2)

		opened := chatOn(t, s, core.WebRoute(core.UnnamedChats+"2"))
		opened.write("and now?")
		require.Len(t, chatsOfAda(t, s), 2)
		seen := int64(1)
		require.NoError(t, s.ChangeChat(t.Context(), "ada", opened.session, core.ChatChange{Seen: &seen}))
		require.Len(t, chatsOfAda(t, s), 3)
	},
	"a chat is named, pinned and archived, by whose it is": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("hello")
		other := chatOn(t, c.s, core.WebRoute("other"))
		change := func(to core.ChatChange) {
			t.Helper()
			require.NoError(t, c.s.ChangeChat(c.ctx, "ada", c.session, to))
		}
		name, none, yes, no := `Trains '; DROP TABLE chats; --`, "", true, false
		change(core.ChatChange{Name: &name, Pinned: &yes})
		require.Equal(t, []string{`web/main "Trains '; DROP TABLE chats; --" named pinned`, `web/other ""`}, chatsOfAda(t, c.s))
		_, err := c.s.EndSession(c.ctx, c.key, c.session, "reset", "nikki")
		require.NoError(t, err)
		titles, err := c.s.ChatTitles(c.ctx, []core.SessionID{c.session, other.session, "none"})
		require.NoError(t, err)
		require.Equal(t, map[core.SessionID]string{c.session: name}, titles, "also of a session that is over; nobody has said anything in the other")
		change(core.ChatChange{Archived: &yes, Pinned: &no}) // by a session that is over
		require.Contains(t, chatsOfAda(t, c.s), `web/main "Trains '; DROP TABLE chats; --" named archived`)
		change(core.ChatChange{Name: &none, Archived: &no})
		require.Contains(t, chatsOfAda(t, c.s), `web/main "hello"`)

		require.ErrorIs(t, c.s.ChangeChat(c.ctx, "bob", other.session, core.ChatChange{Name: &name}), store.ErrNotFound)
		require.ErrorIs(t, c.s.ChangeChat(c.ctx, "ada", "none", core.ChatChange{Name: &name}), store.ErrNotFound)
	},
	"what was said since a chat was seen is counted, and whether a task is at work": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("find trains")
		task := c.delegate(1, store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "find trains"})
		require.Equal(t, []string{`web/main "find trains" working`}, chatsOfAda(t, c.s), "the page has not shown it")
		seen := func(id int64) {
			t.Helper()
			require.NoError(t, c.s.ChangeChat(c.ctx, "ada", c.session, core.ChatChange{Seen: &id}))
		}
		all := c.events()
		seen(all[len(all)-1].ID)
		require.Equal(t, []string{`web/main "find trains" working`}, chatsOfAda(t, c.s))

		c.work(task, "two trains")
		c.write("and now?")
		c.commit(reply(c.begin(2, 1), "they are at nine"))
		require.Equal(t, []string{`web/main "find trains" 1 unread`}, chatsOfAda(t, c.s), "of what agents have said, and not of tasks or one's own")
		seen(1)
		require.Equal(t, []string{`web/main "find trains" 1 unread`}, chatsOfAda(t, c.s), "what was seen stays seen")
		for turn := 3; turn < 110; turn++ {
			c.write("more")
			c.commit(reply(c.begin(turn, 1), "yes"))
		}
		require.Equal(t, []string{`web/main "find trains" 99 unread`}, chatsOfAda(t, c.s))
		all = c.events()
		seen(all[len(all)-1].ID)
		require.Equal(t, []string{`web/main "find trains"`}, chatsOfAda(t, c.s))
	},
	"a chat gets a title of its first words, until those go": func(t *testing.T, open Opener) {
		s, clock := opened(t, open)
		c := chatOn(t, s, telegram)
		untitled := func() []store.UntitledChat {
			t.Helper()
			list, err := s.UntitledChats(t.Context(), 10)
			require.NoError(t, err)
			return list
		}
		m := c.with("which night trains go to Oslo?")
		c.accept(m)
		require.Empty(t, untitled(), "it has no answer")
		c.commit(reply(c.begin(1, 1), "two do"))
		group := group(t, s, "-7")
		group.writeAs("bob", "which trains do we take?")
		group.commit(reply(group.begin(1, 1), "the first"))
		list := untitled() // of a chat that several share nobody has a list
		require.Equal(t, []store.UntitledChat{{Session: c.session, Key: c.key, Person: "ada", Agent: "nikki", Asked: "which night trains go to Oslo?", Answered: "two do"}}, list)

		before, err := s.Spent(t.Context(), store.SpentBy{Person: "ada"})
		require.NoError(t, err)
		paid := []core.Usage{{Model: "small", InputTokens: 90, OutputTokens: 10, Cost: 0.001}}
		require.NoError(t, s.BeginTitle(t.Context(), list[0], store.Amount{Calls: 1, Tokens: 200}))
		require.NoError(t, s.EndTitle(t.Context(), list[0], "Night trains to Oslo", paid))
		require.Empty(t, untitled())
		titles, err := s.ChatTitles(t.Context(), []core.SessionID{c.session, group.session})
		require.NoError(t, err)
		require.Equal(t, map[core.SessionID]string{c.session: "Night trains to Oslo"}, titles, "the other may be somebody else's words")
		chat := func() string {
			t.Helper()
			all := chatsOfAda(t, s)
			i := slices.IndexFunc(all, func(c string) bool { return strings.HasPrefix(c, "telegram/42 ") })
			require.GreaterOrEqual(t, i, 0)
			return all[i]
		}
		require.Equal(t, `telegram/42 "Night trains to Oslo"`, chat())
		spent, err := s.Spent(t.Context(), store.SpentBy{Person: "ada"})
		require.NoError(t, err)
		require.Equal(t, before.Tokens+100, spent.Tokens)

		name, none := "Oslo", ""
		require.NoError(t, s.ChangeChat(t.Context(), "ada", c.session, core.ChatChange{Name: &name}))
		require.Contains(t, chat(), "Oslo\" named")
		require.NoError(t, s.ChangeChat(t.Context(), "ada", c.session, core.ChatChange{Name: &none}))
		require.True(t, c.takeBack("ada", m.MessageID))
		require.NotContains(t, chat(), "trains", "it tells what was taken back")

		// It is asked for three times, and not of chats that began days ago.
		c.write("and to Bergen?")
		list = untitled()
		require.Equal(t, "and to Bergen?", list[0].Asked)
		for range 2 {
			require.NoError(t, s.BeginTitle(t.Context(), list[0], store.Amount{Calls: 1}))
			require.NoError(t, s.EndTitle(t.Context(), list[0], "", nil))
		}
		require.Empty(t, untitled())
		other := chatOn(t, s, core.WebRoute("other"))
		other.write("hello")
		other.commit(reply(other.begin(1, 1), "good evening"))
		require.Len(t, untitled(), 1)
		clock.tick(25 * time.Hour)
		other.write("hello again")
		require.Empty(t, untitled())
	},
	"what was done with a chat goes with it": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("hello")
		c.commit(reply(c.begin(1, 1), "hi"))
		name := "secret"
		require.NoError(t, c.s.ChangeChat(c.ctx, "ada", c.session, core.ChatChange{Name: &name}))
		_, err := c.s.MarkForDeletion(c.ctx, c.session, true)
		require.NoError(t, err)
		_, err = c.s.DeleteSession(c.ctx, c.session, nil)
		require.NoError(t, err)
		require.Empty(t, chatsOfAda(t, c.s))
		c.rehydrate()
		require.Equal(t, []string{`web/main ""`}, chatsOfAda(t, c.s))
	},
}

func chatsOfAda(t *testing.T, s *store.Store) (lines []string) {
	t.Helper()
	list, err := s.Chats(t.Context(), "ada", store.Page{})
	require.NoError(t, err)
	for _, c := range list {
		line := fmt.Sprintf("%s/%s %q", c.Route.Channel, c.Route.Chat, c.Title)
		for _, mark := range []struct {
			set  bool
			word string
		}{{c.Working, "working"}, {c.Named, "named"}, {c.Pinned, "pinned"}, {c.Archived, "archived"}, {c.Unread > 0, fmt.Sprintf("%d unread", c.Unread)}, {c.News.ID > 0, "news " + string(c.News.Type)}} {
			if mark.set {
				line += " " + mark.word
			}
		}
		lines = append(lines, line)
	}
	return lines
}
