package chaos

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"errand/internal/core"
	simmcp "errand/internal/test/sim/mcp"
)

// A story is what ann asks for, and what may come of it.
type story struct {
	text      string
	setUp     func(*world)             // what errand needs for it; nil: nothing besides
	delivered func(seen []string) bool // ann has read all that there is to read
	tasks     int
	done      func(core.Task) bool // each of them has ended as it must; nil: completed, and told
	// then is what is done once ann has read it, if that is what is killed: until
	// it is done, or the worker is dead.
	then func(ctx context.Context, w *world, dead <-chan struct{})
	end  func(context.Context, *world) // what must have come of that
}

// An errand is sent off in the background, and its result told. That it was
// begun is told before, unless the result was there when the turn went on after
// the kill.
var errands = &story{text: "send Sasha", tasks: 1, delivered: func(seen []string) bool {
	const begun, result = "Sasha is at it", "Sasha says: two trains"
	return slices.Equal(seen, []string{begun, result}) || slices.Equal(seen, []string{result})
}}

// Two agents are sent at once, by a program. What ends with the report of one agent
// ends here when both have reported.
var several = &story{
	text: "good evening", tasks: 1,
	delivered: func(seen []string) bool {
		return slices.Equal(seen, []string{"you said good evening", "Sasha says: two trains"})
	},
	then: func(ctx context.Context, w *world, _ <-chan struct{}) {
		for !slices.Equal(w.platform.Seen("ann"), []string{"you said good evening"}) {
			if !w.pause(ctx) {
				return
			}
		}
		form := url.Values{"channel": {"platform"}, "chat": {"ann"}, "agent": {"sasha", "finn"}, "text": {"night trains to Oslo"}}
		if err := w.post(ctx, "/tasks", form); err != nil {
			w.t.Errorf("nobody was sent: %v", err)
		}
	},
}

// sendSasha waits until ann has been answered and has Sasha sent by a program, and returns
// her task.
func (w *world) sendSasha(ctx context.Context) (id core.TaskID) {
	for !slices.Equal(w.platform.Seen("ann"), []string{"you said good evening"}) {
		if !w.pause(ctx) {
			return ""
		}
	}
	form := url.Values{"channel": {"platform"}, "chat": {"ann"}, "agent": {"sasha"}, "text": {"night trains to Oslo"}}
	if err := w.post(ctx, "/tasks", form); err != nil {
		w.t.Errorf("nobody was sent: %v", err)
	}
	list, err := w.tasks(ctx)
	if err != nil || len(list) != 1 {
		w.t.Errorf("tasks are %v, %v", list, err)
		return ""
	}
	return list[0].ID
}

// Ann adds to a task while Sasha works on it.
var steered = &story{
	text: "good evening", tasks: 1, delivered: several.delivered,
	setUp: func(w *world) { w.ledger.delay(sashas) },
	then: func(ctx context.Context, w *world, _ <-chan struct{}) {
		w.send(ctx, "ann", "m-more", "/task "+string(w.sendSasha(ctx))+" by night")
		w.ledger.resume(sashas)
	},
	end: func(_ context.Context, w *world) {
		if n := w.ledger.called("sasha: look at notes for [added to the task by the user:]\nby night"); n != 1 {
			w.t.Errorf("Sasha was given %d times what was added", n)
		}
	},
}

// Ann goes on with a task that has ended.
var goneOn = &story{
	text: "good evening", tasks: 2,
	delivered: func(seen []string) bool {
		return slices.Equal(seen, []string{"you said good evening", "Sasha says: two trains", "Sasha says: two trains"})
	},
	then: func(ctx context.Context, w *world, _ <-chan struct{}) {
		id := w.sendSasha(ctx)
		for !several.delivered(w.platform.Seen("ann")) {
			if !w.pause(ctx) {
				return
			}
		}
		w.send(ctx, "ann", "m-more", "/task "+string(id)+" and back")
	},
}

// Maintenance ends ann's session, which rests.
var maintenance = &story{
	text:      "good day",
	delivered: func(seen []string) bool { return slices.Equal(seen, []string{"you said good day"}) },
	then: func(ctx context.Context, w *world, dead <-chan struct{}) {
		for !slices.Contains(w.sessions(ctx), "platform/ann: suspended") {
			if !w.pause(ctx) {
				return
			}
		}
		for w.post(ctx, "/maintenance", nil) != nil {
			select {
			case <-dead:
				return
			default:
			}
			if !w.pause(ctx) {
				return
			}
		}
	},
	end: func(ctx context.Context, w *world) {
		for !slices.Contains(w.sessions(ctx), "platform/ann: ended") || !w.maintained(ctx) {
			if !w.pause(ctx) {
				w.t.Fatalf("maintenance was not finished: %q; log:\n%s", w.sessions(ctx), w.logs())
			}
		}
	},
}

// A conversation is handed over.
var handover = &story{text: "transfer me to Sasha", delivered: func(seen []string) bool {
	return slices.Equal(seen, []string{"Sasha takes over.", "Sasha here"})
}}

// Ann asks to be reminded, and is.
var reminder = &story{text: "remind me", delivered: func(seen []string) bool {
	return slices.Equal(seen, []string{"I will remind you", "It is time for tea"})
}}

// Ann has a tool used that tells the ledger of each run, under the key of its call.
func usesTool(name, says string, runs int) *story {
	return &story{
		text:      "use " + name,
		delivered: func(seen []string) bool { return slices.Equal(seen, []string{"it said " + says}) },
		end: func(_ context.Context, w *world) {
			keys, n := w.ledger.ranTool(name)
			if n != runs || keys > 1 {
				w.t.Errorf("%s was run %d times, under %d keys; want %d, all under one", name, n, keys, runs)
			}
		},
	}
}

// Ann has a file written, whose one version is that of the one call.
var file = &story{text: "use write_file", delivered: func(seen []string) bool {
	return slices.Equal(seen, []string{"it said trains.md is written: version 1, 19 bytes."})
}}

// Ann has a tool of an MCP server used, which notes its calls.
func usesServer(name, says string, calls int) *story {
	var folder string
	return &story{
		text: "use sim." + name,
		delivered: func(seen []string) bool { // what a server says stands between marks
			return len(seen) == 1 && strings.HasPrefix(seen[0], "it said ") && strings.Contains(seen[0], says)
		},
		setUp: func(w *world) {
			folder = w.t.TempDir()
			server := httptest.NewServer(&simmcp.HTTP{Server: simmcp.New(nil, folder)})
			w.t.Cleanup(server.Close)
			w.configure(fmt.Sprintf("mcp_servers: [{name: sim, url: %q, effects: {echo: read_only}}]\n", server.URL))
		},
		end: func(_ context.Context, w *world) {
			noted, err := os.ReadFile(filepath.Join(folder, "calls"))
			if n := strings.Count(string(noted), name); n != calls || err != nil && calls > 0 {
				w.t.Errorf("the server's tool %s was called %d times, want %d (%v)", name, n, calls, err)
			}
		},
	}
}
