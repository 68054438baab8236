package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand"
	"errand/internal/store"
	"errand/internal/when"
)

// asleep is ada at ten in the evening, an hour after she has written, with quiet hours
// until seven.
func asleep(t *testing.T, open Opener, o store.Options) (*chat, *wall) {
	c, w := woundWith(t, open, o)
	w.now = w.now.Add(9 * time.Hour)
	_, err := c.s.SetQuietHours(c.ctx, "ada", "22:00-07:00", "")
	require.NoError(t, err)
	return c, w
}

var quiet = map[string]func(*testing.T, Opener){
	"what ends in somebody's quiet hours waits until they are over, or until they write": func(t *testing.T, open Opener) {
		for _, writes := range []bool{false, true} {
			c, w := asleep(t, open, store.Options{})
			one, two := c.delegate(1, to("trains", "sasha")), c.delegate(2, to("planes", "sasha"))
			w.now = w.now.Add(2 * time.Hour)
			morning := time.Date(w.now.Year(), w.now.Month(), w.now.Day()+1, 7, 0, 0, 0, time.UTC)
			c.work(one, "two trains")
			c.work(two, "no planes")
			before := len(c.reads())
			undecided := func() int { return len(listed(t, c.s.UndecidedTasks(c.ctx, w.now.Add(time.Second)))) }
			require.Equal(t, 2, undecided())
			require.NotNil(t, c.begin(3, 1).Empty, "no turn begins")
			require.True(t, c.task(one).HeldUntil.Equal(morning), "%s, not %s", c.task(one).HeldUntil, morning)
			require.Zero(t, undecided(), "nobody wakes the session for it")
			held, err := c.s.HeldTasks(c.ctx, c.key)
			require.NoError(t, err)
			require.Len(t, held, 2)
			again, err := c.s.Rehydrate(c.ctx, c.key, "nikki")
			require.NoError(t, err)
			require.False(t, again.Results, "a session that starts again in the night has nothing to tell")
			require.Len(t, c.reads(), before)
			if writes {
				c.write("hello")
			} else {
				w.now = morning
				require.Equal(t, 2, undecided())
			}
			b := c.begin(3, 1)
			require.Nil(t, b.Empty)
			for _, id := range []errand.TaskID{one, two} {
				require.Equal(t, errand.WayFold, c.task(id).Way)
				require.Zero(t, c.task(id).HeldUntil)
			}
		}
	},
	"who says that there are no quiet hours any more is told at once": func(t *testing.T, open Opener) {
		c, w := asleep(t, open, store.Options{})
		id := c.delegate(1, to("trains", "sasha"))
		w.now = w.now.Add(2 * time.Hour)
		c.work(id, "two trains")
		require.NotNil(t, c.begin(2, 1).Empty)
		_, err := c.s.SetQuietHours(c.ctx, "ada", "off", "")
		require.NoError(t, err)
		require.Len(t, listed(t, c.s.UndecidedTasks(c.ctx, w.now.Add(time.Second))), 1)
		require.Nil(t, c.begin(2, 1).Empty)
		require.Equal(t, errand.WayFold, c.task(id).Way)
	},
	"the installation's quiet hours are for who has none of their own, by the clocks of each": func(t *testing.T, open Opener) {
		oslo, err := time.LoadLocation("Europe/Oslo")
		require.NoError(t, err)
		c, w := woundWith(t, open, store.Options{Quiet: store.Quiet{Hours: when.Hours{From: 22 * 60, To: 7 * 60}, Zone: oslo}})
		w.now = time.Date(2026, 6, 2, 21, 0, 0, 0, time.UTC) // 23:00 in Oslo
		for _, tt := range []struct{ hours, zone, until string }{
			{"", "", "2026-06-02 05:00"}, {"off", "", ""}, {"", "America/New_York", ""}, {"23:30-06:00", "", ""}, {"20:00-22:00", "UTC", "2026-06-02 22:00"},
		} {
			_, err := c.s.SetQuietHours(c.ctx, "ada", tt.hours, tt.zone)
			require.NoError(t, err)
			until, err := c.s.QuietUntil(c.ctx, errand.Question{Person: "ada", Key: c.key})
			require.NoError(t, err)
			if tt.until == "" {
				require.Zero(t, until, tt)
				continue
			}
			require.Equal(t, tt.until[11:], until.UTC().Format("15:04"), tt)
		}
		until, err := c.s.QuietUntil(c.ctx, errand.Question{Person: "nobody", Key: c.key})
		require.NoError(t, err)
		require.Zero(t, until)
	},
	"a new question waits for the morning, and is shown once; one that would be over by then does not wait": func(t *testing.T, open Opener) {
		c, w := asleep(t, open, store.Options{})
		id := c.delegate(1, to("book a train", "sasha"))
		w.now = w.now.Add(2 * time.Hour)
		before := len(c.reads())
		q := c.ask(id, 1, store.NewQuestion{Text: "Which day?", Shown: "Sasha wants to know which day."})
		require.Len(t, c.reads(), before)
		require.Equal(t, errand.InputRequired, c.task(id).State, "it waits, as any question does")
		require.Equal(t, 7, q.HeldUntil.UTC().Hour())
		due := func() []errand.Question {
			list, err := c.s.DueQuestions(c.ctx, w.now, 10)
			require.NoError(t, err)
			return list
		}
		require.Empty(t, due())
		c.write("are you there?")
		require.Len(t, due(), 1, "she is awake")
		w.now = w.now.Add(time.Hour)
		require.Empty(t, due(), "and asleep again")
		w.now = q.HeldUntil
		require.Len(t, due(), 1)
		for range 2 {
			_, err := c.s.ShowHeldQuestion(c.ctx, q, store.DefaultQuestionPace())
			require.NoError(t, err)
		}
		shown := c.reads()
		require.Equal(t, []string{"question: Sasha wants to know which day."}, shown[len(shown)-1:])
		require.Empty(t, due(), "of the reminder that has passed meanwhile nothing is made up for")

		w.now = w.now.Add(17 * time.Hour) // midnight
		soon := store.NewQuestion{Text: "Now?", Shown: "Now?"}
		other := c.delegate(2, to("book another", "sasha"))
		w.now = w.now.Add(2 * time.Hour)
		soon.Pace.ExpireAfter = time.Hour
		c.ask(other, 1, soon)
		shown = c.reads()
		require.Equal(t, "question: Now?", shown[len(shown)-1])
	},
	"a question that is held does not outlive its task unseen where the hours have changed": func(t *testing.T, open Opener) {
		c, w := asleep(t, open, store.Options{})
		task := to("book a train", "sasha")
		task.Deadline = 12 * time.Hour // until half past nine or so
		id := c.delegate(1, task)
		w.now = w.now.Add(2 * time.Hour)
		q := c.ask(id, 1, store.NewQuestion{Text: "Which day?", Shown: "Which day?"})
		require.NotZero(t, q.HeldUntil)
		for _, late := range []bool{false, true} {
			until := c.task(id).Deadline.Add(-time.Minute)
			if late {
				until = until.Add(time.Minute)
			}
			held, err := c.s.HoldQuestion(c.ctx, q, until)
			require.NoError(t, err)
			require.Equal(t, !late, held)
		}
	},
	"in a group whoever is asked is awake, not who else writes": func(t *testing.T, open Opener) {
		w := &wall{monday}
		c := group(t, open(t, store.Options{Now: w.Now}), "quiet")
		w.now = w.now.Add(9 * time.Hour)
		_, err := c.s.SetQuietHours(c.ctx, "ada", "22:00-07:00", "")
		require.NoError(t, err)
		id := c.delegated("ada", 1)
		w.now = w.now.Add(2 * time.Hour)
		require.NotZero(t, c.ask(id, 1, store.NewQuestion{Text: "Which day?", Shown: "Which day?"}).HeldUntil)
		for _, who := range []errand.PersonID{"bob", "ada"} {
			c.writeAs(who, "hello")
			due, err := c.s.DueQuestions(c.ctx, w.now, 10)
			require.NoError(t, err)
			require.Equal(t, who == "ada", len(due) == 1, who)
		}
	},
	"an approval that others decide about does not wait for the night of whoever asked": func(t *testing.T, open Opener) {
		for _, others := range []bool{false, true} {
			c, w := asleep(t, open, store.Options{})
			id := c.delegate(1, to("pay", "sasha"))
			w.now = w.now.Add(2 * time.Hour)
			in := paying(c.sub(id, "sasha", 1, 1), errand.ApproveAlways, `{}`)
			ask := in.Approvals[1]
			ask.Others = others
			in.Approvals[1] = ask
			q, err := c.s.Question(c.ctx, c.commit(in).Calls[0].Question)
			require.NoError(t, err)
			require.Equal(t, others, q.HeldUntil.IsZero())
		}
	},
}
