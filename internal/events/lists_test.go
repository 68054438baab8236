package events

import (
	"testing"
	"testing/synctest"
	"time"

	"errand/internal/core"
)

// TestLists proves that those who look at lists are told of what changes in theirs, in
// this process and in others, and of all where something may have been missed; and that
// changes which nobody has taken become one.
func TestLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a air
		here, there := a.process(t), a.process(t)
		follow := func(person core.PersonID) func(want Lists, what string) {
			changed, cancel := here.SubscribeLists(person)
			t.Cleanup(cancel)
			return func(want Lists, what string) {
				t.Helper()
				time.Sleep(2 * batchEvery)
				synctest.Wait()
				var got Lists
				select {
				case got = <-changed:
				default:
				}
				if got != want || len(changed) != 0 {
					t.Errorf("%s: %q is told of %03b, want %03b", what, person, got, want)
				}
			}
		}
		mia, pat, anybody := follow("mia"), follow("pat"), follow("")
		all := func(what string, m, p, any Lists) {
			t.Helper()
			mia(m, what)
			pat(p, what)
			anybody(any, what)
		}
		all("nothing has happened", 0, 0, 0)
		here.ChangeLists("mia", Tasks)
		here.ChangeLists("mia", Questions)
		all("a person's, here", Tasks|Questions, 0, Tasks|Questions)
		sent := here.Stats().Received
		there.ChangeLists("pat", Tasks)
		synctest.Wait() // the first goes at once; what follows within batchEvery waits
		for range 100 {
			there.ChangeLists("pat", Deliveries)
			there.ChangeLists("mia", Questions)
		}
		all("two people's, there", Questions, Tasks|Deliveries, AllLists)
		if got := here.Stats().Received - sent; got != 3 {
			t.Errorf("201 changes of two people's lists are %d messages, want the first and one for each", got)
		}
		there.ChangeLists("", Questions)
		all("anybody's", Questions, Questions, Questions)
		here.ChangeLists("mia", 0)
		all("none", 0, 0, 0)
		a.cut()
		time.Sleep(longestWait)
		all("the connection was cut", AllLists, AllLists, AllLists)
	})
}
