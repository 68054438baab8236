package activities

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/internal/test/llmtest"
	"errand/internal/tools"
)

// A dictated provider caches prompts and answers what it is told to.
type dictated struct {
	*thinker
	provider llmtest.CachingProvider
	address  string

	mu      sync.Mutex
	replies []llmtest.Reply
	refuse  string // requests with this in them are refused
}

func newDictated(t *testing.T) *dictated {
	d := &dictated{thinker: newThinker(t, core.MasterAdmin, store.Limits{})}
	d.provider.Answer = func(call llmtest.CachedCall) llmtest.Reply {
		d.mu.Lock()
		defer d.mu.Unlock()
		switch {
		case strings.Contains(string(call.Body), "Summarize this conversation") && d.refuse != "":
			return llmtest.Fail(llmtest.ErrScriptOver)
		case strings.Contains(string(call.Body), "Summarize this conversation"):
			return llmtest.Text("what was said so far")
		case len(d.replies) == 0:
			return llmtest.Text("ok")
		}
		reply := d.replies[0]
		d.replies = d.replies[1:]
		return reply
	}
	server := httptest.NewServer(&d.provider)
	t.Cleanup(server.Close)
	d.address = server.URL + "/v1"
	list := append(tools.Delegating(), tools.Tool{
		Name: "look", Description: "Look something up. " + strings.Repeat("It is a long description, as tools have. ", 100),
		Parameters: json.RawMessage(`{"type": "object", "properties": {"what": {"type": "string"}}}`), Effect: tools.ReadOnly, Doing: "doing.file",
		Run: func(context.Context, store.Call, json.RawMessage) (string, error) { return "", nil },
	})
	set, err := tools.NewSet(list...)
	require.NoError(t, err)
	d.Tools = set
	d.reconnect()
	return d
}

// reconnect goes on as a worker does that was started anew.
func (d *dictated) reconnect() {
	client, err := llm.New(llm.Config{Models: map[string]llm.Model{"default": {Providers: []llm.Provider{
		{Model: "caching", BaseURL: d.address, Accepts: []string{llm.FieldCacheKey, llm.FieldEffort, llm.FieldVerbosity}}}}}})
	require.NoError(d.t, err)
	d.change(func(deps *Deps) { deps.Model = client })
}

func (d *dictated) think(in wire.ThinkInput, replies ...llmtest.Reply) store.StepResult {
	d.t.Helper()
	d.mu.Lock()
	d.replies = replies
	d.mu.Unlock()
	out, err := d.Think(d.t.Context(), in)
	require.NoError(d.t, err)
	return out
}

// misses are the requests whose prefix is not that of the request before of the same
// session or task, by its key.
func (d *dictated) misses() map[string]int {
	before, misses := map[string]llmtest.CachedCall{}, map[string]int{}
	for _, call := range d.provider.Calls() {
		if strings.Contains(string(call.Body), "Summarize this conversation") {
			continue
		}
		require.Regexp(d.t, `^[0-9a-f]{32}$`, call.Key)
		last, ok := before[call.Key]
		misses[call.Key] += 0
		if ok && !bytes.HasPrefix(call.Prefix(), last.Prefix()) {
			misses[call.Key]++
		} else if tokens := len(last.Prefix()) / 4; ok && tokens >= 1024+128 {
			// What was sent before is known, but for the block in which the note was.
			require.Greater(d.t, call.Cached, tokens-128)
		}
		before[call.Key] = call
	}
	return misses
}

// TestPromptsAreCached proves that the request of a step begins, byte by byte, with that
// of the step before up to the note at its end, whatever happens in between: a provider
// that keeps prefixes bills only what is new. A change of the tools costs one miss.
func TestPromptsAreCached(t *testing.T) {
	d := newDictated(t)
	ctx := t.Context()
	session := cacheKey(core.SessionOwner(d.id))
	look := func(id string) llmtest.Reply { return llmtest.Call(id, "look", `{"what": "trains"}`) }
	result := func(key core.StepKey, index int, text string) {
		t.Helper()
		require.NoError(t, d.Store.CommitTool(ctx, core.CallKey{StepKey: key, Index: index}, text))
	}

	d.accept("hello")
	d.think(d.step(1, 1), llmtest.Text("hi"))

	d.accept("look it up")
	d.think(d.step(2, 1), look("c1"))
	result(d.step(2, 1).Key, 1, "two trains")
	d.accept("and the ferry, please") // in the middle of the turn
	d.think(d.step(2, 2), llmtest.Reply{Text: "Now the ferry.", Calls: []core.ToolCall{
		{ID: "c1", Name: "look", Arguments: `{"what": "ferry"}`}, {ID: "c1", Name: "no_such_tool", Arguments: "no JSON"}}})
	d.think(d.step(2, 3), llmtest.Text("two trains, and what became of the ferry nobody knows")) // its worker died

	d.accept("ask Sasha, too")
	task := d.think(d.step(3, 1), llmtest.Call("c2", "call_agent_async", `{"agent": "sasha", "task": "trains"}`)).Calls[0].Task
	d.think(d.step(3, 2), llmtest.Text("Sasha is on it"))
	sub := func(step int) wire.ThinkInput {
		return wire.ThinkInput{Store: d.Store.ID(), Key: core.StepKey{Owner: core.SubAgentOwner(task, "sasha"), Turn: 1, Step: step}, Patience: time.Hour}
	}
	d.think(sub(1), look("s1"))
	result(sub(1).Key, 1, "at nine and at ten")
	d.reconnect()
	d.think(sub(2), look("s2"))
	result(sub(2).Key, 1, "from Oslo S")
	d.think(sub(3), llmtest.Text("Two trains, at nine and at ten, from Oslo S."))

	d.accept("meanwhile: how are you?")
	require.NoError(t, d.Store.Remember(ctx, "ada", "nikki", store.Note{Key: "city", Value: "Oslo"}))
	_, err := d.Store.ChangePerson(ctx, "ada", store.PersonChange{Language: new("es")})
	require.NoError(t, err)
	late := d.step(4, 1)
	d.think(late, llmtest.Text("Fine. And here is what Sasha found."))
	d.reconnect()
	d.accept("thanks")
	d.think(d.step(5, 1), llmtest.Text("You are welcome"))
	require.Equal(t, map[string]int{session: 0, cacheKey(sub(1).Key.Owner): 0}, d.misses())

	_, err = d.Store.EnsurePerson(ctx, "bob", "Bob", core.MasterAdmin)
	require.NoError(t, err)
	_, err = d.Store.SetRole(ctx, "ada", core.Guest)
	require.NoError(t, err)
	for turn := 6; turn <= 8; turn++ {
		d.accept("and now? " + core.ShortID(4))
		d.think(d.step(turn, 1), llmtest.Text("still here"))
	}
	require.Equal(t, map[string]int{session: 1, cacheKey(sub(1).Key.Owner): 0}, d.misses(), "the tools of a guest are others: one miss")

	spent, err := d.Store.Spent(ctx, store.SpentBy{Session: d.id})
	require.NoError(t, err)
	require.Positive(t, spent.Cached, "it is booked what was cached")
	for _, call := range d.provider.Calls() {
		require.NotContains(t, call.Key, string(d.id))
	}
}

// TestCompactionCutsInBlocks proves that a long session loses what its provider has
// cached only when it is summarised, which is once in many turns, and that this is so also
// while nobody can summarise it.
func TestCompactionCutsInBlocks(t *testing.T) {
	for _, refuse := range []string{"", "summaries"} {
		d := newDictated(t)
		d.change(func(deps *Deps) { deps.Window = 20 })
		d.refuse = refuse
		const turns = 60
		for turn := 1; turn <= turns; turn++ {
			d.accept("message number " + core.ShortID(6))
			d.think(d.step(turn, 1), llmtest.Text("answer number "+core.ShortID(6)))
		}
		misses := d.misses()[cacheKey(core.SessionOwner(d.id))]
		require.Positive(t, misses)
		require.LessOrEqual(t, misses, 2*turns/(20/2)+1, "a block of ten messages each")
	}
}
