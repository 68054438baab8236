package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/llm/scripted"
	"errand/internal/store"
	"errand/internal/test/sim/models"
	"errand/internal/tools"
)

// A ledger is the model's provider, in the test's own process: it outlives what
// is killed and counts what was asked of it. Nikki delegates in the background
// what she is asked to, tells results, and hands over to Sasha; Sasha looks into
// her notes and then reports, or talks.
type ledger struct {
	mu    sync.Mutex
	calls map[string]int // by what the call was for: "nikki: ask …", "sasha: report"
	order []string
	tools map[string]int // runs of tools, by "name key"

	delayed map[string]chan struct{} // see delay
	grown   chan struct{}            // an answer that grows has its second half when it is closed
	hold    string                   // a call to hold until released
	held    chan struct{}
	release chan struct{}
	holder  string // the worker that made the held call, see ofWorker
}

func newLedger() *ledger {
	return &ledger{calls: map[string]int{}, tools: map[string]int{}, delayed: map[string]chan struct{}{}, held: make(chan struct{}), release: make(chan struct{})}
}

// repeated returns the calls that were made more than once.
func (l *ledger) repeated() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	again := map[string]int{}
	for what, n := range l.calls {
		if n > 1 {
			again[what] = n
		}
	}
	return again
}

func (l *ledger) calledLike(start string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for what, times := range l.calls {
		if strings.HasPrefix(what, start) {
			n += times
		}
	}
	return n
}

func (l *ledger) made() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.order)
}

func (l *ledger) called(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls[what]
}

// delay lets calls that begin so wait until they are resumed.
func (l *ledger) delay(calls string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delayed[calls] = make(chan struct{})
}

func (l *ledger) resume(calls string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.delayed[calls])
	delete(l.delayed, calls)
}

func (l *ledger) delays(what string) (waits []<-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for calls, resumed := range l.delayed {
		if strings.HasPrefix(what, calls) {
			waits = append(waits, resumed)
		}
	}
	return waits
}

func (l *ledger) enter(what string) (hold bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls[what]++
	l.order = append(l.order, what)
	if l.hold == what {
		l.hold = ""
		return true
	}
	return false
}

func ledgerTools(url string) []tools.Tool {
	tool := func(name string, effect tools.Effect) tools.Tool {
		return tools.Tool{
			Name: "ledger." + name, Description: "Note something.", Parameters: json.RawMessage(`{"type": "object"}`), Effect: effect,
			Run: func(ctx context.Context, call store.Call, _ json.RawMessage) (string, error) {
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/tool", strings.NewReader("ledger."+name+" "+call.Key.String()))
				if err != nil {
					return "", err
				}
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					return "", err
				}
				return "noted", resp.Body.Close()
			},
		}
	}
	return []tools.Tool{tool("read", tools.ReadOnly), tool("put", tools.Idempotent), tool("pay", tools.Once)}
}

func (l *ledger) ranTool(name string) (keys, runs int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for what, n := range l.tools {
		if strings.HasPrefix(what, name+" ") {
			keys, runs = keys+1, runs+n
		}
	}
	return keys, runs
}

func (l *ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/tool" {
		what, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.tools[string(what)]++
		return
	}
	models.Serve(l).ServeHTTP(w, ofWorker(r))
}

// Complete answers as the model.
func (l *ledger) Complete(ctx context.Context, r llm.Request, deltas func(llm.Delta)) (llm.Response, error) {
	said := []core.Message{{Text: r.System}}
	for _, m := range r.Messages {
		m.Text = core.Unmarked(m.Text)
		said = append(said, m)
	}
	what, text, tool, args := decide(said)
	waits := l.delays(what)
	if l.enter(what) {
		l.holder, _ = ctx.Value(workerKey{}).(string)
		close(l.held)
		waits = append(waits, l.release)
	}
	for _, wait := range waits {
		select {
		case <-wait:
		case <-ctx.Done():
			return llm.Response{}, context.Cause(ctx)
		}
	}
	if tool != "" {
		return scripted.Answer{Calls: []core.ToolCall{{ID: "call-" + tool, Name: tool, Arguments: args}}}.Give(ctx, deltas)
	}
	a := scripted.Answer{Text: text}
	if first, second, grows := strings.Cut(text, pauses); grows {
		deltas(llm.Delta{Text: first})
		a.Text, a.Wait = second, l.grown
	}
	for piece := range slices.Chunk([]byte(a.Text), 8000) {
		a.Deltas = append(a.Deltas, string(piece))
	}
	return a.Give(ctx, deltas)
}

const reminds = "It is time for tea"

// remindsAt returns the arguments of a call of remind_me.
func remindsAt(at time.Time) string {
	return `{"at": "` + at.UTC().Format(time.RFC3339) + `", "text": "tea"}`
}

func isReminder(m core.Message) bool {
	return m.Speaker == core.FromPerson && strings.HasPrefix(m.Text, "[reminder r-")
}

// decide plays the agents. what names the call by its place in the work, so that
// the same call made twice has the same name.
func decide(messages []core.Message) (what, text, tool, args string) {
	content := func(m core.Message) string { return m.Text }
	last := messages[len(messages)-1]
	turns, asked := 0, ""
	for _, m := range messages {
		if m.Speaker == core.FromPerson {
			turns, asked = turns+1, content(m)
		}
	}
	name, uses := strings.CutPrefix(asked, "use ")
	if strings.Contains(content(messages[0]), "You are working on task") {
		who := "sasha"
		if strings.Contains(content(messages[0]), "You are Finn") {
			who = "finn"
		}
		switch {
		case last.Speaker == core.FromPerson && content(last) == asksDay:
			return who + ": ask which day", "", "ask_user", `{"question": "Which day?"}`
		case last.Speaker == core.FromPerson && strings.HasPrefix(content(last), saysVerdict):
			answer := strings.TrimPrefix(content(last), saysVerdict)
			return "verdict: of " + who, "", "submit_verdict", `{"answer": "` + answer + `", "reasoning": "I think so", "confidence": 0.9}`
		case last.Speaker == core.FromPerson:
			return who + ": look at notes for " + content(last), "", "list_working_memory", `{}`
		}
		if _, answer, ok := strings.Cut(content(last), "<answer>\n"); ok {
			answer, _, _ = strings.Cut(answer, "\n")
			return who + ": report on " + content(messages[len(messages)-3]) + ", told " + answer, "two trains go to Oslo", "", ""
		}
		return who + ": report on " + content(messages[len(messages)-3]), "two trains go to Oslo", "", ""
	}
	if strings.Contains(content(messages[0]), "You are Sasha") {
		return fmt.Sprintf("sasha: answer message %d herself", turns), "Sasha here", "", ""
	}
	switch {
	case uses && last.Speaker == core.FromTool:
		said, _, _ := strings.Cut(content(last), ": errand")
		return fmt.Sprintf("nikki: say what the tool said, message %d", turns), "it said " + said, "", ""
	case uses && strings.HasPrefix(name, "run_code: "):
		args, err := json.Marshal(map[string]string{"language": "shell", "code": strings.TrimPrefix(name, "run_code: ")})
		if err != nil {
			panic(err) // strings always can be written
		}
		return fmt.Sprintf("nikki: run a program, message %d", turns), "", "run_code", string(args)
	case uses:
		return fmt.Sprintf("nikki: use a tool, message %d", turns), "", tools.WireName(name), `{"path": "trains.md", "content": "two trains to Oslo\n", "text": "night trains"}`
	case asked == sendsFile && last.Speaker == core.FromPerson:
		return fmt.Sprintf("nikki: write a file, message %d", turns), "", "write_file", `{"path": "trains.md", "content": "two trains to Oslo\n"}`
	case asked == sendsFile && strings.Contains(content(last), "is written"):
		return fmt.Sprintf("nikki: send a file, message %d", turns), "", "send_file", `{"path": "trains.md"}`
	case asked == sendsFile:
		return fmt.Sprintf("nikki: say what became of the file, message %d", turns), content(last), "", ""
	case last.Speaker == core.FromPerson && strings.HasPrefix(content(last), "remind"):
		at := time.Now().Add(10 * time.Second)
		if content(last) == remindsInAYear {
			at = at.AddDate(1, 0, 0)
		}
		return fmt.Sprintf("nikki: set a reminder, message %d", turns), "", "remind_me", remindsAt(at)
	case last.Speaker == core.FromTool && strings.Contains(content(last), "is in the past"): // errand was down for longer
		return fmt.Sprintf("nikki: set a reminder again, after %d entries", len(messages)), "", "remind_me", remindsAt(time.Now().Add(10 * time.Second))
	case last.Speaker == core.FromTool && strings.HasPrefix(content(last), "Reminder r-"):
		return fmt.Sprintf("nikki: say that the reminder is set, message %d", turns), "I will remind you", "", ""
	case isReminder(last):
		return fmt.Sprintf("nikki: remind, message %d", turns), reminds, "", ""
	case last.Speaker == core.FromPerson && strings.HasPrefix(content(last), "transfer"):
		return fmt.Sprintf("nikki: hand over, message %d", turns), "", "transfer_to_agent", `{"agent":"sasha"}`
	case last.Speaker == core.FromTool && strings.Contains(content(last), "a late "):
		said, _, _ := strings.Cut(content(last), " for your completed sub-agent")
		_, said, _ = strings.Cut(said, "[a late ")
		_, words, _ := strings.Cut(content(last), "<report>\n")
		words, _, _ = strings.Cut(words, "\n</report>")
		return fmt.Sprintf("nikki: tell what has come late, message %d", turns), "a late " + said + ": " + words, "", ""
	case last.Speaker == core.FromTool && strings.Contains(content(last), ", oracle: "):
		return fmt.Sprintf("nikki: say that nobody waits for the oracle, message %d", turns), "nobody waits for the oracle", "", ""
	case last.Speaker == core.FromTool && strings.Contains(content(last), "<report>"):
		says := "Sasha says: two trains"
		if slices.ContainsFunc(messages, isReminder) { // it came at the same time
			says += "\n" + reminds
		}
		return fmt.Sprintf("nikki: tell the result after %d messages, %d entries", turns, len(messages)), says, "", ""
	case last.Speaker == core.FromTool:
		return fmt.Sprintf("nikki: say that Sasha is at it, message %d", turns), "Sasha is at it", "", ""
	case strings.HasPrefix(content(last), "grow"):
		return fmt.Sprintf("nikki: answer slowly, message %d", turns), firstHalf + pauses + secondHalf, "", ""
	case strings.HasPrefix(content(last), "tell"):
		return fmt.Sprintf("nikki: answer at length, message %d", turns), longAnswer(content(last)), "", ""
	case content(last) == sendsToAsk:
		return fmt.Sprintf("nikki: send Sasha to ask, message %d", turns), "", "call_agent_async", `{"agent":"sasha","task":"` + asksDay + `"}`
	case strings.HasPrefix(content(last), "send"):
		return fmt.Sprintf("nikki: send Sasha, message %d", turns), "", "call_agent_async", `{"agent":"sasha","task":"night trains to Oslo"}`
	default:
		return fmt.Sprintf("nikki: answer %q, message %d", content(last), turns), "you said " + content(last), "", ""
	}
}
