package app_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand"
	platform "errand/internal/sim/telegram"
	"errand/internal/store"
)

// TestMCPWaits proves what becomes of a call that waits for its task: its client hears how it
// goes, and who cancels the call ends the wait and, only where they have said so, the task.
func TestMCPWaits(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil)
	for name, transport := range in.mcpTransports() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := in.of(t)
			heard := make(chan string, 100)
			c := connectMCP(t, transport(t), &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
				heard <- r.Params.Message
			}})
			begin := func(task string) errand.Task {
				t.Helper()
				var out mcpTask
				c.call("delegate_to_bot", map[string]any{"agent": "sasha", "task": task, "wait_seconds": 0}, &out)
				found, err := in.Store.Task(t.Context(), errand.TaskID(out.ID))
				if err != nil {
					t.Fatal(err)
				}
				return found
			}
			// waits calls await_task, and returns what ends the call and what came of it.
			waits := func(id errand.TaskID, args map[string]any) (cancel func(), over <-chan error) {
				t.Helper()
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error, 1)
				args["task_id"] = id
				params := &mcp.CallToolParams{Name: "await_task", Arguments: args}
				params.SetProgressToken("p-" + string(id))
				go func() {
					_, err := c.CallTool(ctx, params)
					done <- err
				}()
				return cancel, done
			}
			seen := begin("wait seen " + name)
			_, over := waits(seen.ID, map[string]any{})
			hears := func() {
				t.Helper()
				select {
				case said := <-heard:
					if !strings.HasPrefix(said, "sasha: ") {
						t.Errorf("the client hears %q", said)
					}
				case <-time.After(time.Minute):
					t.Fatal("the client hears nothing of its task")
				}
			}
			hears()
			s.open("seen " + name)
			if err := <-over; err != nil {
				t.Error(err)
			}

			kept := begin("wait kept " + name)
			cancel, over := waits(kept.ID, map[string]any{})
			hears()
			cancel()
			if err := <-over; err == nil {
				t.Error("the call that was canceled has an answer")
			}
			s.open("kept " + name)
			if ended := in.ended(kept.ID); ended.State != errand.Completed {
				t.Errorf("the task of a canceled call is %s", ended.State)
			}

			dropped := begin("wait dropped " + name)
			cancel, over = waits(dropped.ID, map[string]any{"cancel_task": true})
			hears()
			cancel()
			<-over
			if ended := in.ended(dropped.ID); ended.State != errand.Canceled {
				t.Errorf("the task that was to be canceled with its call is %s", ended.State)
			}
		})
	}
}

// TestMCPTools proves the tools and resources that need more than one call: a team decides,
// tasks are listed, added to and gone on with, and their transcripts and files are read.
func TestMCPTools(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil)
	c := connectMCP(t, in.mcpTransports()["http"](t), nil)
	yes := "do " + `[{"Tool":"submit_verdict","Args":"{\"answer\":\"YES\",\"confidence\":0.9,\"reasoning\":\"it is ripe\"}"}]`
	var decided struct {
		mcpTask
		Decision string `json:"decision"`
	}
	if text := c.call("ask_team", map[string]any{"agents": []string{"sasha", "finn"}, "task": yes, "policy": "all"}, &decided); decided.Decision != "YES" || !strings.Contains(text, "it is ripe") {
		t.Errorf("the team decides %+v: %s", decided, text)
	}

	var works mcpTask
	c.call("delegate_to_bot", map[string]any{"agent": "sasha", "task": "wait steered", "wait_seconds": 0}, &works)
	s.asked(t, "wait steered")
	c.call("steer_task", map[string]any{"task_id": works.ID, "text": "by night", "wait_seconds": 0}, nil)
	s.open("steered")
	var ended mcpTask
	c.call("await_task", map[string]any{"task_id": works.ID}, &ended)
	if ended.State != "completed" || !strings.Contains(ended.Result, "by night") {
		t.Errorf("what was added to is %+v", ended)
	}
	var next mcpTask
	c.call("steer_task", map[string]any{"task_id": works.ID, "text": "and by day"}, &next)
	if next.ID == works.ID || !strings.Contains(next.Result, "by day") {
		t.Errorf("what was gone on with is %+v", next)
	}

	var list struct{ Tasks []mcpTask }
	c.call("list_tasks", map[string]any{"states": []string{"completed"}, "limit": 2}, &list)
	if len(list.Tasks) != 2 || list.Tasks[0].ID != next.ID || list.Tasks[0].Result != "" {
		t.Errorf("the tasks are %+v", list.Tasks)
	}
	c.call("list_tasks", map[string]any{"states": []string{"failed"}}, &list)
	if len(list.Tasks) != 0 {
		t.Errorf("tasks that failed are %+v", list.Tasks)
	}

	var wrote mcpTask
	c.call("delegate_to_bot", map[string]any{"agent": "sasha", "task": do(tool("write_file", map[string]string{"path": "notes/cake.md", "content": "flour & eggs"}))}, &wrote)
	read := func(path string) (*mcp.ResourceContents, error) {
		got, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "errand://tasks/" + wrote.ID + path})
		if err != nil {
			return nil, err
		}
		return got.Contents[0], nil
	}
	for path, want := range map[string]string{"/files": "notes/cake.md", "/files/notes/cake.md": "flour & eggs", "/files/notes%2Fcake.md": "flour & eggs", "/transcript": "write_file"} {
		if got, err := read(path); err != nil || !strings.Contains(got.Text, want) {
			t.Errorf("%s is %+v, %v", path, got, err)
		}
	}
	for _, path := range []string{"/files/none.md", "/files/../../errand.yaml", "/nothing"} {
		if got, err := read(path); err == nil {
			t.Errorf("%s is %+v", path, got)
		}
	}
	if _, err := in.Store.EnsurePerson(t.Context(), "bob", "Bob", errand.Member); err != nil {
		t.Fatal(err)
	}
	token, _, err := in.Store.CreateToken(t.Context(), store.Token{Person: "bob", Kind: store.TokenAPI}, 0)
	if err != nil {
		t.Fatal(err)
	}
	bob := connectMCP(t, in.mcpFor(token), nil)
	for _, path := range []string{"", "/transcript", "/files", "/files/notes/cake.md"} {
		if got, err := bob.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "errand://tasks/" + wrote.ID + path}); err == nil {
			t.Errorf("somebody else reads %s: %+v", path, got)
		}
	}
}

// TestMCPDeliverTo proves that what an editor delegates is told in its person's chat with the
// agent on Telegram, in the agent's voice and once, and that the editor reads it too; and that
// nobody else's chat can be named.
func TestMCPDeliverTo(t *testing.T) {
	t.Parallel()
	w := newTelegram(t)
	nikki, finn := w.AddBot("errand_bot"), w.AddBot("finn_bot")
	workshop := w.account("workshop", finn)
	workshop.Agent, workshop.Line = "finn", 2
	in, _ := play(t, nil, withAccounts(w.account("main", nikki), workshop))
	there := w.Start(w.ana, finn)
	w.Post(there, w.ana, platform.Post{Text: "hi Finn"})
	w.sees(there, "you said hi Finn")
	ana, err := in.Store.Identify(t.Context(), "telegram", "workshop", strconv.FormatInt(w.ana.ID, 10))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Store.EnsurePerson(t.Context(), "bob", "Bob", errand.Member); err != nil {
		t.Fatal(err)
	}
	as := func(person errand.PersonID) mcpCaller {
		t.Helper()
		token, _, err := in.Store.CreateToken(t.Context(), store.Token{Person: person, Kind: store.TokenAPI, Scope: "delegate"}, 0)
		if err != nil {
			t.Fatal(err)
		}
		return connectMCP(t, in.mcpFor(token), nil)
	}
	args := func(to string) map[string]any {
		return map[string]any{"agent": "finn", "task": "trains", "deliver_to": to}
	}
	if text, failed := as("bob").try("delegate_to_bot", args("telegram/workshop/"+strconv.FormatInt(there.ID, 10)), nil); !failed {
		t.Errorf("somebody else's chat is answered %q", text)
	}
	var got mcpTask
	as(ana.ID).call("delegate_to_bot", args("finn"), &got)
	if got.State != "completed" || !strings.Contains(got.Result, "trains") {
		t.Errorf("the editor reads %+v", got)
	}
	w.sees(there, "you said hi Finn", "Finn on “trains”")
	in.atRest(got.ID)
	in.reconcile() // who looks after what was missed tells nothing again
	w.sees(there, "you said hi Finn", "Finn on “trains”")
}
