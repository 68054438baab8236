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

	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/tools"
)

// Limits of a server's list of tools.
const (
	mostTools  = 200
	mostListed = 2000
	mostPages  = 100
	mostBytes  = 64 << 10 // names, descriptions and parameters of all tools together

	longestRemote = 200  // bytes of a tool's name at the server
	longestCursor = 4096 // bytes of a page cursor
)

// An entry is one tool of a server. The store keeps it as JSON, for other workers and restarts.
type entry struct {
	Name        string          `json:"name"`   // the name that agents see
	Remote      string          `json:"remote"` // the server's name
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema"`
	Effect      tools.Effect    `json:"effect"`
	ReadOnly    bool            `json:"read_only,omitempty"` // according to the server
	Idempotent  bool            `json:"idempotent,omitempty"`
}

type toolList struct {
	entries []entry
	leftOut []string
	misfit  misfit
	fresh   time.Duration // how long the server says the list stays valid; 0: not given
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
	var remote, names []string // includes tools that are not offered
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

// smallPages limits memory. The SDK keeps each page, of up to 12 MB, under its cursor
// until the connection ends. smallPages gives it page numbers as cursors, and cuts each
// tool to what can be offered.
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

// smallTool returns t with a clean schema for its parameters, or with the error that prevents one.
func smallTool(t *mcp.Tool) *mcp.Tool {
	if t == nil {
		return nil // the SDK drops it
	}
	small := &mcp.Tool{Name: core.Cut(t.Name, longestRemote), Description: core.Cut(content.Clean(t.Description), longestDescription)}
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
				leftOut = append(leftOut, fmt.Sprintf("%s: %v", core.Cut(content.OneLine(t.Name), 60), err))
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

// effect returns the configured effect, else that of a trusted server, else the most cautious one.
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
