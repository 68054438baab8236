package tools

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"errand/internal/llm"
	"errand/internal/store"
)

// A Set is the tools of an installation. The tools of a source, such as an MCP server, may
// change. A Set is safe for concurrent use. The zero Set is empty.
type Set struct {
	mu  sync.Mutex // held by Replace
	now atomic.Pointer[snapshot]
}

// A snapshot is an immutable state of a Set.
type snapshot struct {
	generation int64             // incremented with each change
	sources    map[string][]Tool // by source; "": built in
	tools      []Tool            // sorted by name, so that a prompt stays the same
	offers     []llm.Tool        // the definition of each tool for models
	index      map[string]int    // by name and by wire name
}

// NewSet returns a set of built-in tools. It fails if two names are equal, or if a tool
// has no way to run.
func NewSet(list ...Tool) (*Set, error) {
	s := &Set{}
	return s, s.put("", list)
}

// Replace replaces all tools of source with list, which may be empty. Names must contain a dot,
// because built-in names do not. If it returns an error, the tools of source do not change.
func (s *Set) Replace(source string, list []Tool) error {
	if source == "" {
		return errors.New("replace tools: the source has no name")
	}
	for _, t := range list {
		if !strings.Contains(t.Name, ".") {
			return fmt.Errorf("tool %q of %s: the name needs a dot, as in %q", t.Name, source, source+"."+t.Name)
		}
	}
	return s.put(source, list)
}

func (s *Set) put(source string, list []Tool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.snapshot()
	next := &snapshot{generation: before.generation + 1, sources: map[string][]Tool{}, index: map[string]int{}}
	maps.Copy(next.sources, before.sources)
	delete(next.sources, source)
	if list = slices.Clone(list); len(list) > 0 {
		next.sources[source] = list
	}
	for i := range list {
		if err := list[i].check(); err != nil {
			return err
		}
	}
	for _, of := range next.sources {
		next.tools = append(next.tools, of...)
	}
	slices.SortFunc(next.tools, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	for i := range next.tools {
		t := &next.tools[i]
		wire := WireName(t.Name)
		for _, name := range slices.Compact([]string{t.Name, wire}) {
			if other, dup := next.index[name]; dup && next.tools[other].Name == t.Name {
				return fmt.Errorf("there are two tools %q", t.Name)
			} else if dup {
				return fmt.Errorf("models see the tools %q and %q as %q: rename one of them", next.tools[other].Name, t.Name, wire)
			}
			next.index[name] = i
		}
		next.offers = append(next.offers, llm.Tool{Name: wire, Description: t.Description, Parameters: t.Parameters, Foreign: t.Rank > 0})
	}
	s.now.Store(next)
	return nil
}

func (t *Tool) check() error {
	if t.By == "" {
		t.By = store.ByActivity
	}
	switch {
	case t.Name == "":
		return errors.New("a tool has no name")
	case t.Approval.Asks() && t.By != store.ByActivity:
		return fmt.Errorf("tool %q cannot need an approval, because it is run by %q", t.Name, t.By)
	case t.Role != "" && !t.Role.Valid():
		return fmt.Errorf("tool %q: unknown role %q", t.Name, t.Role)
	case t.Timeout < 0:
		return fmt.Errorf("tool %q: timeout %v is negative", t.Name, t.Timeout)
	}
	switch t.By {
	case store.ByActivity:
		if t.Run == nil {
			return fmt.Errorf("tool %q has no Run", t.Name)
		}
	case store.ByDelegation, store.ByHandover, store.ByVerdict, store.ByQuestion:
		if t.Run != nil {
			return fmt.Errorf("tool %q is run by %q, so its Run would never be called", t.Name, t.By)
		}
	default:
		return fmt.Errorf("tool %q: unknown By %q", t.Name, t.By)
	}
	return nil
}

func (s *Set) snapshot() *snapshot {
	if now := s.now.Load(); now != nil {
		return now
	}
	return &snapshot{}
}

// Generation returns the number of changes of the set. A cache that reads it before the
// tools can detect later changes.
func (s *Set) Generation() int64 { return s.snapshot().generation }

// Tool returns the tool with this name or wire name.
func (s *Set) Tool(name string) (Tool, bool) {
	now := s.snapshot()
	if i, ok := now.index[name]; ok {
		return now.tools[i], true
	}
	return Tool{}, false
}

// Names returns the names of all tools, sorted.
func (s *Set) Names() []string {
	now := s.snapshot()
	names := make([]string, len(now.tools))
	for i, t := range now.tools {
		names[i] = t.Name
	}
	return names
}

// BuiltIn returns errand's own tools, sorted by name.
func (s *Set) BuiltIn() []Tool {
	return slices.SortedFunc(slices.Values(s.snapshot().sources[""]), func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
}

// maxForeign is the maximum size of MCP tools in one prompt, in bytes.
const maxForeign = 256 << 10

// Offer returns the definitions of the tools that may accepts, sorted by name, so that the
// same tools give the same bytes of a prompt. All tools of rank 0 are included. The others
// follow by rank and name, up to maxForeign bytes and most tools in all.
func (s *Set) Offer(most int, may func(Tool) bool) []llm.Tool {
	now := s.snapshot()
	var chosen, foreign []int
	for i, t := range now.tools {
		switch {
		case !may(t):
		case t.Rank == 0:
			chosen = append(chosen, i)
		default:
			foreign = append(foreign, i)
		}
	}
	slices.SortStableFunc(foreign, func(a, b int) int { return now.tools[a].Rank - now.tools[b].Rank })
	size := 0
	for _, i := range foreign {
		t := now.offers[i]
		if size += len(t.Name) + len(t.Description) + len(t.Parameters); size > maxForeign || len(chosen) >= most {
			break
		}
		chosen = append(chosen, i)
	}
	slices.Sort(chosen)
	var offer []llm.Tool
	for _, i := range chosen {
		offer = append(offer, now.offers[i])
	}
	return offer
}

// LeftOut returns the names of the tools that may accepts but Offer leaves out, and the
// number of tools that may accepts.
func (s *Set) LeftOut(most int, may func(Tool) bool) (names []string, all int) {
	offered := map[string]bool{}
	for _, t := range s.Offer(most, may) {
		offered[t.Name] = true
	}
	now := s.snapshot()
	for i, t := range now.tools {
		if !may(t) {
			continue
		}
		if all++; !offered[now.offers[i].Name] {
			names = append(names, t.Name)
		}
	}
	return names, all
}
