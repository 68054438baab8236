package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/test/llmtest"
)

// rowsOf waits until a section of the panel of work has so many rows.
func (p *person) rowsOf(section string, n int) {
	p.t.Helper()
	p.until("rows of "+section, func() bool { return p.count(`.work [aria-label="`+section+`"] li`) == n })
}

// TestWorkPanel proves that a panel beside the chat shows what waits for the person and the errands,
// those at work first, and leads to both in the chat; that it is a drawer where there is no room;
// and that the browser remembers whether it is open.
func TestWorkPanel(t *testing.T) {
	in, owner := atChat(t, staged)
	stage := in.model.(*llmtest.Stage)
	owner.sees(".work", "Its progress is shown here.")
	owner.says(llmtest.Do(llmtest.Send("finn", "say at once"), llmtest.Send("sasha", llmtest.Do(llmtest.Ask("finn", "wait gate"))),
		llmtest.Send("priest", asking(t, map[string]any{"question": "Which day?", "options": []string{"Monday", "Tuesday"}}))))
	owner.rowsOf("Waiting for you", 1)
	owner.rowsOf("Errands", 4)
	owner.until("what is over to be last", func() bool {
		return owner.holds(`document.querySelector(".work .past")?.parentElement === document.querySelector('.work [aria-label="Errands"] li:last-child')`)
	})
	owner.accessible("the panel of work")
	owner.clicks(`.work [aria-label="Waiting for you"] a`)
	if !owner.holds(`document.activeElement.textContent.endsWith("Monday")`) {
		t.Error("the panel does not lead to the question")
	}
	owner.presses("\r")
	owner.until("nothing to wait", func() bool { return owner.count(`.work [aria-label="Waiting for you"]`) == 0 })
	owner.run("go to a sub-task", chromedp.Evaluate(`[...document.querySelectorAll(".work li a")].find(a => a.innerText.includes("wait gate") && !a.innerText.includes("do [")).click()`, nil))
	owner.hasFocus("#log .task .task")
	owner.sees("#log .task .task .acts", "Stop")
	stage.Open("gate")
	owner.until("all over", func() bool { return owner.count(".work .past") == 4 })

	owner.clicks("#work-button")
	owner.until("no panel", func() bool { return owner.count(".work") == 0 })
	owner.run("load it again", chromedp.Reload())
	owner.sees("#log .reply", "told")
	if owner.count(".work") != 0 {
		t.Error("the browser does not remember that the panel is closed")
	}
	owner.clicks("#work-button")
	owner.rowsOf("Errands", 4)

	owner.run("on a phone", chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	owner.until("no panel", func() bool { return owner.count(".work") == 0 })
	owner.clicks("#work-button")
	owner.sees("dialog.work h2", "Work")
	owner.rowsOf("Errands", 4)
	owner.until("the drawer to rest", func() bool {
		return owner.holds(`document.getAnimations().every(a => a.effect.target.matches(".spin, .doing"))`)
	})
	owner.complainsOfNothing("the drawer of work")
	owner.clicks("dialog.work li a")
	owner.until("the drawer to close and the line to open", func() bool { return owner.count("dialog.work") == 0 && owner.count("#log .opened") == 1 })
	owner.clicks("#work-button")
	owner.sees("dialog.work h2", "Work")
	owner.presses(kb.Escape)
	owner.until("the drawer to close", func() bool { return owner.count("dialog.work") == 0 })
	owner.hasFocus("#work-button")
}

// puts has an agent keep a file for the chat.
func (in *installation) puts(p *person, path, content string) {
	p.t.Helper()
	by := actor.Actor{Person: app.Owner, Role: core.MasterAdmin}
	list, err := ops.Do(p.t.Context(), in.app.Service.Runner, api.ListSessions, by, api.ListSessionsInput{})
	p.must("list the sessions", err)
	file := api.FilePath{FilesOf: api.FilesOf{Of: string(list.Items[0].ID)}, Path: path}
	_, err = ops.Do(p.t.Context(), in.app.Service.Runner, api.PutFile, by, api.PutFileInput{FilePath: file, Body: api.NewUpload([]byte(content))})
	p.must("keep a file", err)
}

// opensFile opens a file in the panel, and waits for its preview.
func (p *person) opensFile(name string) {
	p.t.Helper()
	p.run("open "+name, chromedp.Evaluate(`[...document.querySelectorAll('.work [aria-label="Files"] button')].find(b => b.innerText.includes(`+quoted(name)+`)).click()`, nil))
	p.sees(".preview-dialog h2", name)
}

// TestFilesOfWork proves that the panel lists the files that agents wrote and those that were sent,
// that text, Markdown, tables and pictures are shown and other files can be had, and that nothing in
// a file becomes markup or runs.
func TestFilesOfWork(t *testing.T) {
	in, owner := atChat(t, staged)
	owner.sees(".work", "Files that agents write, and those you attach.")
	owner.drops("drop", "main", "photo.png", picture(t))
	owner.sees(".attached", "photo.png")
	owner.says("look")
	owner.sees("#log .reply", "photo.png")
	in.puts(owner, "notes/plan.md", "# Trains\n\n"+hostile+"\n\n- **night** train")
	in.puts(owner, "endless.csv", "x"+strings.Repeat("a\r", 50_000)+strings.Repeat(`"`, 100_000))
	in.puts(owner, "prices.csv", "way;hours\n\"by night; slow\";14\n"+hostile+";11\n")
	in.puts(owner, "page.html", "<h1>Trains</h1>"+hostile)
	in.puts(owner, "raw.bin", "\x00\x01\x02")
	owner.says("hello")
	owner.rowsOf("Files", 6)
	owner.sees(".work", "plan.md")
	owner.accessible("the files of a chat")

	owner.opensFile("plan.md")
	owner.sees(".preview-dialog h3", "Trains")
	owner.sees(".preview-dialog li strong", "night")
	owner.unharmed(".preview-dialog")
	owner.accessible("a file before the page")
	owner.narrow()
	owner.presses(kb.Escape)
	owner.until("no file", func() bool { return owner.count(".preview-dialog") == 0 })
	owner.opensFile("endless.csv")
	owner.sees(".preview-dialog", "xa")
	owner.presses(kb.Escape)
	owner.until("no file", func() bool { return owner.count(".preview-dialog") == 0 })
	owner.opensFile("prices.csv")
	owner.sees(".preview-dialog thead", "way")
	owner.sees(".preview-dialog td", "by night; slow")
	if n := owner.count(".preview-dialog tbody tr"); n != 2 {
		t.Errorf("the table has %d rows", n)
	}
	owner.unharmed(".preview-dialog")
	owner.accessible("a table before the page")
	owner.clicks(".preview-dialog button")
	owner.opensFile("page.html")
	owner.sees(".preview-dialog pre", "<h1>Trains</h1>")
	owner.unharmed(".preview-dialog")
	owner.clicks(".preview-dialog button")
	owner.opensFile("photo.png")
	owner.until("the picture", func() bool { return owner.holds(`document.querySelector(".preview-dialog img")?.naturalWidth === 40`) })
	owner.clicks(".preview-dialog button")
	owner.opensFile("raw.bin")
	owner.sees(".preview-dialog", "cannot be shown here")
	if !owner.holds(`document.querySelector(".preview-dialog a[download]").download === "raw.bin"`) {
		t.Error("it cannot be downloaded")
	}
	owner.clicks(".preview-dialog button")

	// Where an answer or a result names a file, the name leads to it.
	owner.clicks("#work-button")
	owner.until("no panel", func() bool { return owner.count(".work") == 0 })
	owner.says("say my notes are in notes/plan.md, `prices.csv` and none.md; not in other-plan.md")
	owner.until("links", func() bool { return owner.count("#log .reply:last-child a.file-link") == 2 })
	owner.clicks("#log .reply code a.file-link")
	owner.sees(".preview-dialog h2", "prices.csv")
	owner.clicks(".preview-dialog button")
	owner.says(llmtest.Do(llmtest.Send("finn", "say it is in plan.md")))
	owner.clicks("#log .task.completed .toggle")
	owner.clicks("#log .task .result a.file-link")
	owner.sees(".preview-dialog h3", "Trains")
	owner.accessible("a file that a result names")
}

// TestRemindersOfWork proves that the reminders of a chat are added, changed and removed in the panel.
func TestRemindersOfWork(t *testing.T) {
	_, owner := atChat(t, staged)
	owner.sees(".work", "No reminders yet")
	owner.clicks(`.work [aria-label="Add a reminder"]`)
	owner.types(".reminder-form label:nth-child(1) input", "pack the bags")
	owner.types(".reminder-form label:nth-child(2) input", "the day after never\r")
	owner.until("what is wrong", func() bool { return owner.text(".reminder-form .said") != "" })
	owner.complainsOfNothing("a reminder that is added")
	owner.run("think again", clear(".reminder-form label:nth-child(2) input"))
	owner.types(".reminder-form label:nth-child(2) input", "every monday at 8:00\r")
	owner.rowsOf("Reminders", 1)
	owner.sees(`.work [aria-label="Reminders"] li`, "pack the bags")
	owner.sees(".chat-item", "New chat") // else nobody would find the reminder again
	owner.clicks(`.work [aria-label="Reminders"] li button`)
	owner.types(".reminder-form label:nth-child(1) input", " and the boxes\r")
	owner.sees(`.work [aria-label="Reminders"] li`, "pack the bags and the boxes")
	owner.until("the form to close", func() bool { return owner.count(".reminder-form") == 0 })
	owner.run("load it again", chromedp.Reload())
	owner.sees(`.work [aria-label="Reminders"] li`, "pack the bags and the boxes")
	owner.rowsOf("Reminders", 1)
	owner.clicks(`.work [aria-label="Reminders"] li button`)
	if !owner.holds(`document.querySelector(".reminder-form label:nth-child(2) input").placeholder.toLowerCase().includes("monday")`) {
		t.Error("the form does not say when it reminds")
	}
	owner.complainsOfNothing("a reminder that is changed")
	owner.clicks(".reminder-form .act button")
	owner.sees(".work", "No reminders yet")

	// One that comes once has its time in the field.
	owner.clicks(`.work [aria-label="Add a reminder"]`)
	owner.types(".reminder-form label:nth-child(1) input", "call Ann")
	owner.types(".reminder-form label:nth-child(2) input", "tomorrow at 9:00\r")
	owner.sees(`.work [aria-label="Reminders"] li`, "9:00")
	owner.clicks(`.work [aria-label="Reminders"] li button`)
	when := ".reminder-form label:nth-child(2) input"
	var at string
	owner.evaluates("read the time", `document.querySelector("`+when+`").value`, &at)
	owner.run("clear the time", clear(when))
	owner.types(when, strings.Replace(at, " 09:00", " 09:45", 1)+"\r")
	owner.sees(`.work [aria-label="Reminders"] li`, "9:45")
}
