package workflows_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"errand/workflows/workflowtest"
)

// until lets time pass up to a time of day in UTC, with a pass of the watchdog at the end.
func until(in *workflowtest.Installation, clock string) {
	in.T.Helper()
	at, err := time.Parse("15:04", clock)
	if err != nil {
		in.T.Fatal(err)
	}
	now := time.Now().UTC()
	next := time.Date(now.Year(), now.Month(), now.Day(), at.Hour(), at.Minute(), 0, 0, time.UTC)
	if !next.After(now) {
		next = next.AddDate(0, 0, 1)
	}
	in.Pass(next.Sub(now))
	in.Reconcile()
	in.Pass(10 * time.Second)
}

// readsAll reports whether there is one text for each of some words, and no other. What
// comes at one moment comes in no certain order.
func readsAll(read, want []string) bool {
	left := slices.Clone(read)
	for _, w := range want {
		i := slices.IndexFunc(left, func(text string) bool { return strings.Contains(text, w) })
		if i < 0 {
			return false
		}
		left = slices.Delete(left, i, i+1)
	}
	return len(left) == 0
}

// TestQuietHours proves what a person reads when, who has quiet hours: late results, new
// questions and reminders of questions wait until they are over, and then come once, the
// results together; nothing waits for somebody who has just written, and no answer does.
func TestQuietHours(t *testing.T) {
	const quiet = "/quiet 22:00-07:00"
	late := func(agent, text string) string { return do(send(agent, text)) }
	type step struct {
		at   string // time of day
		says string // the person
		want []string
	}
	tests := []struct {
		name  string
		steps []step
		plays []string // Sasha, whatever she is told
	}{
		{"a result waits for the morning", []step{
			{"21:00", quiet, []string{"22:00-07:00, by the clocks of UTC"}},
			{"21:10", late("sasha", "wait 3h"), []string{"at work"}},
			{"00:30", "", nil},
			{"00:31", "/status", []string{"wait 3h): held until 07:00 (quiet hours). Write here to read it now."}},
			{"00:32", "/tasks", []string{"held until 07:00 (quiet hours)"}},
			{"06:59", "", nil},
			{"07:00", "", []string{"done 3h"}},
			{"08:00", "", nil},
		}, nil},
		{"one that comes before is told at once", []step{
			{"18:00", quiet, []string{"22:00-07:00"}},
			{"18:10", late("sasha", "wait 3h"), []string{"at work"}},
			{"21:30", "", []string{"done 3h"}},
		}, nil},
		{"several are told together", []step{
			{"21:00", quiet, []string{"22:00-07:00"}},
			{"21:10", do(send("sasha", "wait 3h"), send("finn", "wait 4h"), send("priest", "wait 5h")), []string{"at work"}},
			{"00:30", "", nil}, {"01:30", "", nil}, {"04:00", "", nil},
			{"07:00", "", []string{"done 3h"}},
			{"07:30", "", nil},
		}, nil},
		{"who writes at night is awake", []step{
			{"21:00", quiet, []string{"22:00-07:00"}},
			{"21:10", late("sasha", "wait 3h"), []string{"at work"}},
			{"00:30", "", nil},
			{"01:00", "hello", []string{"done 3h"}},
			{"07:00", "", nil},
		}, nil},
		{"who has just written is awake", []step{
			{"21:00", quiet, []string{"22:00-07:00"}},
			{"23:00", late("sasha", "wait 20m"), []string{"at work"}},
			{"23:25", "", []string{"done 20m"}},
		}, nil},
		{"a failure waits, too", []step{
			{"21:00", quiet, []string{"22:00-07:00"}},
			{"21:10", late("sasha", "after 3h fail"), []string{"at work"}},
			{"00:30", "", nil},
			{"07:00", "", []string{"failed"}},
		}, nil},
		{"an answer that takes long comes when it is there", []step{
			{"21:00", quiet, []string{"22:00-07:00"}},
			{"21:59", "wait 3m", nil},
			{"22:05", "", []string{"done 3m"}},
		}, nil},
		{"a new question waits", []step{
			{"21:00", quiet, []string{"22:00-07:00"}},
			{"21:10", late("sasha", "after 3h "+do(asks("Which day?"))), []string{"at work"}},
			{"00:30", "", nil},
			{"00:31", "/questions", []string{"held until 07:00 (quiet hours)"}},
			{"07:00", "", []string{"Which day?"}},
			{"07:30", "", nil},
		}, nil},
		{"a question that was held is shown to who writes", []step{
			{"21:00", quiet, []string{"22:00-07:00"}},
			{"21:10", late("sasha", "after 3h "+do(asks("Which day?"))), []string{"at work"}},
			{"00:30", "", nil},
			{"01:00", "say hello", []string{"hello", "Which day?"}},
			{"02:30", "", nil},
			{"07:00", "", []string{"Sasha still waits"}},
		}, nil},
		{"a reminder of a question waits", []step{
			{"20:00", quiet, []string{"22:00-07:00"}},
			{"21:10", late("sasha", "after 10m "+do(asks("Which day?"))), []string{"at work"}},
			{"21:25", "", []string{"Which day?"}},
			{"22:30", "", nil}, {"03:00", "", nil},
			{"07:00", "", []string{"Sasha still waits"}},
			{"08:00", "", nil},
			{"21:30", "", []string{"Sasha still waits"}},
		}, nil},
		{"a result of /team waits", []step{
			{"21:00", quiet, []string{"22:00-07:00"}},
			{"21:10", "/team @sasha read the trains", []string{"Sasha is on it"}},
			{"00:30", "", nil},
			{"07:00", "", []string{"Sasha on “read the trains”"}},
		}, []string{"wait 3h"}},
		{"no quiet hours any more", []step{
			{"21:00", quiet, []string{"22:00-07:00"}},
			{"21:10", do(send("sasha", "wait 3h"), send("finn", "after 3h "+do(asks("Which day?")))), []string{"at work"}},
			{"00:30", "", nil},
			{"01:00", "/quiet off", []string{"You have no quiet hours now", "Which day?", "done 3h"}},
			{"07:00", "", []string{"Finn still waits"}},
		}, nil},
		{"by the person's own clock", []step{
			{"20:00", quiet + " America/New_York", []string{"by the clocks of America/New_York"}},
			{"20:10", late("sasha", "wait 3h"), []string{"at work"}},
			{"23:20", "", []string{"done 3h"}},
			{"02:00", late("sasha", "wait 3h"), []string{"at work"}},
			{"05:10", "", nil},
			{"11:59", "", nil},
			{"12:00", "", []string{"done 3h"}},
		}, nil},
		{"a restart in the night", []step{
			{"21:00", quiet, []string{"22:00-07:00"}},
			{"21:10", late("sasha", "wait 3h"), []string{"at work"}},
			{"00:30", "", nil},
			{"02:00", "restart", nil},
			{"07:00", "", []string{"done 3h"}},
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				in.Stage.Plays("sasha", tt.plays...)
				seen := 0
				for _, s := range tt.steps {
					until(in, s.at)
					said := ""
					switch {
					case s.says == "restart":
						if in.IsRunning(string(workflowtest.Key("main"))) {
							t.Error("the session still runs")
						}
					case s.says != "":
						said = in.Command(s.says)
						in.Reconcile()
						in.Pass(5 * time.Second)
					}
					all := in.Read()
					read := slices.Clone(all[seen:])
					if said != "" {
						read = append([]string{said}, read...)
					}
					seen = len(all)
					if !readsAll(read, s.want) {
						t.Errorf("at %s (%q) the person reads\n\t%q\nwant\n\t%q", s.at, s.says, read, s.want)
					}
				}
			})
		})
	}
}
