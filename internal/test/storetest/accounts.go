package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var accounts = map[string]func(*testing.T, Opener){
	"what waits for an account that no worker has says so, and goes when it is back": func(t *testing.T, open Opener) {
		w := &wall{monday}
		s := open(t, store.Options{Now: w.Now})
		gone := core.Account{Channel: "telegram", Name: "sub"}
		add := func(key string, a core.Account) int64 {
			r := core.Route{Channel: a.Channel, Account: a.Name, Chat: "42"}
			_, err := s.Answer(t.Context(), core.Notification{Key: key, Route: r, Event: core.EventLate, Text: "x"})
			require.NoError(t, err)
			list, err := s.Deliveries(t.Context(), nil, store.Page{Limit: 1})
			require.NoError(t, err)
			return list[0].ID
		}
		row := func(id int64) core.Notification {
			n, err := s.Notification(t.Context(), id)
			require.NoError(t, err)
			return n
		}
		one, other := add("one", gone), add("other", core.Account{Channel: "telegram", Name: "main"})
		refused := add("refused", gone)
		require.NoError(t, s.MarkBlocked(t.Context(), refused, `refused: the bot was removed`, false))
		sending := add("sending", gone)
		_, err := s.MarkSending(t.Context(), sending, time.Minute)
		require.NoError(t, err)
		w.now = w.now.Add(time.Second)
		page := core.NewSessionKey(core.WebRoute("main"), "owner")
		notices := []core.Notification{
			{Key: "gone", Route: core.WebRoute("main"), Session: page, Event: core.EventNotice, Text: "it is gone, with " + store.WaitingCount},
			{Key: "gone:private", Route: core.Route{Channel: "telegram", Account: "main", Chat: "7"}, Event: core.EventNotice, Text: "it is gone"},
		}
		found, err := s.WaitingAccounts(t.Context(), w.Now())
		require.NoError(t, err)
		require.Equal(t, []core.Account{{Channel: "telegram", Name: "main"}, gone}, found)
		for range 2 {
			waiting, _, err := s.AccountGone(t.Context(), gone, w.Now(), notices)
			require.NoError(t, err)
			require.Equal(t, 1, waiting)
		}
		two := add("two", gone)
		w.now = w.now.Add(2 * time.Minute)
		waiting, fresh, err := s.AccountGone(t.Context(), gone, w.Now(), notices)
		require.NoError(t, err)
		require.Equal(t, []int{3, 2}, []int{waiting, fresh}, "the one whose sender is gone, too")
		for _, id := range []int64{one, two, sending} {
			require.True(t, row(id).AwaitsAccount(), row(id).Error)
		}
		require.False(t, row(other).AwaitsAccount())
		events, err := s.Events(t.Context(), page, 0, 10)
		require.NoError(t, err)
		require.Len(t, events, 1, "once, however many wait")
		require.Equal(t, "it is gone, with 1", events[0].Text)

		require.NoError(t, s.AccountBack(t.Context(), gone))
		require.Equal(t, core.Pending, row(one).State)
		require.Empty(t, row(one).Error)
		require.Equal(t, core.Blocked, row(refused).State)
	},
	"the results that a row tells are its own, or those of its turn": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), core.Route{Channel: "discord", Account: "main", Chat: "42"})
		id := c.delegate(1, to("trains", "sasha"))
		c.work(id, "two trains")
		fold := c.commit(reply(c.begin(2, 1), "Sasha found two trains."))
		n, err := c.s.Notification(c.ctx, fold.Outbox[0])
		require.NoError(t, err)
		list, err := c.s.ResultsOf(c.ctx, n)
		require.NoError(t, err)
		require.Equal(t, []store.DeliveredResult{{Task: id, Person: "ada"}}, list)
		require.NoError(t, err)
		c.write("hello")
		plain := c.commit(reply(c.begin(3, 1), "Hello."))
		n, err = c.s.Notification(c.ctx, plain.Outbox[0])
		require.NoError(t, err)
		list, err = c.s.ResultsOf(c.ctx, n)
		require.NoError(t, err)
		require.Empty(t, list)
	},
	"the parts of a row that have arrived are kept until it is sent": func(t *testing.T, open Opener) {
		s := open(t, store.Options{})
		r := core.Route{Channel: "telegram", Account: "main", Chat: "42"}
		_, err := s.Answer(t.Context(), core.Notification{Key: "k", Route: r, Event: core.EventLate, Text: "x"})
		require.NoError(t, err)
		require.NoError(t, s.NoteParts(t.Context(), "k", "sub", []string{"7", "8"}, 3))
		n, err := s.NextOutbox(t.Context(), r)
		require.NoError(t, err)
		require.Equal(t, []string{"7", "8"}, n.Receipts)
		require.Equal(t, "sub", n.PartsBy)
		require.Equal(t, 3, n.Parts)
		of, found, err := s.SentAs(t.Context(), core.Account{Channel: "telegram", Name: "sub"}, "8", "42")
		require.NoError(t, err)
		require.True(t, found, "what a phone asks for again")
		require.Equal(t, n.ID, of.ID)
		require.NoError(t, s.MarkSent(t.Context(), n.ID, "", []string{"7", "8", "9"}))
		require.NoError(t, s.NoteParts(t.Context(), "k", "sub", []string{"7"}, 3), "too late")
		sent, err := s.Notification(t.Context(), n.ID)
		require.NoError(t, err)
		require.Equal(t, []string{"7", "8", "9"}, sent.Receipts)
	},
}
