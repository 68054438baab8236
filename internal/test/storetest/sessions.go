package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/when"
)

// sessions are the promises about the index of sessions: lists, search, export,
// deletion and sweeping.
var sessions = map[string]func(*testing.T, Opener){
	"a list is narrowed and read page by page": func(t *testing.T, open Opener) {
		s, clock := opened(t, open)
		var keys []core.SessionKey
		for i, who := range []core.PersonID{"ada", "bob", "ada", "ada", "bob"} {
			clock.tick(time.Minute)
			route := core.WebRoute(fmt.Sprint("chat", i))
			if i == 3 {
				route = core.Route{Channel: "discord", Account: "main", Chat: "42"}
			}
			keys = append(keys, core.NewSessionKey(route, who))
			_, err := s.Rehydrate(t.Context(), keys[i], "nikki")
			require.NoError(t, err)
		}
		require.NoError(t, s.HandOver(t.Context(), keys[2], "finn", 0))
		current, err := s.Current(t.Context(), keys[0])
		require.NoError(t, err)
		require.NoError(t, s.SuspendSession(t.Context(), current.ID))
		tests := []struct {
			filter store.SessionFilter
			want   string
		}{
			{store.SessionFilter{}, "chat4 42 chat2 chat1 chat0"},
			{store.SessionFilter{Person: "ada"}, "42 chat2 chat0"},
			{store.SessionFilter{Channel: "discord"}, "42"},
			{store.SessionFilter{Person: "ada", Channel: "web"}, "chat2 chat0"},
			{store.SessionFilter{Agent: "finn"}, "chat2"},
			{store.SessionFilter{Key: keys[2]}, "chat2"},
			{store.SessionFilter{Key: keys[2], Person: "ada", Channel: "web"}, "chat2"},
			{store.SessionFilter{Key: keys[2], Person: "bob"}, ""},
			{store.SessionFilter{State: store.SessionSuspended}, "chat0"},
			{store.SessionFilter{Person: "bob", State: store.SessionSuspended}, ""},
			{store.SessionFilter{Person: "'; DROP TABLE sessions"}, ""},
			{store.SessionFilter{Limit: 2}, "chat4 42"},
		}
		for _, tt := range tests {
			list, err := s.Sessions(t.Context(), tt.filter)
			require.NoError(t, err)
			require.Equal(t, tt.want, chats(list), "%+v", tt.filter)
		}
		var pages []string
		f := store.SessionFilter{Limit: 2}
		for {
			list, err := s.Sessions(t.Context(), f)
			require.NoError(t, err)
			if len(list) == 0 {
				break
			}
			pages = append(pages, chats(list))
			f.Before = list[len(list)-1].Active
		}
		require.Equal(t, []string{"chat4 42", "chat2 chat1", "chat0"}, pages)
	},
	"a session is found by the beginning of its id": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		id := string(c.session)
		for _, prefix := range []string{id, id[:8], strings.ToUpper(id[:13]), " " + id[:6]} {
			found, err := c.s.FindSession(c.ctx, prefix, "ada")
			require.NoError(t, err, prefix)
			require.Equal(t, c.session, found.ID)
		}
		for _, bad := range []string{"", "%", "a\x00", "zz", "-", id + "0", "' OR 1=1 --"} {
			_, err := c.s.FindSession(c.ctx, bad, "")
			require.ErrorIs(t, err, store.ErrNotFound, bad)
		}
		_, err := c.s.FindSession(c.ctx, id, "bob")
		require.ErrorIs(t, err, store.ErrNotFound)
		for i := range 20 { // two of them begin alike
			chatOn(t, c.s, core.WebRoute(fmt.Sprint("c", i)))
		}
		list, err := c.s.Sessions(c.ctx, store.SessionFilter{})
		require.NoError(t, err)
		seen := map[byte]bool{}
		for _, one := range list {
			if first := one.ID[0]; seen[first] {
				_, err := c.s.FindSession(c.ctx, string(first), "")
				require.ErrorIs(t, err, store.ErrAmbiguous)
				return
			}
			seen[one.ID[0]] = true
		}
		t.Error("no two of 21 ids begin alike")
	},
	"what was said is found, the newest first": func(t *testing.T, open Opener) {
		s, clock := opened(t, open)
		main := chatOn(t, s, core.WebRoute("main"))
		talk := func(c *chat, turn int, text, answered string) {
			clock.tick(time.Minute)
			c.write(text)
			clock.tick(time.Second)
			c.commit(reply(c.begin(turn, 1), answered))
		}
		talk(main, 1, "Is there a night train to Oslo?", "Two night trains, at 22:10 and 23:05.")
		talk(main, 2, "And a hotel near the Café Zürich, see https://example.com/rooms_42?", "Three hotels.")
		other := &chat{t: t, ctx: t.Context(), s: s, route: core.WebRoute("bobs"), key: core.NewSessionKey(core.WebRoute("bobs"), "bob")}
		other.session = other.rehydrate().Session
		bob := other.message("The train was late.")
		bob.Person = "bob"
		clock.tick(time.Minute)
		_, err := s.Accept(t.Context(), bob)
		require.NoError(t, err)
		other.commit(reply(other.begin(1, 1), "I am sorry about that train."))

		tests := []struct {
			query  string
			person core.PersonID
			want   []string // the beginnings of the excerpts
		}{
			{"train", "", []string{"I am sorry", "The train was", "Is there a", "Two night"}},
			{"TRAIN", "ada", []string{"Is there a", "Two night"}}, // the word itself before what begins like it
			{"night train", "", []string{"Is there a", "Two night"}},
			{"train night", "", []string{"Is there a"}}, // only the last word may be a beginning
			{"trains", "", []string{"Two night"}},
			{"hot", "ada", []string{"Three hotels", "And a hotel"}},
			{"hote", "ada", []string{"Three hotels", "And a hotel"}},
			{"hotx", "ada", nil},
			{"ho", "ada", nil}, // what begins with two letters is nearly everything
			{"ot", "ada", nil},
			{"café", "", []string{"And a hotel"}},
			{"zürich hotel", "", []string{"And a hotel"}},
			{"example", "", []string{"And a hotel"}},
			{"https://example.com/rooms_42", "", []string{"And a hotel"}},
			{"22:10", "", []string{"Two night"}},
			{"rooms 42", "", []string{"… near the Café"}},
			{"train", "nobody", nil},
			{"oslo -train", "", []string{"Is there a"}}, // no operators: a person looks for words
		}
		for _, tt := range tests {
			hits, err := s.Search(t.Context(), tt.query, tt.person, 0)
			require.NoError(t, err, tt.query)
			require.Len(t, hits, len(tt.want), "%q: %+v", tt.query, hits)
			for i, h := range hits {
				require.True(t, strings.HasPrefix(h.Excerpt, tt.want[i]), "%q: hit %d is %q", tt.query, i, h.Excerpt)
			}
		}
		hits, err := s.Search(t.Context(), "trains", "ada", 1)
		require.NoError(t, err)
		created := hits[0].Created
		require.Equal(t, []core.SearchHit{{Session: main.session, Person: "ada", Channel: "web", Chat: "main", Turn: 1, Step: 1, Agent: "nikki",
			Speaker: core.FromAgent, Excerpt: "Two night trains, at 22:10 and 23:05.", Created: created, Event: hits[0].Event}}, hits)
		require.NotZero(t, hits[0].Event)
	},
	"anything can be typed into a search": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write(`one "two" 'three' and:not near(4) five* ^six`)
		c.commit(reply(c.begin(1, 1), "seven"))
		for _, q := range hostile {
			_, err := c.s.Search(c.ctx, q, "ada", 0)
			if !errors.Is(err, store.ErrNoWords) {
				require.NoError(t, err, "%q", q)
			}
			_, err = c.s.Search(c.ctx, "one "+q, core.PersonID(q), 0)
			require.NoError(t, err, "%q", q)
		}
		for _, q := range []string{"", " ", "***", `"`, "…", "\x00", "🚂", "' \" ( )"} {
			_, err := c.s.Search(c.ctx, q, "", 0)
			require.ErrorIs(t, err, store.ErrNoWords, "%q", q)
		}
		for _, q := range []string{`"two"`, "three", "not", "and", "near", "NEAR(4)", "five*", "^six", "text:one"[5:], "or"[:1] + "ne"} {
			hits, err := c.s.Search(c.ctx, q, "ada", 0)
			require.NoError(t, err)
			require.Len(t, hits, 1, "%q", q)
		}
	},
	"only what people and agents said in sessions is found": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("please")
		id := c.commit(asks(c.begin(1, 1), to("find xylophone", "sasha"))).Calls[0].Task
		c.commit(reply(c.begin(1, 2), "on it"))
		c.work(id, "the xylophone is here")
		c.write("look into your notes")
		c.commit(calls(c.begin(2, 1), "recall"))
		require.NoError(t, c.s.CommitTool(c.ctx, core.CallKey{StepKey: core.StepKey{Owner: c.owner(), Turn: 2, Step: 1}, Index: 1}, "a xylophone"))
		hits, err := c.s.Search(c.ctx, "xylophone", "", 0)
		require.NoError(t, err)
		require.Empty(t, hits)
	},
	"an export has all of a session, for people and for programs": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		id := c.delegate(1, to("find night trains", "sasha"))
		c.work(id, "two trains")
		c.commit(reply(c.begin(2, 1), "Sasha found two trains."))
		e, err := c.s.Export(c.ctx, c.session)
		require.NoError(t, err)
		require.Equal(t, 1, e.Version)
		require.Equal(t, "Ada", e.Name)
		require.Len(t, e.Messages, 7)
		require.Len(t, e.Tasks, 1)
		require.Equal(t, "two trains", e.Tasks[0].Reports[0].Text)
		text := store.Markdown(e)
		for _, want := range []string{"# please\n", "- Ada with Nikki\n", "chat main on web", "turns: 2, tasks: 1", string(c.session), "## Turn 1, ", "**Ada:** please",
			"**Nikki:** Sasha is on it.", "*Nikki calls* `call_agent_async {}`", "## Turn 2, ", "Sasha found two trains.", "### " + string(id), "> find night trains", "**Sasha:** two trains"} {
			require.Contains(t, text, want)
		}
		raw, err := json.Marshal(e)
		require.NoError(t, err)
		require.Contains(t, string(raw), `"version":1`)
		_, err = c.s.Export(c.ctx, "none")
		require.ErrorIs(t, err, store.ErrNotFound)
	},
	"an export has what errand itself said": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		id := c.delegate(1, to("find night trains", "sasha"))
		before := c.session
		next, err := c.s.EndSession(c.ctx, c.key, before, "reset", "nikki")
		require.NoError(t, err)
		c.work(id, "two trains")
		c.session = next
		c.begin(1, 1)
		e, err := c.s.Export(c.ctx, before)
		require.NoError(t, err)
		for _, m := range e.Messages {
			require.NotContains(t, m.Text, "two trains", "no turn has told it")
		}
		require.Len(t, e.Notices, 1)
		require.Equal(t, core.EventLate, e.Notices[0].Event)
		require.Equal(t, id, e.Notices[0].Task)
		require.Contains(t, store.Markdown(e), "**errand:** "+e.Notices[0].Text)
	},
	"what is deleted is gone, and nothing else": func(t *testing.T, open Opener) {
		w := &wall{monday}
		s := open(t, store.Options{Now: w.Now})
		kept, c := chatOn(t, s, core.WebRoute("kept")), chatOn(t, s, core.WebRoute("gone"))
		for _, one := range []*chat{kept, c} {
			Busy(t, one.s, one.route)
			one.session = one.rehydrate().Session
		}
		before := whole(t, kept)
		spent, err := s.UsageOf(c.ctx, "ada", w.Now())
		require.NoError(t, err)
		today := usedToday(t, c, w, "ada")
		require.Equal(t, 16, today.Calls)

		d, err := s.MarkForDeletion(c.ctx, c.session, false)
		require.NoError(t, err)
		require.True(t, d.Current)
		require.Len(t, d.Tasks, 2)
		require.Len(t, d.Workflows(), 4)
		_, err = s.BeginStep(c.ctx, c.step(9, 1))
		require.ErrorIs(t, err, store.ErrEnded)
		between := 0
		gone, err := s.DeleteSession(c.ctx, c.session, func() error { between++; return nil })
		require.NoError(t, err)
		require.Equal(t, store.Deleted{"messages": 18, "turns": 6, "inbox": 5, "events": 15, "outbox": 4, "reports": 2, "tasks": 2, "usage": 8,
			"memory": 1, "artifacts": 1, "budgets": 4, "reminders": 1, "summaries": 1, "sessions": 1}, gone)

		require.Equal(t, before, whole(t, kept), "what belongs to another session stays")
		_, err = s.Session(c.ctx, c.session)
		require.ErrorIs(t, err, store.ErrNotFound)
		require.Empty(t, c.events())
		for _, task := range d.Tasks {
			_, err := s.Task(c.ctx, task.ID)
			require.ErrorIs(t, err, store.ErrNotFound)
		}
		hits, err := s.Search(c.ctx, "secret", "", 0)
		require.NoError(t, err)
		for _, h := range hits {
			require.Equal(t, kept.session, h.Session)
		}
		_, err = s.Recall(c.ctx, "ada", "nikki", "note of gone")
		require.ErrorIs(t, err, store.ErrNotFound)
		sums, err := s.UsageOf(c.ctx, "ada", w.Now())
		require.NoError(t, err)
		require.Equal(t, spent, sums, "what it cost stays")
		now := usedToday(t, c, w, "")
		require.Equal(t, today, now)
		_, err = s.DeleteSession(c.ctx, c.session, nil)
		require.ErrorIs(t, err, store.ErrNotFound)
	},
	"a deletion that was cut off can be gone on with": func(t *testing.T, open Opener) {
		c, w := wound(t, open)
		for turn := 1; turn <= 250; turn++ {
			c.write("hello")
			c.commit(reply(c.begin(turn, 1), "hi"))
		}
		_, err := c.s.DeleteSession(c.ctx, c.session, nil)
		require.Error(t, err, "it is not over")
		_, err = c.s.MarkForDeletion(c.ctx, c.session, false)
		require.NoError(t, err)
		cut := errors.New("cut off")
		steps := 0
		first, err := c.s.DeleteSession(c.ctx, c.session, func() error {
			if steps++; steps == 3 {
				return cut
			}
			return nil
		})
		require.ErrorIs(t, err, cut)
		again, err := c.s.MarkForDeletion(c.ctx, c.session, false)
		require.NoError(t, err)
		require.False(t, again.Current)
		rest, err := c.s.DeleteSession(c.ctx, c.session, nil)
		require.NoError(t, err)
		total := map[string]int{}
		for _, d := range []store.Deleted{first, rest} {
			for kind, n := range d {
				total[kind] += n
			}
		}
		require.Equal(t, map[string]int{"messages": 500, "turns": 250, "inbox": 250, "events": 500, "outbox": 250, "usage": 250, "budgets": 250, "sessions": 1}, total)
		today := usedToday(t, c, w, "ada")
		require.Equal(t, store.Amount{Calls: 250, Tokens: 25000, Cost: 125, Cached: 15000}, today)
	},
	"a session with tasks at work is deleted by force only": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		id := c.delegate(1, to("trains", "sasha"))
		c.sub(id, "sasha", 1, 1)
		_, err := c.s.MarkForDeletion(c.ctx, c.session, false)
		require.ErrorIs(t, err, store.ErrOpenTasks)
		require.ErrorContains(t, err, string(id))
		now, err := c.s.Current(c.ctx, c.key)
		require.NoError(t, err)
		require.Equal(t, c.session, now.ID, "a refusal changes nothing")
		d, err := c.s.MarkForDeletion(c.ctx, c.session, true)
		require.NoError(t, err)
		require.Equal(t, core.Canceled, d.Tasks[0].State)
		_, err = c.s.DeleteSession(c.ctx, c.session, nil)
		require.NoError(t, err)
		_, err = c.s.BeginStep(c.ctx, subStep(id, "sasha", 1, 2))
		require.ErrorIs(t, err, store.ErrNotFound)
		next := c.rehydrate()
		require.NotEqual(t, c.session, next.Session)
		require.Empty(t, next.Open)
	},
	"an answer that comes after the deletion is not kept": func(t *testing.T, open Opener) {
		c, w := wound(t, open)
		c.write("hello")
		b := c.begin(1, 1)
		_, err := c.s.MarkForDeletion(c.ctx, c.session, false)
		require.NoError(t, err)
		_, err = c.s.DeleteSession(c.ctx, c.session, nil)
		require.NoError(t, err)
		_, err = c.s.CommitStep(c.ctx, reply(b, "too late"))
		require.ErrorIs(t, err, store.ErrClosed)
		require.Empty(t, c.events())
		today := usedToday(t, c, w, "ada")
		require.Equal(t, 1, today.Calls, "what it cost is recorded all the same")
	},
	"an excerpt is one line around what was found, without the marks of a report": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write(strings.Repeat("before\n", 1000) + "the Needle is here " + strings.Repeat("after ", 1000))
		c.commit(reply(c.begin(1, 1), strings.Repeat("ä", 3000)+"needle"+strings.Repeat("ö", 3000)+" needle"))
		hits, err := c.s.Search(c.ctx, "needle", "ada", 0)
		require.NoError(t, err)
		require.Len(t, hits, 2)
		for _, h := range hits {
			require.Contains(t, strings.ToLower(h.Excerpt), "needle")
			require.NotContains(t, h.Excerpt, "\n")
			require.Less(t, len([]rune(h.Excerpt)), 190)
		}
		require.Regexp(t, `^… before .* the Needle is here after .* after …$`, hits[1].Excerpt)

		c.write("[task t-fep8nhfc, sasha: completed]\n<report>\nTwo haystacks fit.\n</report>")
		c.begin(2, 1)
		hits, err = c.s.Search(c.ctx, "haystacks", "ada", 0)
		require.NoError(t, err)
		require.Equal(t, "Two haystacks fit.", strings.TrimSpace(hits[0].Excerpt), "without what surrounds a report")
	},
}

var hostile = []string{
	`"`, `""`, `a"`, `"a`, `a" OR "b`, `a AND`, `AND a`, `NOT a`, `a NOT b`, `NEAR(a b)`, `NEAR(a b, 5)`, `text:a`, `person:bob`, `{text person}:a`,
	`- a`, `-a`, `^a`, `a*`, `*a`, `*`, `a + b`, `(a`, `a)`, `((((`, `a:b:c`, `a <-> b`, `a & b`, `a | b`, `!a`, `a:*`, `a:A`, `'a`, `a''b`, `a\`, `\`,
	`'; DROP TABLE messages; --`, `%`, `_`, `?`, `$1`, "a\x00b", "\xff\xfea", "a\u0301", "٣", "²", "日本語", "ß", "İ", "ﬁ", "a b", "<b>a</b>", "&amp;", "1e5", "-1", "1.5", "a@b.c", "/a/b/c",
	strings.Repeat("a", 5000), strings.Repeat("a ", 5000), strings.Repeat(`"`, 5000), strings.Repeat("(", 5000), strings.Repeat("ä", 100),
}

// A clock stands still until it is moved.
type clock struct{ now time.Time }

func (c *clock) tick(d time.Duration) { c.now = c.now.Add(d) }

func opened(t *testing.T, open Opener) (*store.Store, *clock) {
	c := &clock{time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	return open(t, store.Options{Now: func() time.Time { return c.now }}), c
}

func chats(list []core.Session) string {
	var names []string
	for _, s := range list {
		names = append(names, s.Route.Chat)
	}
	return strings.Join(names, " ")
}

// Busy fills a session on route, which must be the first thing in it, with
// everything that a session can leave behind. Its words have "secret" in them.
func Busy(t testing.TB, s *store.Store, route core.Route) core.SessionID {
	t.Helper()
	c := chatOn(t, s, route)
	c.write("the secret of " + route.Chat)
	edit := c.message("the old secret")
	edit.Attached = []store.NewArtifact{{Name: "secret.txt", Type: "text/plain", Data: []byte("a secret file")}}
	_, err := s.Accept(c.ctx, edit)
	require.NoError(t, err)
	edit.Revision, edit.Text = 1, "the new secret"
	_, err = s.Accept(c.ctx, edit)
	require.NoError(t, err)
	top := c.commit(asks(c.begin(1, 1), to("secret task", "sasha"))).Calls[0].Task
	nested := c.commit(asks(c.sub(top, "sasha", 1, 1), to("nested secret", "finn"))).Calls[0].Task
	c.commit(reply(c.begin(1, 2), "the secret is coming"))
	c.commit(reply(c.sub(nested, "finn", 1, 1), "secret report"))
	c.commit(reply(c.sub(top, "sasha", 1, 2), "secret outcome"))
	c.commit(reply(c.begin(2, 1), "told the secret"))
	c.write("one more secret")
	c.commit(reply(c.begin(3, 1), "as you wish"))
	require.NoError(t, s.SaveSummary(c.ctx, c.owner(), 2, 1, "a secret summary"))
	past := when.Spec{At: time.Date(2020, 1, 1, 12, 0, 0, 0, time.UTC), Zone: "UTC"}
	r, err := s.CreateReminder(c.ctx, store.Reminder{
		Reminder: core.Reminder{Person: "ada", Agent: "nikki", Text: "a secret that is due", Next: past.At},
		Key:      c.key, Session: c.session, Role: core.Partner, Spec: past,
	})
	require.NoError(t, err)
	_, err = s.FireReminder(c.ctx, r.ID, r.Next)
	require.NoError(t, err)
	c.commit(reply(c.begin(4, 1), "it is time for the secret"))
	require.NoError(t, s.Remember(c.ctx, "ada", "nikki", store.Note{Key: "note of " + route.Chat, Value: "secret", Session: c.session}))
	return c.session
}

// whole is all that people see of a conversation.
func whole(t *testing.T, c *chat) []any {
	t.Helper()
	e, err := c.s.Export(c.ctx, c.session)
	require.NoError(t, err)
	e.Exported = time.Time{}
	note, err := c.s.Recall(c.ctx, "ada", "nikki", "note of "+c.route.Chat)
	require.NoError(t, err)
	spent, err := c.s.Spent(c.ctx, store.SpentBy{Session: c.session})
	require.NoError(t, err)
	hits, err := c.s.Search(c.ctx, "secret", "ada", 0)
	require.NoError(t, err)
	mine := 0
	for _, h := range hits {
		if h.Session == c.session {
			mine++
		}
	}
	require.NotZero(t, mine)
	return []any{e, c.events(), note, spent, mine}
}

func usedToday(t *testing.T, c *chat, w *wall, person core.PersonID) store.Amount {
	t.Helper()
	sums, err := c.s.UsageOf(c.ctx, person, w.Now())
	require.NoError(t, err)
	var a store.Amount
	for _, u := range sums {
		a.Calls += u.Calls
		a.Tokens += u.InputTokens + u.OutputTokens
		a.Cached += u.CachedTokens
		a.Cost += u.Cost
	}
	return a
}
