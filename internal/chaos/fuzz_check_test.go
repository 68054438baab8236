package chaos

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// wait waits until both workers take messages.
func (f *fuzz) wait(d time.Duration) {
	f.t.Helper()
	deadline := time.Now().Add(d + time.Minute)
	for i := range workers {
		for {
			resp, err := http.Get("http://" + f.control[i] + "/tasks")
			if err == nil {
				resp.Body.Close()
				break
			}
			if time.Now().After(deadline) {
				f.t.Fatalf("worker %d is not there; its log:\n%s", i, f.workers[i].text())
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
}

// leftovers are what must be empty once everything has settled.
var leftovers = map[string]string{
	"messages that no turn has taken": `SELECT count(*) FROM inbox WHERE turn IS NULL AND NOT superseded`,
	"open turns":                      `SELECT count(*) FROM turns WHERE open`,
	"open tasks":                      `SELECT count(*) FROM tasks WHERE state IN ('submitted', 'working', 'input_required')`,
	"results with no way":             `SELECT count(*) FROM tasks WHERE way = ''`,
	"undelivered rows":                `SELECT count(*) FROM outbox WHERE state IN ('pending', 'sending', 'unknown', 'blocked')`,
	"reservations":                    `SELECT count(*) FROM reservations`,
}

// left says what is still open; "" when nothing is.
func (f *fuzz) left() string {
	var list []string
	for what, query := range leftovers {
		var n int
		if err := f.db.QueryRowContext(f.t.Context(), query).Scan(&n); err != nil {
			return err.Error()
		}
		if n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, what))
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// settle waits until everything that was begun has ended, and stays so.
func (f *fuzz) settle(most time.Duration) {
	f.t.Helper()
	began, quiet := time.Now(), 0
	for {
		left := f.left()
		if left == "" {
			if quiet++; quiet == 20 {
				f.log.add("all has settled, %s after the last fault", time.Since(began).Round(time.Second))
				return
			}
		} else {
			quiet = 0
		}
		if time.Since(began) > most {
			f.t.Errorf("not settled %s after the last fault: %s\n%s", most, left, f.running())
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// running says what Temporal holds for running, and what each of it waits for.
func (f *fuzz) running() string {
	ctx, cancel := context.WithTimeout(f.t.Context(), 20*time.Second)
	defer cancel()
	c, err := client.DialContext(ctx, client.Options{HostPort: "127.0.0.1:" + f.ports[:strings.IndexByte(f.ports, ',')]})
	if err != nil {
		return err.Error()
	}
	defer c.Close()
	list, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: "ExecutionStatus = 'Running'", PageSize: 100})
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, e := range list.Executions {
		d, err := c.DescribeWorkflowExecution(ctx, e.Execution.WorkflowId, "")
		if err != nil {
			fmt.Fprintf(&b, "%s: %v\n", e.Execution.WorkflowId, err)
			continue
		}
		fmt.Fprintf(&b, "%s: %d events", e.Execution.WorkflowId, d.WorkflowExecutionInfo.HistoryLength)
		if t := d.PendingWorkflowTask; t != nil {
			fmt.Fprintf(&b, ", workflow task %s since %s, attempt %d", t.State, t.ScheduledTime.AsTime().Format(time.TimeOnly), t.Attempt)
		}
		for _, a := range d.PendingActivities {
			fmt.Fprintf(&b, ", %s %s attempt %d, begun %s, heartbeat %s, next %s: %s", a.ActivityType.GetName(), a.State, a.Attempt,
				a.LastStartedTime.AsTime().Format(time.TimeOnly), a.LastHeartbeatTime.AsTime().Format(time.TimeOnly), a.NextAttemptScheduleTime.AsTime().Format(time.TimeOnly), a.LastFailure.GetMessage())
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

var (
	answerPattern = regexp.MustCompile(`answers ([^|]*)\|`)
	tokenPattern  = regexp.MustCompile(`\bm\d+\b`)
)

// check holds what people read against what they wrote and what was done for them.
func (f *fuzz) check() {
	answered, told := map[string]int{}, map[string]int{}
	messages, results := 0, 0
	for _, c := range f.chats {
		for _, text := range f.reads(c) {
			if c.chat != nil && strings.HasPrefix(text, "Repeating this") {
				continue // Telegram cannot say whether the first arrived
			}
			for _, list := range answerPattern.FindAllStringSubmatch(text, -1) {
				for _, token := range tokenPattern.FindAllString(list[1], -1) {
					answered[token]++
				}
			}
			for _, token := range donePattern.FindAllStringSubmatch(text, -1) {
				told[token[1]]++
			}
		}
		for _, token := range c.sent {
			messages++
			if n := answered[token]; n > 1 || n == 0 && !c.commands {
				f.t.Errorf("message %s in %s was answered %d times", token, c.name, n)
			}
		}
	}
	rows, err := f.db.QueryContext(f.t.Context(), `SELECT id, text, state, way, origin FROM tasks ORDER BY created`)
	if err != nil {
		f.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, text, state, way, origin string
		if err := rows.Scan(&id, &text, &state, &way, &origin); err != nil {
			f.t.Fatal(err)
		}
		work := workPattern.FindStringSubmatch(text)
		if work == nil || strings.HasSuffix(work[1], "x") {
			continue // one that a sub-agent asked for
		}
		results++
		n := told[work[1]]
		switch {
		case n > 1:
			f.t.Errorf("the result of %s (%s, %s, way %q) was told %d times; asked for in %s", work[1], id, state, way, n, origin)
		case state == "completed" && way != "none" && n == 0:
			f.t.Errorf("the result of %s (%s), whose way is %q, was told to nobody; asked for in %s", work[1], id, way, origin)
		case state != "completed" && state != "canceled":
			f.t.Errorf("task %s (%s) is %s", work[1], id, state)
		}
	}
	if err := rows.Err(); err != nil {
		f.t.Fatal(err)
	}
	for i, w := range f.workers {
		if log := w.text(); strings.Contains(strings.ToLower(log), "nondeterminis") {
			f.t.Errorf("worker %d met a history that its code does not make", i)
		}
	}
	f.t.Logf("%d messages, %d tasks; faults:\n%s", messages, results, &f.log)
}

// reads returns what the person of a chat reads of ours.
func (f *fuzz) reads(c *fuzzChat) (texts []string) {
	if c.chat != nil {
		for _, l := range f.platform.Lines(c.chat) {
			texts = append(texts, l.Text)
		}
		return texts
	}
	rows, err := f.db.QueryContext(f.t.Context(),
		`SELECT text FROM events WHERE session_key LIKE $1 AND type IN ('reply', 'question', 'late', 'notice') ORDER BY id`, "session/web/local/"+c.name+"/%")
	if err != nil {
		f.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			f.t.Fatal(err)
		}
		texts = append(texts, text)
	}
	if err := rows.Err(); err != nil {
		f.t.Fatal(err)
	}
	return texts
}

// print writes down what a failure can be read from.
func (f *fuzz) print() {
	dir := os.Getenv("ERRAND_CHAOS_LOGS")
	if dir == "" {
		f.t.Logf("ERRAND_CHAOS_SEED=%d; faults:\n%s\nERRAND_CHAOS_LOGS names a folder for the logs", f.seed, &f.log)
		return
	}
	for _, s := range append(f.workers[:], f.temporal) {
		name := filepath.Join(dir, fmt.Sprintf("%d-%s.log", f.seed, strings.ReplaceAll(s.name, " ", "-")))
		if err := os.WriteFile(name, []byte(s.text()), 0o600); err != nil {
			f.t.Error(err)
		}
	}
	f.t.Logf("ERRAND_CHAOS_SEED=%d; faults:\n%s\nlogs are in %s", f.seed, &f.log, dir)
}
