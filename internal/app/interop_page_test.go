package app_test

import (
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// A snippet is what a page tells people to copy: a block, or the last cell of a row in a table
// of clients.
type snippet struct {
	page     string // of docs, without .md
	section  string // the heading above it
	client   string // whose row it is; empty: it is a block
	language string // of a block
	text     string
}

func (s snippet) title() string {
	if s.client != "" {
		return s.section + "/" + s.client
	}
	first, _, _ := strings.Cut(s.text, "\n")
	return s.section + "/" + s.language + " " + first[:min(len(first), 30)]
}

var cell = regexp.MustCompile("`([^`]+)`")

// readSnippets reads the snippets of docs/NAME.md. With a title they all are of one section.
// readSnippets adds the scope of the token that each section asks for to scopes.
func readSnippets(t *testing.T, name, title string, scopes map[string]string) (list []snippet) {
	t.Helper()
	page, err := os.ReadFile("../../docs/" + name + ".md")
	if err != nil {
		t.Fatal(err)
	}
	scope := regexp.MustCompile("`errand tokens add --scope ([a-z]+)`")
	now := snippet{page: name, section: title}
	var block *strings.Builder
	clients := false // inside a table of them
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSuffix(line, "\n")
		switch language, fence := strings.CutPrefix(line, "```"); {
		case fence && block == nil:
			block, now.language = new(strings.Builder), language
		case fence:
			list = append(list, snippet{page: name, section: now.section, language: now.language, text: block.String()})
			block = nil
		case block != nil:
			block.WriteString(line + "\n")
		case strings.HasPrefix(line, "## ") && title == "":
			now.section = line[len("## "):]
		case strings.HasPrefix(line, "| client |") || strings.HasPrefix(line, "| editor |"):
			clients = true
		case !strings.HasPrefix(line, "|"):
			clients = false
		case clients && !strings.HasPrefix(line, "|---"):
			cells := strings.SplitN(strings.Trim(line, "| "), " | ", 3)
			if len(cells) != 3 {
				t.Fatalf("a row of clients has not three cells: %s", line)
			}
			what := cell.FindStringSubmatch(cells[2])
			if what == nil || what[0] != cells[2] {
				t.Fatalf("the snippet of %s is not one alone: %s", cells[0], cells[2])
			}
			list = append(list, snippet{page: name, section: now.section, client: cells[0], text: what[1]})
		}
		if m := scope.FindStringSubmatch(line); m != nil && block == nil {
			scopes[now.section] = m[1]
		}
	}
	if block != nil {
		t.Fatalf("the last block of docs/%s.md has no end", name)
	}
	return list
}

type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
