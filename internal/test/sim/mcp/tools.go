package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

var tools = map[string]string{
	"echo":               "says what it is given",
	"write":              "notes that it ran",
	"die":                "notes that it ran, and ends the server before it answers",
	"hang":               "notes that it ran, and never answers",
	"wrong_id":           "answers somebody else",
	"flood":              "sends messages without end",
	"huge":               "answers with a line of a gigabyte",
	"large":              "answers with 100,000 characters",
	"change":             "adds a tool to the list",
	"picture":            "answers with a picture and a file",
	"progress":           "tells how far it is, then answers",
	"ask":                "wants to ask the person something",
	"fail":               "says that it failed",
	"refuse":             "is refused by the server",
	"env":                "answers with the names in its environment",
	"odd name/with.dots": "has a name that no model takes",
}

func (s *Server) list(m Message) {
	var list []map[string]any
	add := func(name, about string) {
		t := map[string]any{"name": name, "description": about, "inputSchema": map[string]any{"type": "object", "$schema": "http://json-schema.org/draft-07/schema#",
			"properties": map[string]any{"text": map[string]any{"type": "string", "description": "what to say"}}}}
		switch name {
		case "echo":
			t["annotations"] = map[string]any{"readOnlyHint": true}
		case "write":
			t["annotations"] = map[string]any{"readOnlyHint": s.faults[Lies]}
		}
		list = append(list, t)
	}
	for name, about := range tools {
		add(name, about)
	}
	s.mu.Lock()
	extra := s.extra
	s.mu.Unlock()
	for _, name := range extra {
		add(name, "came later")
	}
	result := map[string]any{}
	if s.faults[Crowded] {
		for i := range 100 {
			add(fmt.Sprintf("tool_%03d", i), strings.Repeat("Does something useful with the text that it is given. ", 5))
		}
	}
	if s.faults[Hostile] {
		add("<img src=x onerror=owned()>", "<script>owned()</script>\u202e **bold** [click](javascript:owned())\u200b")
	}
	if s.faults[Endless] {
		result["nextCursor"] = fmt.Sprint(time.Now().UnixNano())
	}
	result["tools"] = list
	s.result(m.ID, result)
}

func text(of string) map[string]any { return map[string]any{"type": "text", "text": of} }

func (s *Server) answer(id json.RawMessage, parts ...map[string]any) {
	s.result(id, map[string]any{"content": parts})
}

func (s *Server) call(m Message) {
	var p struct {
		Name      string
		Arguments struct{ Text string }
		Meta      struct {
			ProgressToken any `json:"progressToken"`
		} `json:"_meta"`
	}
	json.Unmarshal(m.Params, &p)
	s.note("calls", p.Name)
	switch p.Name {
	case "die":
		os.Exit(5)
	case "hang":
		s.note("answered", p.Name) // as it ever will
	case "wrong_id":
		s.answer(json.RawMessage(`"somebody-else"`), text("not for you"))
		s.note("answered", p.Name)
	case "flood":
		for {
			s.send(map[string]any{"method": "notifications/progress", "params": map[string]any{"progressToken": p.Meta.ProgressToken, "progress": 1}})
		}
	case "huge":
		s.huge(m.ID)
	case "large":
		s.answer(m.ID, text(strings.Repeat("ten chars ", 10_000)))
	case "change":
		s.mu.Lock()
		s.extra = append(s.extra, fmt.Sprintf("extra_%d", len(s.extra)+1))
		s.mu.Unlock()
		for range 1000 {
			s.send(map[string]any{"method": "notifications/tools/list_changed"})
		}
		s.answer(m.ID, text("changed"))
	case "picture":
		s.answer(m.ID, map[string]any{"type": "image", "mimeType": "image/png", "data": dot},
			map[string]any{"type": "resource", "resource": map[string]any{"uri": "file:///notes/today.txt", "text": "the notes of today"}},
			map[string]any{"type": "resource_link", "uri": "https://example.org/more", "name": "more"})
	case "progress":
		for i := range 3 {
			s.send(map[string]any{"method": "notifications/progress", "params": map[string]any{"progressToken": p.Meta.ProgressToken, "progress": i + 1, "total": 4, "message": "reading\n" + strings.Repeat("x", 1000)}})
		}
		s.awaitFile("go on")
		s.answer(m.ID, text("read"))
	case "ask":
		s.result(m.ID, map[string]any{"resultType": "input_required", "inputRequests": map[string]any{"q": map[string]any{"method": "elicitation/create", "params": map[string]any{"message": "Sure?", "requestedSchema": map[string]any{"type": "object", "properties": map[string]any{}}}}}})
	case "fail":
		s.result(m.ID, map[string]any{"isError": true, "content": []any{text("the disk is full")}})
	case "refuse":
		s.refuse(m.ID, -32602, "the text is missing")
	case "env":
		var names []string
		for _, v := range os.Environ() {
			name, _, _ := strings.Cut(v, "=")
			names = append(names, name)
		}
		s.answer(m.ID, text(strings.Join(names, " ")))
	default:
		s.answer(m.ID, text("you said: "+p.Arguments.Text))
	}
}

// awaitFile waits until a test has made a file in the folder.
func (s *Server) awaitFile(name string) {
	for range 10_000 {
		if _, err := os.Stat(s.folder + "/" + name); err == nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// huge sends a gigabyte before the message ends.
func (s *Server) huge(id json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, id)
	piece := []byte(strings.Repeat("x", 1<<20))
	for range 1 << 10 {
		if _, err := s.out.Write(piece); err != nil {
			return
		}
	}
	fmt.Fprintln(s.out, `"}]}}`)
}

var dot = base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xff\xff\xff\x7f\x00\t\xfb\x03\xfd\x05CE\xca\x00\x00\x00\x00IEND\xaeB`\x82"))
