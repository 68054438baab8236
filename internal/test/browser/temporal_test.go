package browser

import (
	"testing"

	"github.com/chromedp/chromedp"

	"errand/internal/temporal/devserver"
	"errand/internal/test/llmtest"
)

// TestTaskInTemporal proves that the page of a task leads to its workflow in Temporal's Web
// UI, and to the workflows of the whole conversation that it was asked for in.
func TestTaskInTemporal(t *testing.T) {
	in, owner := atChat(t, func(in *installation) {
		staged(in)
		in.cfg.PublicURL, in.cfg.UIPort = "", devserver.FreePort(t)
	})
	owner.says(llmtest.Do(llmtest.Send("finn", "say here it is")))
	owner.sees("#log .task", "completed")
	var id string
	owner.run("read its id", chromedp.Evaluate(`document.querySelector("#log .task").dataset.task`, &id))
	owner.open(in.url + "/tasks")
	owner.until("the chat by its title", func() bool {
		return owner.text("#tasks .chat a") == owner.text("#filters [name=chat] option:nth-child(2)") && owner.has("#tasks .chat a", "do [")
	})

	for says, shows := range map[string][]string{
		"this workflow":            {id, "Delegation"},
		"all of this conversation": {id, id + "/finn", "session/web/local/main"},
	} {
		owner.run("go to the task", chromedp.Navigate(in.url+"/tasks/"+id))
		owner.sees(".rail a[target]", says)
		var there string
		owner.run("read where a link leads", chromedp.Evaluate(`[...document.querySelectorAll(".rail a[target]")].find(a => a.innerText === `+quoted(says)+`).href`, &there))
		owner.open(there)
		for _, one := range shows {
			owner.sees("body", one)
		}
	}
}
