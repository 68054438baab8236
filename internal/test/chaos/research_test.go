package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/llm/scripted"
	"errand/internal/test/sim/models"
	"errand/internal/tools"
)

var picture = flag.String("picture", "", "where TestResearch writes a picture of its run, an SVG; the model takes its time then")

// What Sasha is asked, and what the pages say that she finds.
const question = "Which night trains go from Oslo to Stockholm? With your sources, please."

var sources = []struct{ path, title, fact string }{
	{"/timetable", "Timetable", "the night train leaves Oslo S at 21:47"},
	{"/fares", "Fares", "a berth costs 890 kronor"},
	{"/notices", "Notices", "no train runs in the night to Sunday"},
}

// TestResearch proves that a research errand comes to its cited report although the
// process is killed twice on the way: while it reads pages, and while the model writes
// the report. Nikki has delegated it in the background. The result is told once. No
// model call that had finished is made again, and what must not run twice has run once.
func TestResearch(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	w := newWorld(t, point{}, setting{target: embedded})
	r := newResearch(w)
	web := httptest.NewServer(http.HandlerFunc(r.web))
	t.Cleanup(web.Close)
	model := httptest.NewServer(models.Serve(r))
	t.Cleanup(model.Close)
	t.Cleanup(r.cancel) // what is held is let go before its server is closed
	w.configure(fmt.Sprintf("web:\n  search: {engine: searxng, base_url: %q}\n  fetch: {allow: [%q]}\n", web.URL, strings.TrimPrefix(web.URL, "http://")))
	w.env = append(w.env, "OPENAI_BASE_URL="+model.URL+"/v1")

	r.start(ctx)
	w.send(ctx, "ann", "m1", question)
	r.note("Ann", "asks")
	r.await(ctx, "ann hears who is on it", func() bool { return len(w.platform.Seen("ann")) == 1 })
	r.note("Ann", "reads who is on it")
	r.await(ctx, "one of the pages is still being read", func() bool { return r.was("reading") && r.finished("web", "pages") == len(sources)-1 })
	r.kill()
	r.start(ctx)
	r.await(ctx, "the report is being written", func() bool { return r.was("writing") })
	r.kill()
	r.start(ctx)
	r.await(ctx, "the result is told", func() bool { return len(w.platform.Seen("ann")) == 2 })
	r.note("Ann", "reads the result")
	r.over()

	// The same message once more, and another behind it: nothing new comes of the first.
	w.send(ctx, "ann", "m1", question)
	w.send(ctx, "bob", "m2", "hello")
	r.await(ctx, "bob is answered", func() bool { return len(w.platform.Seen("bob")) == 1 })

	seen := w.platform.Seen("ann")
	if len(seen) != 2 || seen[0] != "Sasha is on it." {
		t.Fatalf("ann reads %q", seen)
	}
	for _, s := range sources {
		if !strings.Contains(seen[1], s.fact+" ("+web.URL+s.path+")") {
			t.Errorf("the result does not say that %s, and where that stands:\n%s", s.fact, seen[1])
		}
	}
	if keys, runs := w.ledger.ranTool("ledger.pay"); keys != 1 || runs != 1 {
		t.Errorf("what must not run twice was run %d times, under %d keys", runs, keys)
	}
	r.checkCalls(t)
	list, err := w.tasks(ctx)
	if err != nil || len(list) != 1 || list[0].State != core.Completed || list[0].Way != core.WayFold {
		t.Errorf("tasks are %+v (%v)", list, err)
	}
	if *picture != "" && !t.Failed() {
		if err := os.WriteFile(*picture, r.draw(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// research is everything outside of errand that the errand needs: the model's provider,
// a search engine, and the pages.
type research struct {
	world *world
	*timeline
	deaths int             // of errand, that are not the test's doing
	done   context.Context // ends with the test
	cancel context.CancelFunc
}

func newResearch(w *world) *research {
	r := &research{world: w, timeline: newTimeline()}
	r.done, r.cancel = context.WithCancel(context.Background())
	return r
}

// start starts errand, as often as it takes: on a machine that is too busy the embedded
// Temporal gives up, and whoever supervises errand starts it again.
func (r *research) start(ctx context.Context) {
	r.world.startWorker("")
	r.await(ctx, "errand is there", func() bool {
		select {
		case <-r.world.worker.done:
			r.cut()
			r.deaths++
			r.world.startWorker("")
		default:
		}
		_, err := r.world.tasks(ctx)
		return err == nil
	})
	r.begin("errand", "")
}

func (r *research) kill() {
	r.world.worker.kill()
	r.cut()
	r.noteKill()
}

func (r *research) await(ctx context.Context, what string, ok func() bool) {
	r.world.t.Helper()
	for !ok() {
		if !r.world.pause(ctx) {
			r.world.t.Fatalf("it did not come to this: %s; ann reads %q; calls are %q; log:\n%s", what, r.world.platform.Seen("ann"), r.names(), r.world.logs())
		}
	}
}

// checkCalls checks that each model call that had finished was made once, and that only
// the one that was cut off was made again. Where errand died by itself, which calls that
// cut off is chance.
func (r *research) checkCalls(t *testing.T) {
	finished, cut := map[string]int{}, []string{}
	for _, s := range r.spans {
		switch {
		case s.lane != "nikki" && s.lane != "sasha":
		case s.cut:
			cut = append(cut, s.what)
		default:
			finished[s.what]++
		}
	}
	for what, n := range finished {
		if n > 1 {
			t.Errorf("the model call %q had finished, and was paid %d times", what, n)
		}
	}
	if r.deaths == 0 && !slices.Equal(cut, []string{"writes the report"}) || finished["writes the report"] != 1 {
		t.Errorf("cut off: %q; finished: %v", cut, finished)
	}
}

// web is a SearXNG, and the pages that it finds. The second page stands still when it is
// read first.
func (r *research) web(w http.ResponseWriter, req *http.Request) {
	base := "http://" + req.Host
	if req.URL.Path == "/search" {
		defer r.begin("web", "search")()
		var results []any
		for _, s := range sources {
			results = append(results, map[string]any{"url": base + s.path, "title": s.title, "content": "About night trains."})
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"query": req.FormValue("q"), "results": results, "unresponsive_engines": []any{}})
		return
	}
	i := slices.IndexFunc(sources, func(s struct{ path, title, fact string }) bool { return s.path == req.URL.Path })
	if i < 0 {
		http.NotFound(w, req)
		return
	}
	end := r.begin("web", "pages")
	if i == 1 && r.first("reading") {
		r.hold(req.Context())
		return
	}
	r.takeTime(req.Context())
	defer end()
	fmt.Fprintf(w, "<!doctype html><title>%s</title><article><h1>%[1]s</h1><p>This much is certain: %[2]s.</p></article>", sources[i].title, sources[i].fact)
}

// hold lets a request wait until its client is gone.
func (r *research) hold(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-r.done.Done():
	}
}

// takeTime waits as long as a model or a site does, where somebody wants to see it.
func (r *research) takeTime(ctx context.Context) {
	if *picture == "" {
		return
	}
	select {
	case <-time.After(600 * time.Millisecond):
	case <-ctx.Done():
	}
}

// Complete answers as the model. Half of the report stands still when it is written first.
func (r *research) Complete(ctx context.Context, in llm.Request, deltas func(llm.Delta)) (llm.Response, error) {
	agent, what, a := answerAs(scripted.NewTurn(in))
	end := r.begin(agent, what)
	r.takeTime(ctx)
	if what == "writes the report" && r.first("writing") {
		deltas(llm.Delta{Text: a.Text[:len(a.Text)/2]})
		r.hold(ctx)
		return llm.Response{}, errors.New("it was held")
	}
	end()
	return a.Give(ctx, deltas)
}

var addresses = regexp.MustCompile(`http://127\.0\.0\.1:\d+/[a-z]+`)

// answerAs plays the agents: what one does next follows from what it has been given.
func answerAs(t *scripted.Turn) (agent, what string, a scripted.Answer) {
	last := t.Since[len(t.Since)-1]
	if strings.Contains(t.System, "You are working on task") {
		var results []string // of the tools, in order
		for _, m := range t.Since {
			if m.Speaker == core.FromTool {
				results = append(results, m.Text)
			}
		}
		return sashasStep(results)
	}
	switch {
	case last.Speaker == core.FromTool && strings.Contains(last.Text, "<report>"):
		_, report, _ := strings.Cut(last.Text, "<report>")
		report, _, _ = strings.Cut(report, "</report>")
		return "nikki", "tells the result", scripted.Answer{Text: "Sasha has found it.\n" + strings.TrimSpace(report)}
	case last.Speaker == core.FromTool:
		return "nikki", "says who is on it", scripted.Answer{Text: "Sasha is on it."}
	case last.Text == question:
		return "nikki", "delegates", call("call_agent_async", map[string]string{"agent": "sasha", "task": question})
	}
	return "nikki", "answers Bob", scripted.Answer{Text: "you said " + last.Text}
}

// sashasStep goes by how many results Sasha has.
func sashasStep(results []string) (agent, what string, a scripted.Answer) {
	const notes, report = "notes.md", "report.md"
	pages := len(sources)
	text := func() string { // what the pages say, with the addresses of the pages
		var b strings.Builder
		for i, s := range sources {
			if i+1 < len(results) && strings.Contains(results[i+1], s.fact) {
				fmt.Fprintf(&b, "- %s (%s)\n", s.fact, addresses.FindString(results[i+1]))
			}
		}
		return b.String()
	}
	switch len(results) {
	case 0:
		return "sasha", "searches", call("web_search", map[string]string{"query": "night trains Oslo Stockholm"})
	case 1:
		found := addresses.FindAllString(results[0], -1)
		slices.Sort(found)
		for _, s := range sources {
			i := slices.IndexFunc(found, func(at string) bool { return strings.HasSuffix(at, s.path) })
			if i < 0 {
				return "sasha", "finds nothing", scripted.Answer{Text: "not found: " + results[0]}
			}
			a.Calls = append(a.Calls, call("web_fetch", map[string]string{"url": found[i]}).Calls...)
		}
		return "sasha", "reads three pages", a
	case 1 + pages:
		return "sasha", "keeps notes", call("write_file", map[string]string{"path": notes, "content": text()})
	case 2 + pages:
		return "sasha", "orders", call(tools.WireName("ledger.pay"), nil)
	case 3 + pages:
		return "sasha", "looks at the notes", call("read_file", map[string]string{"path": notes})
	case 4 + pages:
		return "sasha", "writes a file", call("write_file", map[string]string{"path": report, "content": "# Night trains\n" + text()})
	}
	return "sasha", "writes the report", scripted.Answer{Text: "Night trains from Oslo to Stockholm:\n" + text() + "The same is in " + report + "."}
}

func call(tool string, args map[string]string) scripted.Answer {
	return scripted.Answer{Calls: []core.ToolCall{scripted.Call(tool, args)}}
}
