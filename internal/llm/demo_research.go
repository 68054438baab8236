package llm

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	openai "github.com/sashabaranov/go-openai"
)

// What web_search and web_fetch answer (internal/tools/web), without their marks.
var (
	foundAddress = regexp.MustCompile(`(?m)^   (https?://\S+)$`)
	webPage      = regexp.MustCompile(`(?s)^<web>\nTitle: ([^\n]*)\nAddress: (\S+)\n(?:Date: ([^\n]*)\n)?(?:From [^\n]*\n)?\n(.*)\n</web>`)
)

const (
	researchSteps = 3 // of which each takes its part of the time: search, read, write down
	mostPages     = 3
)

// A demoPage is one that the demonstration model has read.
type demoPage struct{ title, address, date, text string }

// researches reports whether there is something to look up, and with what.
func (t *demoTurn) researches() bool { return t.offers("web_search") && t.offers("web_fetch") }

// research is the next step of looking a task up; nil: all that can be done is done.
func (t *demoTurn) research(task string) []openai.ToolCall {
	found, searched := t.resultOf("web_search")
	if !searched {
		return []openai.ToolCall{demoCall("web_search", map[string]string{"query": cut(task, 200)})}
	}
	pages, read := t.pagesRead()
	if addresses := foundAddress.FindAllStringSubmatch(found, mostPages); !read && len(addresses) > 0 {
		var calls []openai.ToolCall
		for _, a := range addresses {
			calls = append(calls, demoCall("web_fetch", map[string]string{"url": a[1]}))
		}
		return calls
	}
	if _, written := t.resultOf("write_file"); !written && len(pages) > 0 && t.offers("write_file") {
		return []openai.ToolCall{demoCall("write_file", map[string]string{"path": notesFile(task), "content": t.notes(task, pages)})}
	}
	return nil
}

func notesFile(task string) string {
	slug := strings.Join(strings.FieldsFunc(strings.ToLower(task), func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) }), "-")
	return "research/" + strings.Trim(slug[:min(len(slug), 50)], "-") + ".md"
}

func (t *demoTurn) notes(task string, pages []demoPage) string {
	return fmt.Sprintf("# %s\n\n%s\n", cut(task, 120), findings(task, pages))
}

func (t *demoTurn) resultOf(tool string) (result string, called bool) {
	for i, m := range t.tail {
		if m.Role == openai.ChatMessageRoleTool && t.callOf(t.tail[:i], m.ToolCallID).Name == tool {
			result, called = m.Content, true
		}
	}
	return result, called
}

func (t *demoTurn) pagesRead() (pages []demoPage, called bool) {
	for i, m := range t.tail {
		if m.Role != openai.ChatMessageRoleTool || t.callOf(t.tail[:i], m.ToolCallID).Name != "web_fetch" {
			continue
		}
		called = true
		if p := webPage.FindStringSubmatch(strings.TrimSpace(m.Content)); p != nil {
			pages = append(pages, demoPage{p[1], p[2], p[3], p[4]})
		}
	}
	return pages, called
}

// findings tells what pages say, with where it stands. There is no thought in it: it is
// the sentences that have most words of the task.
func findings(task string, pages []demoPage) string {
	var b strings.Builder
	table := ""
	for i, p := range pages {
		for _, s := range p.sentences(task, 2) {
			fmt.Fprintf(&b, "- %s [%d]\n", s, i+1)
		}
		table = cmp.Or(table, p.table())
	}
	if table != "" {
		b.WriteString("\n" + table)
	}
	b.WriteString("\nSources:\n")
	for i, p := range pages {
		date := ""
		if p.date != "" {
			date = ", " + p.date
		}
		fmt.Fprintf(&b, "%d. %s%s: %s\n", i+1, p.title, date, p.address)
	}
	return strings.TrimSpace(b.String())
}

func (p demoPage) sentences(task string, n int) []string {
	wanted := longWords(task)
	type sentence struct {
		text  string
		score int
		at    int
	}
	var all []sentence
	for line := range strings.Lines(p.text) {
		if line = strings.TrimSpace(line); line == "" || strings.ContainsAny(line[:1], "|#(>") {
			continue
		}
		for s := range strings.SplitSeq(line, ". ") {
			score := 0
			for w := range longWords(s) {
				if wanted[w] {
					score += 2
				}
			}
			if strings.ContainsAny(s, "0123456789") {
				score++
			}
			all = append(all, sentence{strings.TrimRight(strings.TrimSpace(s), ".") + ".", score, len(all)})
		}
	}
	slices.SortStableFunc(all, func(a, b sentence) int { return cmp.Compare(b.score, a.score) })
	all = all[:min(n, len(all))]
	slices.SortFunc(all, func(a, b sentence) int { return cmp.Compare(a.at, b.at) })
	var out []string
	for _, s := range all {
		out = append(out, cut(s.text, 240))
	}
	return out
}

func (p demoPage) table() string {
	var b strings.Builder
	for line := range strings.Lines(p.text) {
		if strings.HasPrefix(line, "|") {
			b.WriteString(line)
		} else if b.Len() > 0 {
			break
		}
	}
	return b.String()
}

func longWords(s string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(w) > 3 {
			set[strings.TrimSuffix(w, "s")] = true
		}
	}
	return set
}

// researched is the report on what was looked up; empty: nothing was.
func (t *demoTurn) researched(task string) string {
	found, searched := t.resultOf("web_search")
	if !searched {
		return ""
	}
	head := fmt.Sprintf("Demonstration report on %q.\n\n", cut(task, 120))
	pages, _ := t.pagesRead()
	if len(pages) == 0 {
		return head + "Not found. The search answered: " + cut(found, 300) + "\n\n" +
			"Without a model of your own, only a handful of pages can be searched that are shipped with errand: try night trains to Oslo, sourdough, bicycles, tomatoes or durable execution."
	}
	out := head + findings(task, pages)
	if result, written := t.resultOf("write_file"); written && !strings.HasPrefix(result, "error: ") {
		out += "\n\nMy notes are in the file " + notesFile(task) + "."
	}
	if t.shipped() {
		out += "\n\nThese pages are shipped with errand for its demonstration, and what they say is made up. The work was real: the search, the reading and this report are steps that survive a crash."
	}
	return out
}

// shipped reports whether a page that was read is one of errand's own.
func (t *demoTurn) shipped() bool {
	return slices.ContainsFunc(t.tail, func(m openai.ChatCompletionMessage) bool {
		return m.Role == openai.ChatMessageRoleTool && strings.Contains(m.Content, "shipped with errand for its demonstration")
	})
}

// lookupCall is the call that somebody asks for who wants something looked up, or an address
// read; "": none is asked for.
func lookupCall(text string) (tool string, arguments map[string]string) {
	if m := readAddress.FindStringSubmatch(text); m != nil {
		return "web_fetch", map[string]string{"url": strings.TrimRight(m[1], ".,;:!?)")}
	}
	if m := lookUp.FindStringSubmatch(text); m != nil {
		return "web_search", map[string]string{"query": cut(strings.TrimRight(m[1], ".!? "), 200)}
	}
	return "", nil
}

var (
	readAddress = regexp.MustCompile(`(?i)\b(?:read|open|fetch|summari[sz]e)\b.*?(https?://\S+)`)
	lookUp      = regexp.MustCompile(`(?is)^\W*(?:please\s+)?(?:look up|search(?:\s+the\s+web)?(?:\s+for)?|find out|research)\s+(.+)$`)
)

func lookupReply(result string) string {
	if problem, failed := strings.CutPrefix(result, "error: "); failed {
		return "That did not work: " + problem
	}
	if p := webPage.FindStringSubmatch(result); p != nil {
		return fmt.Sprintf("%s (%s) begins:\n\n%s", p[1], p[2], cut(p[4], 600))
	}
	return strings.NewReplacer("<web>\n", "", "\n</web>", "").Replace(result)
}
