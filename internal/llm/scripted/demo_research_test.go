package scripted_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/llm/scripted"
	"errand/internal/store"
	"errand/internal/tools/web"
)

// rounds plays a turn with the real tools over the shipped pages, and returns which were
// called, step by step, and what was said in the end.
func rounds(t *testing.T, system, text string, names ...string) (steps [][]string, said string) {
	t.Helper()
	c := scripted.NewDemo(scripted.DemoOptions{Work: 1, Chunk: 1})
	transcript := []core.Message{fromPerson(text)}
	for range 6 {
		got, err := c.Complete(t.Context(), llm.Request{Model: "default", System: system, Messages: transcript, Tools: demoTools(names...)}, nil)
		require.NoError(t, err)
		if len(got.Calls) == 0 {
			return steps, got.Text
		}
		var called []string
		transcript = append(transcript, core.Message{Speaker: core.FromAgent, Calls: got.Calls})
		for _, call := range got.Calls {
			called = append(called, call.Name+" "+call.Arguments)
			result := "done"
			for _, tool := range web.Tools(web.Options{Engine: web.NewCorpus(), Shipped: web.ShippedPages()}) {
				if tool.Name == call.Name {
					result, err = tool.Run(t.Context(), store.Call{Nonce: "§k7m2p9qx"}, json.RawMessage(call.Arguments))
					require.NoError(t, err)
				}
			}
			transcript = append(transcript, returns(call.ID, result))
		}
		steps = append(steps, called)
	}
	t.Fatalf("it does not come to its end: %v", steps)
	return nil, ""
}

// A researcher of the demonstration searches, reads what was found, and cites it.
func TestDemoResearches(t *testing.T) {
	const sasha = "You are Sasha.\nYou are working on task t-7k3m9q2x for Nikki."
	steps, said := rounds(t, sasha, "compare night trains to Oslo", "web_search", "web_fetch", "list_working_memory")
	require.Equal(t, [][]string{
		{`web_search {"query":"compare night trains to Oslo"}`},
		{`web_fetch {"url":"https://night-trains.example/oslo"}`, `web_fetch {"url":"https://rail-notes.example/fares/oslo"}`, `web_fetch {"url":"https://slow-travel.example/kiel-oslo-ferry"}`},
	}, steps)
	require.Contains(t, said, `Demonstration report on "compare night trains to Oslo"`)
	require.Contains(t, said, "- Three night trains reach Oslo, and none of them is the best for everybody. [1]")
	require.Contains(t, said, "| Fjord Express | Hamburg | 19:52 |")
	require.Contains(t, said, "1. Night trains to Oslo, compared, 2026-09-14: https://night-trains.example/oslo")
	require.Contains(t, said, "shipped with errand for its demonstration, and what they say is made up")

	// With a workspace it keeps its notes there.
	steps, said = rounds(t, sasha, "How do I grow tomatoes on a balcony?", "web_search", "web_fetch", "write_file")
	require.Len(t, steps, 3)
	require.Contains(t, steps[2][0], `write_file {"content":"# How do I grow tomatoes on a balcony?\n\n- `)
	require.Contains(t, steps[2][0], `"path":"research/how-do-i-grow-tomatoes-on-a-balcony.md"`)
	require.Contains(t, said, "My notes are in the file research/how-do-i-grow-tomatoes-on-a-balcony.md.")
	require.Contains(t, said, "https://small-gardens.example/balcony-tomatoes")

	// With a plan it says how far it is, beside what it does and once at the end.
	steps, _ = rounds(t, sasha, "How do I grow tomatoes on a balcony?", "web_search", "web_fetch", "write_file", "plan")
	require.Len(t, steps, 4)
	require.Equal(t, `plan {"items":[{"text":"Search the web","state":"doing"},{"text":"Read what was found","state":"pending"},{"text":"Write notes","state":"pending"}]}`, steps[0][0])
	require.Contains(t, steps[0][1], "web_search")
	require.Contains(t, steps[2][0], `{"text":"Read what was found","state":"done"},{"text":"Write notes","state":"doing"}`)
	require.Equal(t, []string{`plan {"items":[{"text":"Search the web","state":"done"},{"text":"Read what was found","state":"done"},{"text":"Write notes","state":"done"}]}`}, steps[3])

	// What is not there is not made up.
	steps, said = rounds(t, sasha, "the price of gold in 1850", "web_search", "web_fetch", "write_file")
	require.Len(t, steps, 1)
	require.Contains(t, said, "Not found.")
	require.NotContains(t, said, "Sources")
}

// Somebody who talks with it has a search carried out, or an address read.
func TestDemoLooksUp(t *testing.T) {
	steps, said := rounds(t, "You are Sasha.", "search for sourdough starters", "web_search", "web_fetch")
	require.Equal(t, [][]string{{`web_search {"query":"sourdough starters"}`}}, steps)
	require.Contains(t, said, "https://kitchen.example/sourdough-starter")
	require.NotContains(t, said, "<web>")
	steps, said = rounds(t, "You are Sasha.", "please read https://kitchen.example/sourdough-starter.", "web_search", "web_fetch")
	require.Equal(t, [][]string{{`web_fetch {"url":"https://kitchen.example/sourdough-starter"}`}}, steps)
	require.Contains(t, said, "A sourdough starter in seven days (https://kitchen.example/sourdough-starter) begins:")
}
