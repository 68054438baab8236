package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

// positions are the promises about lists that come in pages: what is there all the while is
// read once, in the list's order, though others come and go, and though many stand in one
// place by their time.
var positions = map[string]func(*testing.T, Opener){
	"pages: tasks of one moment are read once each, while others come": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{Now: still()})
		task := func() {
			_, err := c.s.CreateTask(c.ctx, core.Origin{Person: "ada", Depth: 1}, store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "trains"}, "")
			require.NoError(t, err)
		}
		for range 7 {
			task()
		}
		list := func(p store.Page) []core.Task {
			out, err := c.s.Tasks(c.ctx, store.TaskFilter{After: p.After, Limit: p.Limit})
			require.NoError(t, err)
			return out
		}
		inPages(t, list, store.PositionOfTask)
		first := list(store.Page{Limit: 3})
		rest := list(store.Page{After: store.PositionOfTask(first[2])})
		for range 3 { // their ids are drawn: some come before, and some behind
			task()
		}
		after := list(store.Page{After: store.PositionOfTask(first[2])})
		for _, one := range rest {
			require.True(t, slices.ContainsFunc(after, func(t core.Task) bool { return t.ID == one.ID }))
		}
		for _, one := range first {
			require.False(t, slices.ContainsFunc(after, func(t core.Task) bool { return t.ID == one.ID }), "it was read already")
		}
		found, matches, err := c.s.TaskTrees(c.ctx, store.TaskFilter{After: store.PositionOfTask(first[2]), Limit: 2})
		require.NoError(t, err)
		require.Len(t, found, 2)
		require.Equal(t, []core.TaskID{after[0].ID, after[1].ID}, matches)
	},
	"pages: sessions, questions, reminders, people, deliveries and notes of one moment": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{Now: still()})
		for i := range 7 {
			_, err := c.s.Rehydrate(c.ctx, core.NewSessionKey(core.WebRoute(fmt.Sprint("c", i)), "ada"), "nikki")
			require.NoError(t, err)
			c.ask(c.delegate(i+1, to("trains", "sasha")), 1, store.NewQuestion{Text: "Which day?"})
			_, err = c.s.EnsurePerson(c.ctx, core.PersonID(fmt.Sprintf("p-%d", 7-i)), "", core.Member)
			require.NoError(t, err)
			require.NoError(t, c.s.Remember(c.ctx, "ada", []core.AgentName{"nikki", "finn"}[i%2], store.Note{Key: fmt.Sprintf("trip/\"%d\"", i), Value: "x"}))
			r, err := c.s.CreateReminder(c.ctx, store.Reminder{
				Reminder: core.Reminder{Person: "ada", Agent: "nikki", Text: "tea", Next: c.s.Now().Add(time.Hour)},
				Key:      c.key, Session: c.session, Role: core.Partner,
			})
			require.NoError(t, err)
			if i%3 == 0 {
				_, err = c.s.CancelReminder(c.ctx, r.ID)
				require.NoError(t, err)
			}
			_, err = c.s.Answer(c.ctx, core.Notification{Key: fmt.Sprint("k", i), Route: c.route, Event: core.EventNotice, Text: "hello"})
			require.NoError(t, err)
		}
		inPages(t, func(p store.Page) []core.Session {
			out, err := c.s.Sessions(c.ctx, store.SessionFilter{After: p.After, Limit: p.Limit})
			require.NoError(t, err)
			return out
		}, store.PositionOfSession)
		inPages(t, func(p store.Page) []core.Question {
			out, err := c.s.Questions(c.ctx, store.QuestionFilter{After: p.After, Limit: p.Limit})
			require.NoError(t, err)
			slices.Reverse(out) // a page has the oldest first
			return out
		}, store.PositionOfQuestion)
		inPages(t, func(p store.Page) []core.Person {
			out, err := c.s.People(c.ctx, p)
			require.NoError(t, err)
			return out
		}, store.PositionOfPerson)
		inPages(t, func(p store.Page) []core.Notification {
			out, err := c.s.Deliveries(c.ctx, nil, p)
			require.NoError(t, err)
			return out
		}, store.PositionOfDelivery)
		inPages(t, func(p store.Page) []core.PersonNote {
			out, err := c.s.Notes(c.ctx, store.NoteFilter{After: p.After, Limit: p.Limit})
			require.NoError(t, err)
			return out
		}, store.PositionOfNote)
		inPages(t, func(p store.Page) []store.Reminder {
			out, err := c.s.Reminders(c.ctx, store.ReminderFilter{After: p.After, Limit: p.Limit}, true)
			require.NoError(t, err)
			return out
		}, func(r store.Reminder) store.Position { return store.PositionOfReminder(r.Reminder) })
		inPages(t, func(p store.Page) []core.Chat {
			out, err := c.s.Chats(c.ctx, "ada", p)
			require.NoError(t, err)
			return out
		}, store.PositionOfChat)
	},
	"pages: a position of another list is refused": func(t *testing.T, open Opener) {
		s := open(t, store.Options{})
		for _, p := range []store.Position{{"1"}, {"1", "2", "3"}, {"x", "t-1"}, {"9999999999999999999", "t-1"}} {
			_, err := s.Tasks(t.Context(), store.TaskFilter{After: p})
			require.ErrorIs(t, err, store.ErrPosition)
		}
		for _, id := range []string{"t-\x00", "\xff", "'; --"} {
			_, err := s.Tasks(t.Context(), store.TaskFilter{After: store.Position{"-9223372036854775808", id}})
			require.NoError(t, err)
		}
		for _, p := range []store.Position{{"-9223372036854775808", "9223372036854775807", "0", ""}, {"9223372036854775807", "0", "0", "r"}} {
			_, err := s.Reminders(t.Context(), store.ReminderFilter{After: p}, true)
			require.NoError(t, err)
		}
	},
}

// still is a clock that does not go on: everything is of one moment.
func still() func() time.Time {
	at := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	return func() time.Time { return at }
}

// inPages holds that pages of any size, one behind the other, are the list.
func inPages[T any](t *testing.T, list func(store.Page) []T, at func(T) store.Position) {
	t.Helper()
	all := list(store.Page{Limit: 1000})
	require.Greater(t, len(all), 5)
	for _, size := range []int{1, 2, 3, 1000} {
		var read []T
		for p := (store.Page{Limit: size}); ; {
			page := list(p)
			require.LessOrEqual(t, len(page), size)
			if len(page) == 0 {
				break
			}
			read, p.After = append(read, page...), at(page[len(page)-1])
			require.LessOrEqual(t, len(read), len(all))
		}
		require.Equal(t, all, read, "pages of %d", size)
	}
}
