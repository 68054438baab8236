package scripted

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"errand/internal/core"
)

// The format of web_search and web_fetch results (internal/tools/web), without their marks.
var (
	foundAddress = regexp.MustCompile(`(?m)^   (https?://\S+)$`)
	webPage      = regexp.MustCompile(`(?s)^<web>\nTitle: ([^\n]*)\nAddress: (\S+)\n(?:Date: ([^\n]*)\n)?(?:From [^\n]*\n)?\n(.*)\n</web>`)
	// The first sentence of a paragraph.
	sentence  = regexp.MustCompile(`(?m)^[^|#(>\s].*?\.( |$)`)
	table     = regexp.MustCompile(`(?m)(^\|.*\n)+`)
	notInName = regexp.MustCompile(`[^a-z0-9]+`)
)

const (
	researchSteps = 3 // search, read, write; each takes an equal share of the time
	maxPages      = 3
)

type page struct{ title, address, date, text string }

func research(t *Turn, task string) (calls []core.ToolCall) {
	pages := pagesRead(t)
	switch {
	case !t.Called("web_search"):
		return []core.ToolCall{Call("web_search", map[string]string{"query": Cut(task, 200)})}
	case !t.Called("web_fetch"):
		for _, a := range foundAddress.FindAllStringSubmatch(strings.Join(t.Results("web_search"), "\n"), maxPages) {
			calls = append(calls, Call("web_fetch", map[string]string{"url": a[1]}))
		}
	case !t.Called("write_file") && len(pages) > 0 && t.Offers("write_file"):
		notes := fmt.Sprintf("# %s\n\n%s\n", Cut(task, 120), findings(pages))
		calls = append(calls, Call("write_file", map[string]string{"path": notesFile(task), "content": notes}))
	}
	return calls
}

func planned(t *Turn, calls []core.ToolCall) []core.ToolCall {
	if !t.Offers("plan") {
		return calls
	}
	stages := []struct{ tool, text string }{{"web_search", "Search the web"}, {"web_fetch", "Read what was found"}, {"write_file", "Write notes"}}
	var items []core.PlanItem
	for _, stage := range stages {
		state := core.PlanPending
		switch {
		case t.Called(stage.tool):
			state = core.PlanDone
		case len(calls) == 0 || !t.Offers(stage.tool):
			continue // skip a stage without its tool
		case calls[0].Name == stage.tool:
			state = core.PlanDoing
		}
		items = append(items, core.PlanItem{Text: stage.text, State: state})
	}
	raw, _ := json.Marshal(map[string]any{"items": items}) // strings always marshal
	plan := core.ToolCall{Name: "plan", Arguments: string(raw)}
	if t.Made(-1, plan) {
		return calls
	}
	return append([]core.ToolCall{plan}, calls...)
}

func notesFile(task string) string {
	name := strings.Trim(notInName.ReplaceAllString(strings.ToLower(task), "-"), "-")
	return "research/" + strings.Trim(name[:min(len(name), 50)], "-") + ".md"
}

func pagesRead(t *Turn) (pages []page) {
	for _, text := range t.Results("web_fetch") {
		if p := webPage.FindStringSubmatch(strings.TrimSpace(text)); p != nil {
			pages = append(pages, page{p[1], p[2], p[3], p[4]})
		}
	}
	return pages
}

// findings takes the start of two paragraphs of each page, and the first table.
func findings(pages []page) string {
	var b strings.Builder
	first := ""
	for i, p := range pages {
		for _, s := range sentence.FindAllString(p.text, 2) {
			fmt.Fprintf(&b, "- %s [%d]\n", Cut(s, 240), i+1)
		}
		first = cmp.Or(first, table.FindString(p.text))
	}
	if first != "" {
		b.WriteString("\n" + first)
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

func researched(t *Turn, task string) string {
	head := fmt.Sprintf("Demonstration report on %q.\n\n", Cut(task, 120))
	pages := pagesRead(t)
	if len(pages) == 0 {
		return head + "Not found. The search answered: " + Cut(strings.Join(t.Results("web_search"), "\n"), 300) + "\n\n" +
			"Without a model of your own, only a handful of pages can be searched that are shipped with errand: " +
			"try night trains to Oslo, sourdough, bicycles, tomatoes or durable execution."
	}
	out := head + findings(pages)
	if written := t.Results("write_file"); len(written) > 0 && !strings.HasPrefix(written[0], "error: ") {
		out += "\n\nMy notes are in the file " + notesFile(task) + "."
	}
	if strings.Contains(strings.Join(t.Results("web_fetch"), "\n"), "shipped with errand for its demonstration") {
		out += "\n\nThese pages are shipped with errand for its demonstration, and what they say is made up. " +
			"The work was real: the search, the reading and this report are steps that survive a crash."
	}
	return out
}
