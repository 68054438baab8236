package browser

import (
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/test/llmtest"
)

// TestApprovalOnPage proves what a person does about calls that wait for a yes: all of the
// arguments are shown, in the chat and on the page of questions in another browser; a yes runs the call once, and a no
// not at all, with the reason told to the agent; a tool that was allowed for the session
// asks no more; and the browser in which nothing was pressed says how it ended.
func TestApprovalOnPage(t *testing.T) {
	in, owner := atChat(t, func(in *installation) {
		staged(in)
		in.cfg.Approvals = map[string]core.ApprovalRule{"write_file": core.ApproveAlways, "list_files": core.ApproveFirst}
	})
	tab := atBrowser(t, "owner elsewhere")
	tab.open(in.link())
	tab.sees("#who", "Admin")
	tab.open(in.url + "/questions")
	tab.sees("main", "Nothing is waiting for an answer.")
	const waits = "#log [data-question]"
	writes := func(content string) string {
		// Written out, for what turns the order of letters around is taken out of messages.
		return strings.ReplaceAll(llmtest.Do(llmtest.Use("write_file", map[string]string{"path": "plan.txt", "content": content})), "\u202e", `\u202e`)
	}

	owner.says(writes("rm -rf \u202ex " + hostile + strings.Repeat("long ", 300) + "the end"))
	for _, p := range []*person{owner, tab} {
		p.sees(".arguments", `rm -rf \u202ex `+hostile)
		p.sees(".arguments", "the end")
		p.unharmed("main")
		p.accessible("an approval")
		p.narrow()
	}
	tab.sees("#waiting .card", "asks for your approval")
	if n := owner.count(waits + " .choices button"); n != 2 {
		t.Errorf("what always waits for a yes is answered by %d buttons, want 2", n)
	}
	owner.clicks(waits + " .choices button:nth-child(1)")
	owner.sees("#log .question-end", "You approved write_file")
	owner.sees("#log .reply:last-child", "told: ")
	tab.sees("#over", "You approved write_file")
	tab.sees("main", "Nothing is waiting for an answer.")
	versions := func() (n int) {
		owner.evaluates("read the files", `fetch("/api/sessions?chat=main").then(answer => answer.json())
			.then(list => fetch("/api/files/" + list[0].id)).then(answer => answer.json()).then(list => list.reduce((sum, file) => sum + file.version, 0))`, &n)
		return n
	}
	if n := versions(); n != 1 {
		t.Errorf("what was approved once has written %d versions", n)
	}

	owner.says(writes("something else"))
	tab.sees("#waiting .arguments", "something else")
	tab.clicks("#waiting .why-not summary")
	tab.types("#waiting .why-not input", "not on a Sunday\r")
	tab.sees("#over", "You declined write_file: not on a Sunday")
	owner.sees("#log .reply:last-child", "not on a Sunday")
	owner.until("the buttons to go", func() bool { return owner.count(waits) == 0 })
	if n := versions(); n != 1 {
		t.Errorf("what was declined has run: %d versions", n)
	}

	owner.says(llmtest.Do(llmtest.Use("list_files", map[string]string{})))
	owner.sees(waits, "Always")
	owner.clicks(waits + " .choices button:nth-child(3)")
	owner.sees("#log", "You approved list_files: always, this tool in this session")
	owner.until("the list", func() bool { return strings.Contains(owner.text("#log .reply:last-child"), "plan.txt") })
	replies := owner.count("#log .reply")
	owner.says(llmtest.Do(llmtest.Use("list_files", map[string]string{"folder": "notes"})))
	owner.until("the next to run at once", func() bool { return owner.count("#log .reply") > replies })
	if n := owner.count(waits); n != 0 {
		t.Errorf("a tool that was allowed for the session asks again")
	}
	tab.sees("#over", "always, this tool in this session")
	tab.accessible("approvals that are over")
}

// TestApprovalOfAnother proves that who may not approve a call reads who has to, and has no buttons,
// and that who has to sees the number of approvals on every page and in the tab's title.
func TestApprovalOfAnother(t *testing.T) {
	in, owner := atChat(t, func(in *installation) {
		staged(in)
		in.cfg.Approvals = map[string]core.ApprovalRule{"write_file": core.ApproveAlways}
	})
	ann := owner.letsIn(in, "Ann")
	owner.open(in.url + "/usage")
	owner.sees("#who", "Admin")
	if n := owner.count("#nav .count"); n != 0 {
		t.Errorf("%d counts are shown when nothing waits", n)
	}

	ann.says(llmtest.Do(llmtest.Use("write_file", map[string]string{"path": "plan.txt", "content": "trains"})))
	ann.sees("#log .waits-for", "Owner has to approve this.")
	if n := ann.count("#log :is(.answer-form, .choices)"); n != 0 {
		t.Error("who may not approve has buttons")
	}
	ann.accessible("an approval of another person")
	owner.open(in.url + "/usage")
	owner.sees("#nav .count", "1")
	owner.until("the title to say so", func() bool { return owner.holds(`document.title.startsWith("(1) ")`) })
	owner.open(in.url + "/questions")
	owner.clicks("#waiting .choices .primary")
	owner.sees("#over", "You approved write_file")
	owner.until("nothing to wait", func() bool { return owner.count("#nav .count") == 0 })
	ann.sees("#log .question-end", "approved write_file")
}
