package mcpclient

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand/internal/store"
	simmcp "errand/internal/test/sim/mcp"
	"errand/internal/tools"
)

// TestFaultyTools proves what comes of tools that misbehave: each call ends with a clear
// outcome, and the next one works.
func TestFaultyTools(t *testing.T) {
	for _, c := range []struct {
		tool    string
		effect  tools.Effect
		want    string // of the text, or of the error
		unknown bool   // an error: nobody knows what came of it
		again   bool   // the server is started again
		waits   bool   // until the call is given up
	}{
		{tool: "hang", effect: tools.Once, want: "the MCP server sim did not answer in time", unknown: true, waits: true},
		{tool: "hang", effect: tools.ReadOnly, want: "the MCP server sim did not answer in time", unknown: true, waits: true},
		{tool: "die", effect: tools.Once, want: "the MCP server sim broke the connection while sim.die ran", unknown: true, again: true},
		{tool: "die", effect: tools.Idempotent, want: "the MCP server sim broke the connection", unknown: true, again: true},
		{tool: "wrong_id", effect: tools.Once, want: "the MCP server sim did not answer in time", unknown: true, waits: true},
		{tool: "flood", effect: tools.Once, want: "the MCP server sim broke the connection", unknown: true, again: true},
		{tool: "huge", effect: tools.Once, want: "the MCP server sim broke the connection", unknown: true, again: true},
		{tool: "ask", effect: tools.Once, want: "error: the tool did not finish: the MCP server sim asks the user something first"},
		{tool: "fail", effect: tools.Once, want: "error: the MCP server sim says that the call failed:\n[result of the MCP server sim: untrusted data]\nthe disk is full\n["},
		{tool: "refuse", effect: tools.Once, want: "error: the MCP server sim refuses the call (-32602): the text is missing"},
	} {
		t.Run(fmt.Sprint(c.tool, " ", c.effect), func(t *testing.T) {
			t.Parallel()
			server, folder := sim(t)
			server.Effects = map[string]tools.Effect{c.tool: c.effect}
			s := newSet()
			all, _ := run(t, s, func(o *Options) { o.mostMessages = 50 }, server) // a busy machine takes seconds for thousands
			wait(t, "connection", is(all, Connected))
			tool, _ := s.tool("sim." + c.tool)
			ctx, cancel := context.WithTimeout(t.Context(), tool.Timeout)
			defer cancel()
			if c.waits {
				go func() {
					defer cancel() // nobody waits for an answer that does not come
					for ctx.Err() == nil && len(noted(folder, "answered")) == 0 {
						<-time.After(5 * time.Millisecond)
					}
				}()
			}
			got, err := tool.Run(ctx, aCall, []byte(`{}`))
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, c.want) || (err != nil) != c.unknown {
				t.Errorf("it came to %q, %v", got, err)
			}
			if n := len(noted(folder, "calls")); n != 1 {
				t.Errorf("the server was called %d times", n)
			}
			wait(t, "next call", func() bool {
				got, err := call(t, s, "sim.echo", `{"text":"next"}`)
				return err == nil && strings.Contains(got, "you said: next")
			})
			if n := len(noted(folder, "env")); (n > 30) != c.again { // it notes some lines each time it starts
				t.Logf("env has %d lines", n)
			}
			if n := len(noted(folder, "calls")); n < 2 {
				t.Errorf("the server was called %d times", n)
			}
		})
	}
}

// TestFaultyServers proves what the operator reads of servers that cannot be used, and
// that a server with a lesser fault is used all the same.
func TestFaultyServers(t *testing.T) {
	for fault, want := range map[simmcp.Fault]string{
		simmcp.Silent:     "it did not answer in time",
		simmcp.OddVersion: `unsupported protocol version: "1999-01-01"`,
		simmcp.Broken:     "it ended: exit status 3 (sim: a module is missing)",
		simmcp.Endless:    "its list of tools does not end",
		simmcp.Rubbish:    "",
		simmcp.Older:      "",
		simmcp.Stubborn:   "",
		simmcp.Crowded:    "",
	} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			server, _ := sim(t, fault)
			s := newSet()
			all, stop := run(t, s, func(o *Options) {
				if fault == simmcp.Silent {
					o.StartTimeout = 2 * time.Second
				}
			}, server)
			if want == "" {
				wait(t, "connection", is(all, Connected))
				if got, err := call(t, s, "sim.echo", `{"text":"hello"}`); err != nil || !strings.Contains(got, "you said: hello") {
					t.Errorf("echo: %q, %v", got, err)
				}
			} else {
				wait(t, "reason", is(all, Down))
				if got := all.List()[0].Reason; got != want {
					t.Errorf("down because %q, want %q", got, want)
				}
			}
			stop() // it comes to an end, whatever the server does
		})
	}
}

// TestLies proves that what a server says about effects is believed of trusted ones only,
// and that the operator knows best.
func TestLies(t *testing.T) {
	for trust, want := range map[bool]map[string]tools.Effect{
		false: {"sim.write": tools.Once, "sim.echo": tools.Idempotent, "sim.fail": tools.Once},
		true:  {"sim.write": tools.ReadOnly, "sim.echo": tools.Idempotent, "sim.fail": tools.Once},
	} {
		server, _ := sim(t, simmcp.Lies)
		server.Trust, server.Effects = trust, map[string]tools.Effect{"echo": tools.Idempotent}
		s := newSet()
		all, stop := run(t, s, nil, server)
		wait(t, "connection", is(all, Connected))
		for name, effect := range want {
			if tool, _ := s.tool(name); tool.Effect != effect {
				t.Errorf("trusted %v: %s is %s, want %s", trust, name, tool.Effect, effect)
			}
		}
		stop()
	}
}

// TestChange proves that a list which changes while it is used is read again, and not once
// for each time that the server says so.
func TestChange(t *testing.T) {
	server, _ := sim(t)
	s := newSet()
	all, _ := run(t, s, nil, server)
	wait(t, "connection", is(all, Connected))
	if _, ok := s.tool("sim.extra_1"); ok {
		t.Fatal("it is there already")
	}
	if got, err := call(t, s, "sim.change", `{}`); err != nil || !strings.Contains(got, "changed") {
		t.Errorf("change: %q, %v", got, err)
	}
	wait(t, "new tool", func() bool {
		_, ok := s.tool("sim.extra_1")
		return ok
	})
	if got, err := call(t, s, "sim.extra_1", `{"text":"new"}`); err != nil || !strings.Contains(got, "you said: new") {
		t.Errorf("the new tool: %q, %v", got, err)
	}
}

// TestProgress proves that a person is shown how far a call is, in few words on one line.
func TestProgress(t *testing.T) {
	server, folder := sim(t)
	s := newSet()
	all, _ := run(t, s, nil, server)
	wait(t, "connection", is(all, Connected))
	var shown []string
	var mu sync.Mutex
	tool, _ := s.tool("sim.progress")
	ctx := tools.WithProgress(t.Context(), func(text string) {
		mu.Lock()
		defer mu.Unlock()
		shown = append(shown, text)
		if err := os.WriteFile(folder+"/go on", nil, 0o600); err != nil {
			t.Error(err)
		}
	})
	if got, err := tool.Run(ctx, aCall, nil); err != nil || !strings.Contains(got, "read") {
		t.Errorf("progress: %q, %v", got, err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(shown) == 0 || !strings.HasPrefix(shown[0], "sim.progress 25 %: reading xxx") || len([]rune(shown[0])) > 120 {
		t.Errorf("shown: %q", shown)
	}
}

// TestProgressIsRare proves that however often a server tells how far it is, a person is
// shown it once a second.
func TestProgressIsRare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(Server{Name: "sim"}, &Options{Logger: slog.New(slog.DiscardHandler)})
		var shown []string
		token := c.follow(tools.WithProgress(t.Context(), func(text string) { shown = append(shown, text) }), entry{Name: "sim.progress"})
		for i := range 30 {
			c.progress[token](&mcp.ProgressNotificationParams{Progress: float64(i + 1)})
			time.Sleep(100 * time.Millisecond)
		}
		if want := []string{"sim.progress 1", "sim.progress 11", "sim.progress 21"}; !slices.Equal(shown, want) {
			t.Errorf("shown: %q, want %q", shown, want)
		}
	})
}

// TestCancel proves that a server hears of a call that nobody waits for any more.
func TestCancel(t *testing.T) {
	server, folder := sim(t)
	s := newSet()
	all, _ := run(t, s, nil, server)
	wait(t, "connection", is(all, Connected))
	ctx, cancel := context.WithCancel(t.Context())
	tool, _ := s.tool("sim.hang")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tool.Run(ctx, aCall, nil)
	}()
	wait(t, "call", func() bool { return len(noted(folder, "calls")) == 1 })
	cancel()
	<-ended
	wait(t, "word of the cancellation", func() bool { return len(noted(folder, "cancelled")) == 1 })
}

// TestResults proves what a model is given of pictures, files and long texts.
func TestResults(t *testing.T) {
	server, _ := sim(t)
	s := newSet()
	all, _ := run(t, s, nil, server)
	wait(t, "connection", is(all, Connected))
	got, err := call(t, s, "sim.picture", `{}`)
	for _, want := range []string{"[file a-1: image, image/png, ", "[file a-2: today.txt, text/plain", "It begins: the notes of today", "(it points to more: https://example.org/more)"} {
		if !strings.Contains(got, want) {
			t.Errorf("the result lacks %q: %q, %v", want, got, err)
		}
	}
	if got, err := call(t, s, "sim.large", `{}`); err != nil || len(got) < 100_000 {
		t.Errorf("a long result has %d characters, %v", len(got), err)
	}
}

// TestSingle proves that one of two workers runs a server that is to run once, that the
// other offers its tools, and takes it over.
func TestSingle(t *testing.T) {
	server, folder := sim(t)
	server.Single = true
	shared := newSet()
	first, stopFirst := run(t, shared, func(o *Options) { o.LeaseTTL = 100 * time.Millisecond }, server)
	wait(t, "connection", is(first, Connected))
	mine := newSet()
	second, _ := run(t, mine, func(o *Options) {
		o.LeaseTTL, o.Worker, o.Lists, o.Leases, o.Poll = 100*time.Millisecond, "w2", shared, shared, 10*time.Millisecond
	}, server)
	wait(t, "tool of the other worker", func() bool {
		_, ok := mine.tool("sim.echo")
		return ok
	})
	wait(t, "word that another worker runs it", is(second, Elsewhere))
	if n := strings.Count(strings.Join(noted(folder, "env"), "\n"), "\n"+"SIM_MCP="); n != 1 {
		t.Errorf("it was started %d times", n)
	}
	stopFirst()
	wait(t, "connection at the second", is(second, Connected))
	if got, err := call(t, mine, "sim.echo", `{"text":"two"}`); err != nil || !strings.Contains(got, "you said: two") {
		t.Errorf("echo: %q, %v", got, err)
	}
}

// TestElsewhere proves that a worker without a server offers its tools, with the queue of
// those that run it, and no longer once they are gone; and that the server is shown as down
// for as long as it is known that its worker is gone.
func TestElsewhere(t *testing.T) {
	shared := newSet()
	shared.rows["files"] = store.MCPServer{Name: "files", Worker: "w1", Queue: "errand-mcp-files", Alive: true, Tools: []byte(`[{"name":"files.read","remote":"read","schema":{"type":"object"},"effect":"read_only"}]`)}
	mine := newSet()
	all, _ := run(t, mine, func(o *Options) { o.Worker, o.Lists, o.Poll = "w2", shared, 5*time.Millisecond })
	wait(t, "tool", func() bool {
		_, ok := mine.tool("files.read")
		return ok
	})
	tool, _ := mine.tool("files.read")
	if tool.Queue != "errand-mcp-files" || tool.Effect != tools.ReadOnly {
		t.Errorf("it is %+v", tool)
	}
	wait(t, "server in the list", func() bool { list := all.List(); return len(list) == 1 && list[0].State == Elsewhere })
	note := func(alive bool, until time.Time) {
		shared.mu.Lock()
		defer shared.mu.Unlock()
		row := shared.rows["files"]
		row.Alive, row.AliveUntil = alive, until
		shared.rows["files"] = row
	}
	gone := time.Now().Add(-time.Hour)
	note(false, gone)
	wait(t, "end of the tool", func() bool {
		_, ok := mine.tool("files.read")
		return !ok
	})
	wait(t, "word that its worker is gone", func() bool { return is(all, Elsewhere)() && all.List()[0].RemoteState == Down })
	if s := all.List()[0]; !strings.HasPrefix(s.Reason, "its worker is gone: ") || !s.Since.Equal(gone) || s.Worker != "w1" || len(s.Tools) > 0 {
		t.Errorf("listed: %+v", s)
	}
	note(true, time.Now().Add(time.Hour))
	wait(t, "tool that is back", func() bool {
		_, ok := mine.tool("files.read")
		return ok
	})
	note(false, time.Time{})
	wait(t, "end of the server and its tool", func() bool {
		_, ok := mine.tool("files.read")
		return !ok && len(all.List()) == 0
	})
}

// TestHTTP proves that a server is spoken with by HTTP, what comes of a login that
// expired, and that the server is used again once it is renewed.
func TestHTTP(t *testing.T) {
	folder := t.TempDir()
	h := &simmcp.HTTP{Server: simmcp.New(nil, folder)}
	good := "t-1"
	h.Token.Store(&good)
	web := httptest.NewServer(h)
	defer web.Close()
	server := Server{Name: "sim", URL: web.URL, Headers: map[string]string{"Authorization": "Bearer t-1"}, Timeout: time.Minute}
	s := newSet()
	all, _ := run(t, s, func(o *Options) { o.Patience = 100 * time.Millisecond }, server)
	wait(t, "connection", is(all, Connected))
	tool, _ := s.tool("sim.echo")
	if tool.Queue != "" {
		t.Errorf("calls go to the queue %q", tool.Queue)
	}
	if got, err := call(t, s, "sim.echo", `{"text":"web"}`); err != nil || !strings.Contains(got, "you said: web") {
		t.Errorf("echo: %q, %v", got, err)
	}
	renewed := "t-2"
	h.Token.Store(&renewed)
	const refused = "it refuses errand's login (HTTP 401)"
	if got, err := call(t, s, "sim.write", `{}`); err != nil || !strings.HasPrefix(got, "error: the tool was not run: ") || !strings.Contains(got, refused) {
		t.Errorf("with a login that expired: %q, %v", got, err)
	}
	wait(t, "reason", func() bool { return is(all, Down)() && strings.Contains(all.List()[0].Reason, refused) })
	if got := noted(folder, "calls"); slices.Contains(got, "write") {
		t.Errorf("it was called: %q", got)
	}
	h.Token.Store(&good)
	wait(t, "connection with a good login", is(all, Connected))
	hang, _ := s.tool("sim.hang")
	brief, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if got, err := hang.Run(brief, aCall, nil); err == nil || !strings.Contains(err.Error(), "did not answer in time") {
		t.Errorf("hang: %q, %v", got, err)
	}
	web.CloseClientConnections()
	web.Close()
	// That it has gone may be noticed when the request is on its way: then nobody knows.
	got, err := call(t, s, "sim.echo", `{}`)
	if err != nil && !strings.Contains(err.Error(), "broke the connection") || err == nil && !strings.Contains(got, "error: the tool was not run: ") {
		t.Errorf("gone: %q, %v", got, err)
	}
	wait(t, "reason", is(all, Down))
}
