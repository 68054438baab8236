package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand"
	"errand/internal/content"
	"errand/internal/tools"
)

// mostTools is how many tools of one server are offered, and mostListed how many are
// looked at: a server may list without end.
const (
	mostTools  = 200
	mostListed = 2000
	mostPages  = 100
	mostBytes  = 64 << 10 // of names, descriptions and parameters of all tools of a server

	longestRemote = 200  // bytes of the name that a server gives a tool
	longestCursor = 4096 // bytes of what names the next page
)

// An entry is one tool of a server as it is offered. Its JSON is kept in the store, for
// other workers and the time after a restart.
type entry struct {
	Name        string          `json:"name"`   // for agents
	Remote      string          `json:"remote"` // for the server
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema"`
	Effect      tools.Effect    `json:"effect"`
	ReadOnly    bool            `json:"read_only,omitempty"` // what the server says
	Idempotent  bool            `json:"idempotent,omitempty"`
}

// A toolList is what a server listed.
type toolList struct {
	entries []entry
	leftOut []string
	misfit  misfit
	fresh   time.Duration // for how long the server says that it stays so; 0: it does not say
}

func (s Server) list(ctx context.Context, session *mcp.ClientSession, patterns []Pattern) (toolList, error) {
	var all []*mcp.Tool
	var l toolList
	cursor := ""
	for page := 0; ; page++ {
		params := &mcp.ListToolsParams{}
		if page > 0 {
			params.Cursor = strconv.Itoa(page)
		}
		res, err := session.ListTools(context.WithValue(ctx, cursorKey{}, cursor), params)
		if err != nil {
			return l, fmt.Errorf("list its tools: %w", err)
		}
		if page == 0 {
			l.fresh = time.Duration(res.GetTTLMs()) * time.Millisecond
		}
		all = append(all, res.Tools...)
		if res.NextCursor == "" {
			break
		}
		if page+1 == mostPages || len(all) >= mostListed || res.NextCursor == cursor || len(res.NextCursor) > longestCursor {
			return l, errors.New("its list of tools does not end")
		}
		cursor = res.NextCursor
	}
	l.entries, l.leftOut = s.entries(all)
	var remote, names []string // also of tools that are not offered
	for _, t := range all {
		remote = append(remote, t.Name)
		names = append(names, toolName(s.Name, t.Name, func(string) bool { return false }))
	}
	for _, e := range l.entries {
		names = append(names, e.Name)
	}
	l.misfit = s.misfit(patterns, remote, names)
	return l, nil
}

type cursorKey struct{}

// smallPages bounds what is in memory of a list of tools. A page may have 12 MB, which
// take several times as much there; and the SDK keeps each under its cursor for as long as
// the connection lasts. So it is given the numbers of pages for cursors, and of each tool no
// more than can be offered.
func smallPages(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		params, ok := req.GetParams().(*mcp.ListToolsParams)
		if !ok {
			return next(ctx, method, req)
		}
		page := params.Cursor
		params.Cursor, _ = ctx.Value(cursorKey{}).(string)
		res, err := next(ctx, method, req)
		params.Cursor = page
		if list, ok := res.(*mcp.ListToolsResult); ok && err == nil {
			list.Meta = nil
			for i, t := range list.Tools {
				list.Tools[i] = smallTool(t)
			}
		}
		return res, err
	}
}

// smallTool is what can be offered of a tool. In place of its parameters there is their
// clean schema, or an error, which says why the tool cannot be.
func smallTool(t *mcp.Tool) *mcp.Tool {
	if t == nil {
		return nil // the SDK leaves it out
	}
	small := &mcp.Tool{Name: errand.Cut(t.Name, longestRemote), Description: errand.Cut(content.Clean(t.Description), longestDescription)}
	schema, err := cleanSchema(t.InputSchema)
	if t.Name == "" || len(t.Name) > longestRemote {
		err = errors.New("its name is empty or too long")
	}
	small.InputSchema = schema
	if err != nil {
		small.InputSchema = err
	}
	if a := t.Annotations; a != nil {
		small.Annotations = &mcp.ToolAnnotations{ReadOnlyHint: a.ReadOnlyHint, IdempotentHint: a.IdempotentHint}
	}
	return small
}

func (s Server) entries(all []*mcp.Tool) (entries []entry, leftOut []string) {
	slices.SortStableFunc(all, func(a, b *mcp.Tool) int { return strings.Compare(a.Name, b.Name) })
	names, seen, size := map[string]bool{}, map[string]bool{}, 0
	taken := func(name string) bool { return names[name] }
	for _, t := range all {
		if !s.allowed(t.Name) {
			continue
		}
		schema, _ := t.InputSchema.(json.RawMessage)
		err, _ := t.InputSchema.(error)
		switch {
		case seen[t.Name]:
			err = errors.New("it is listed twice")
		case len(entries) == mostTools:
			err = fmt.Errorf("more than %d tools: list the ones to use under tools", mostTools)
		}
		bytes := len(t.Name) + len(t.Description) + len(schema)
		if err == nil && size+bytes > mostBytes {
			err = fmt.Errorf("the tools have more than %d kB: list the ones to use under tools", mostBytes>>10)
		}
		seen[t.Name] = true
		if err != nil {
			if len(leftOut) < 20 {
				leftOut = append(leftOut, fmt.Sprintf("%s: %v", errand.Cut(content.OneLine(t.Name), 60), err))
			}
			continue
		}
		e := entry{Name: toolName(s.Name, t.Name, taken), Remote: t.Name, Schema: schema, Description: t.Description}
		if a := t.Annotations; a != nil {
			e.ReadOnly, e.Idempotent = a.ReadOnlyHint, a.IdempotentHint
		}
		e.Effect = s.effect(e)
		names[e.Name] = true
		size += bytes
		entries = append(entries, e)
	}
	return entries, leftOut
}

// effect is what happens when a tool runs twice: what the operator says, else what a
// trusted server says, else the worst.
func (s Server) effect(e entry) tools.Effect {
	switch own, set := s.Effects[e.Remote]; {
	case set:
		return own
	case s.Trust && e.ReadOnly:
		return tools.ReadOnly
	case s.Trust && e.Idempotent:
		return tools.Idempotent
	}
	return tools.Once
}

func (s Server) adapt(kept []entry) []entry {
	var list []entry
	for _, e := range kept {
		if s.allowed(e.Remote) {
			e.Effect = s.effect(e)
			list = append(list, e)
		}
	}
	return list
}
