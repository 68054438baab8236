package tools_test

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/tools"
)

func named(names ...string) []tools.Tool {
	var list []tools.Tool
	for _, n := range names {
		list = append(list, tools.Tool{Name: n, Run: func(context.Context, store.Call, json.RawMessage) (string, error) { return n, nil }})
	}
	return list
}

func offered(s *tools.Set) []string {
	var names []string
	for _, t := range s.Offer(128, func(tools.Tool) bool { return true }) {
		names = append(names, t.Name)
	}
	return names
}

// TestOffer proves that a model is offered tools in the order of their names, by
// names that providers take, whatever order they came in, and that a call by such a
// name finds its tool.
func TestOffer(t *testing.T) {
	s, err := tools.NewSet(named("recall", "get_task", "remember")...)
	require.NoError(t, err)
	require.NoError(t, s.Replace("github", named("github.list", "github.create_issue")))
	require.Equal(t, []string{"get_task", "github__create_issue", "github__list", "recall", "remember"}, offered(s))
	require.Equal(t, []string{"get_task", "github.create_issue", "github.list", "recall", "remember"}, s.Names())
	for _, name := range []string{"github.create_issue", "github__create_issue"} {
		tool, ok := s.Tool(name)
		require.True(t, ok)
		require.Equal(t, "github.create_issue", tool.Name)
		require.Equal(t, store.ByActivity, tool.By)
	}
	_, ok := s.Tool("github_create_issue")
	require.False(t, ok)
	require.Empty(t, offered(&tools.Set{}))
}

// TestBuiltIn proves that the list of errand's own tools says who runs each, so that it names the
// rule of approvals that holds.
func TestBuiltIn(t *testing.T) {
	s, err := tools.NewSet(named("run_code", "recall")...)
	require.NoError(t, err)
	require.NoError(t, s.Replace("github", named("github.list")))
	list := s.BuiltIn()
	require.Len(t, list, 2)
	require.Equal(t, "recall", list[0].Name)
	require.Equal(t, core.ApproveAlways, tools.Approvals{"run_*": core.ApproveAlways}.Rule(list[1]))
}

// TestOfferIsBounded proves that a request which has room for few tools has all that are built
// in and of the others the first by rank, sorted by name.
func TestOfferIsBounded(t *testing.T) {
	s, err := tools.NewSet(named("recall", "remember", "zip")...)
	require.NoError(t, err)
	for rank, source := range []string{"later", "first"} {
		list := named(source+".a", source+".b")
		for i := range list {
			list[i].Rank = 2 - rank
		}
		require.NoError(t, s.Replace(source, list))
	}
	for most, want := range map[int]string{
		9: "first__a first__b later__a later__b recall remember zip", 6: "first__a first__b later__a recall remember zip",
		4: "first__a recall remember zip", 0: "recall remember zip",
	} {
		var names []string
		for _, t := range s.Offer(most, func(tools.Tool) bool { return true }) {
			names = append(names, t.Name)
		}
		require.Equal(t, want, strings.Join(names, " "), "of %d", most)
	}
}

// TestForeignToolsAreBounded proves that the tools of other programs take at most 256 kB of a
// prompt, the first by rank, and that errand's own are all offered.
func TestForeignToolsAreBounded(t *testing.T) {
	s, err := tools.NewSet(named("recall", "zip")...)
	require.NoError(t, err)
	for rank := range 5 {
		source := string(rune('e' - rank))
		list := named(source + ".tool")
		list[0].Rank, list[0].Description = rank+1, strings.Repeat("x", 80<<10)
		require.NoError(t, s.Replace(source, list))
	}
	var names []string
	for _, t := range s.Offer(128, func(tools.Tool) bool { return true }) {
		names = append(names, t.Name)
	}
	require.Equal(t, "c__tool d__tool e__tool recall zip", strings.Join(names, " "))
}

// TestReplace proves that the tools of one source change at once, that those of others
// stay, and that of a list with a fault nothing is taken.
func TestReplace(t *testing.T) {
	s, err := tools.NewSet(named("recall")...)
	require.NoError(t, err)
	require.NoError(t, s.Replace("github", named("github.a", "github.b")))
	require.NoError(t, s.Replace("files", named("files.a")))
	require.NoError(t, s.Replace("github", named("github.c")))
	require.Equal(t, []string{"files.a", "github.c", "recall"}, s.Names())

	generation := s.Generation()
	approved := named("github.d")
	run := approved[0].Run
	approved[0].Approval, approved[0].By, approved[0].Run = core.ApproveAlways, store.ByQuestion, nil
	for want, list := range map[string][]tools.Tool{
		"needs a dot":             named("github.e", "recall"),
		"two tools":               named("github.e", "github.e"),
		"cannot need an approval": approved,
		"no Run":                  {{Name: "github.e"}},
		"unknown role":            {{Name: "github.e", Role: "king", Run: run}},
		"is negative":             {{Name: "github.e", Timeout: -1, Run: run}},
	} {
		require.ErrorContains(t, s.Replace("github", list), want)
		require.Equal(t, []string{"files.a", "github.c", "recall"}, s.Names())
	}
	require.ErrorContains(t, s.Replace("", named("x.y")), "source")
	require.ErrorContains(t, s.Replace("other", named("files.a")), "two tools")
	require.Equal(t, generation, s.Generation())
	require.NoError(t, s.Replace("github", nil))
	require.Equal(t, []string{"files.a", "recall"}, s.Names())
	require.Equal(t, generation+1, s.Generation())
}

// TestReplaceInUse proves that whoever reads a set while it changes has it as it was,
// or as it is. The race detector judges.
func TestReplaceInUse(t *testing.T) {
	s, err := tools.NewSet(named("recall")...)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				list := s.Offer(128, func(tools.Tool) bool { return true })
				require.Contains(t, []int{1, 3}, len(list))
				for _, tool := range list {
					s.Tool(tool.Name)
				}
			}
		})
	}
	for range 100 {
		require.NoError(t, s.Replace("github", named("github.a", "github.b")))
		require.NoError(t, s.Replace("github", nil))
	}
	wg.Wait()
}

// TestWireName proves that every name is one that providers take, and that no two
// names are the same there.
func TestWireName(t *testing.T) {
	takes := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	seen := map[string]string{}
	long := strings.Repeat("x", 100)
	for _, name := range []string{
		"recall", "github.create_issue", "github.create.issue", "github.create/issue", "github.create_issue_", "github__create_issue.x",
		"github.create__issue", "a__b.c", "a.b__c", "a.b_", "a_.b", "a._b", "größe.messen", "gr..messen", long + ".a", long + ".b", "s." + long, "s." + long + "y",
	} {
		wire := tools.WireName(name)
		require.Regexp(t, takes, wire, name)
		require.Empty(t, seen[wire], "%s and %s", name, seen[wire])
		seen[wire] = name
	}
	require.Equal(t, "recall", tools.WireName("recall"))
	require.Equal(t, "github__create_issue", tools.WireName("github.create_issue"))

	s, err := tools.NewSet(named("a__b")...)
	require.NoError(t, err)
	require.ErrorContains(t, s.Replace("a", named("a.b")), `as "a__b"`)
}
