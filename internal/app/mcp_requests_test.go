package app_test

import (
	"strings"
	"testing"

	"errand/internal/test/servicetest"
)

// What an editor reads of its requests.
type mcpRequests struct {
	Request *struct {
		ID   string `json:"request"`
		From string `json:"from"`
		Text string `json:"text"`
	} `json:"request"`
}

// TestEditorIsAnAgent proves that an editor which registers over MCP, with the protocol's SDK over
// HTTP and standard input and output, gets what a chat delegates to it while it waits for a request;
// and that its answer comes to the chat, also after errand has been started again.
func TestEditorIsAnAgent(t *testing.T) {
	t.Parallel()
	in, _ := play(t, nil)
	for name, transport := range in.mcpTransports() {
		t.Run(name, func(t *testing.T) {
			c := connectMCP(t, transport(t), nil)
			chat, agent := "edited-"+name, "zed-"+name
			if text, failed := c.try("next_request", map[string]any{"name": agent, "wait_seconds": 0}, nil); !failed || !strings.Contains(text, "register_agent") {
				t.Errorf("who has not registered is answered %q", text)
			}
			if text, failed := c.try("register_agent", map[string]any{"name": "sasha", "description": "me"}, nil); !failed || !strings.Contains(text, "sasha-editor") {
				t.Errorf("who takes the name of an agent is answered %q", text)
			}
			c.call("register_agent", map[string]any{"name": agent, "description": "edits the shop"}, nil)
			if text := c.call("list_agents", nil, nil); !strings.Contains(text, agent+", which the user has registered: edits the shop") {
				t.Errorf("the agents are %q", text)
			}
			var got mcpRequests
			if text := c.call("next_request", map[string]any{"name": agent, "wait_seconds": 0}, &got); got.Request != nil || !strings.Contains(text, "no request yet") {
				t.Errorf("without a request it is %q", text)
			}
			waited := make(chan mcpRequests, 1)
			go func() {
				var got mcpRequests
				c.call("next_request", map[string]any{"name": agent}, &got)
				waited <- got
			}()
			in.of(t).send(chat, do(send(agent, "rename it")))
			got = <-waited
			if got.Request == nil || got.Request.Text != "rename it" || got.Request.From != "nikki" {
				t.Fatalf("the editor is given %+v", got)
			}
			var again mcpRequests
			if c.call("next_request", map[string]any{"name": agent, "wait_seconds": 0}, &again); again.Request == nil || *again.Request != *got.Request {
				t.Errorf("before its answer the editor gets %+v, want the same request", again.Request)
			}
			answer := map[string]any{"request": got.Request.ID, "text": "renamed in 3 files"}
			c.call("answer_request", answer, nil)
			in.of(t).until(webKey(chat), hasText("renamed in 3 files"))
			if text, failed := c.try("answer_request", map[string]any{"request": got.Request.ID, "text": "no"}, nil); !failed {
				t.Errorf("another answer is answered %q", text)
			}
			c.call("answer_request", answer, nil) // the same again, as after a lost answer
			if text, failed := c.try("answer_request", map[string]any{"request": "t-none/" + agent, "text": "no"}, nil); !failed {
				t.Errorf("an answer to nothing is answered %q", text)
			}
		})
	}
	t.Run("over a restart", func(t *testing.T) {
		in := in.of(t)
		http := in.mcpTransports()["http"]
		c := connectMCP(t, http(t), nil)
		c.call("register_agent", map[string]any{"name": "vim", "description": "edits"}, nil)
		chat := in.send("restarted", do(send("vim", "rename it")))
		in.until(chat, replies(1))
		var got mcpRequests
		c.call("next_request", map[string]any{"name": "vim"}, &got)
		if got.Request == nil {
			t.Fatal("there is no request")
		}
		id := got.Request.ID
		in.stop()
		in.start()
		c = connectMCP(t, in.mcpTransports()["http"](t), nil)
		got = mcpRequests{}
		c.call("next_request", map[string]any{"name": "vim", "wait_seconds": 0}, &got)
		if got.Request == nil || got.Request.ID != id || got.Request.Text != "rename it" {
			t.Errorf("after the restart it gets %+v", got.Request)
		}
		c.call("answer_request", map[string]any{"request": id, "text": "renamed in 4 files"}, nil)
		in.until(chat, hasText("renamed in 4 files"))
		stopped := in.send("stopped", do(send("vim", "rename more")))
		in.until(stopped, replies(1))
		got = mcpRequests{}
		c.call("next_request", map[string]any{"name": "vim"}, &got)
		task := in.awaitTasks("stopped", 1)[0]
		if _, err := servicetest.CancelTask(t.Context(), in.Service, owner, task.ID, "no more"); err != nil {
			t.Fatal(err)
		}
		got = mcpRequests{}
		if c.call("next_request", map[string]any{"name": "vim", "wait_seconds": 0}, &got); got.Request != nil {
			t.Errorf("after the cancel the editor gets %+v", got.Request)
		}
	})
}
