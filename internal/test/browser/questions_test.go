package browser

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"errand/internal/test/llmtest"
	"errand/internal/test/workflowtest"
)

// staged has agents do what they are told, see [llmtest.Stage].
func staged(in *installation) {
	in.cfg.Roster, in.model = workflowtest.Cast(), llmtest.NewStage()
}

func asking(t *testing.T, args map[string]any) string {
	t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return llmtest.Do(llmtest.ToolCall{Tool: "ask_user", Args: string(b)})
}

// posts calls the API as the person does who is logged in, and returns what it answers.
func (p *person) posts(path string, body map[string]any) (answer struct {
	Status int
	Body   struct{ ID, State string }
}) {
	p.t.Helper()
	b, err := json.Marshal(body)
	p.must("write a request", err)
	p.evaluates("post to "+path, `fetch(`+quoted(path)+`, {method: "POST", headers: {"Content-Type": "application/json"}, body: `+quoted(string(b))+`})
		.then(async answer => ({Status: answer.status, Body: await answer.json()}))`, &answer)
	if answer.Status >= http.StatusBadRequest {
		p.t.Fatalf("%s is answered with HTTP %d", path, answer.Status)
	}
	return answer
}

func (p *person) gives(agent, text string) string {
	p.t.Helper()
	return p.posts("/api/tasks", map[string]any{"agent": agent, "text": text, "chat": "main"}).Body.ID
}

// holds reports whether a script is true on the page.
func (p *person) holds(script string) (holds bool) {
	p.t.Helper()
	p.run("look", chromedp.Evaluate(script, &holds))
	return holds
}

const hostile = `<img src=x onerror=window.harmed=true><script>window.harmed=true</script>`

func (p *person) unharmed(at string) {
	p.t.Helper()
	if p.holds(`!!window.harmed || document.querySelector(` + quoted(at+" :is(img, script)") + `) !== null`) {
		p.t.Errorf("markup of others is taken for the page's, in %s", at)
	}
}

// TestQuestionsPage proves that the page of questions shows what waits, and takes an
// answer in place: by a button, in the fields of a schema, as a text, or that there is
// none; that it says afterwards what became of each; that what is typed and the focus
// stay while other questions come and go; and that words of others are words.
func TestQuestionsPage(t *testing.T) {
	_, owner := atChat(t, staged)
	owner.run("go to the questions", chromedp.Navigate(owner.at()+"questions"))
	owner.sees("#nav a[aria-current]", "Questions")
	owner.sees("main", "Nothing is waiting for an answer.")
	owner.accessible("no questions")
	owner.announces()

	owner.gives("sasha", asking(t, map[string]any{"question": "Which day? " + hostile, "options": []string{"Monday", hostile[:40], strings.Repeat("Tuesday", 12)}}))
	owner.sees("#waiting", "1 waits for an answer")
	owner.gives("finn", asking(t, map[string]any{"question": "Where do you live?", "schema": map[string]any{"type": "object", "required": []string{"city", "people"},
		"properties": map[string]any{"city": map[string]any{"type": "string", "title": "City", "description": "without the country"},
			"people": map[string]any{"type": "integer", "minimum": 1, "maximum": 9}, "lift": map[string]any{"type": "boolean"},
			"zone": map[string]any{"type": "string", "enum": []string{"old", "new"}}, "from": map[string]any{"type": "string", "format": "date"}}}}))
	owner.sees("#waiting", "2 wait for an answer")
	owner.gives("sasha", asking(t, map[string]any{"question": "What is it **called**? " + strings.Repeat("x", 300)}))
	owner.sees("#waiting", "3 wait for an answer")
	owner.sees("#waiting strong", "called")
	owner.unharmed("main")
	owner.accessible("questions that wait")
	owner.narrow()

	free := "#waiting .card:has(textarea) textarea"
	owner.types(free, "the old")
	owner.run("keep the field", chromedp.Evaluate(`window.field = document.activeElement`, nil))
	owner.gives("finn", asking(t, map[string]any{"question": "Shall I go on?", "options": []string{"Yes", "No"}}))
	owner.sees("#waiting", "4 wait for an answer")
	if !owner.holds(`document.activeElement === field && field.isConnected && field.value === "the old"`) {
		t.Error("what is typed, or the focus, is lost when another question comes")
	}
	owner.types(free, " station\r")
	owner.sees("#over", "Answered: the old station")
	owner.sees("#over", "by you")
	owner.sees("#announcer", "Sasha has your answer: the old station")
	owner.until("the next to have the focus", func() bool { return owner.holds(`document.activeElement.closest("#waiting .question-card") !== null`) })

	// What does not fit is not sent, and what is refused is told there.
	object := "#waiting .card:has(select)"
	owner.clicks(object + " button[type=submit]")
	if !owner.holds(`document.querySelector("#waiting .card input:invalid") !== null`) {
		t.Error("an answer without what is required is taken")
	}
	owner.types(object+" .field:nth-of-type(1) input", "Oslo")
	owner.types(object+` input[type=number]`, "3")
	owner.picks(object+` .field:has(option[value="yes"]) select`, "yes")
	owner.clicks(object + " button[type=submit]")
	owner.sees("#over", "City: Oslo\nlift: yes\npeople: 3")

	owner.run("go to the options", chromedp.Focus("#waiting .options button", chromedp.ByQuery))
	owner.presses("1")
	owner.sees("#over", "Answered: Monday")
	owner.clicks("#waiting .decline")
	owner.sees("#over", "Declined")
	owner.sees("main", "Nothing is waiting for an answer.")
	owner.unharmed("main")
	owner.accessible("questions that are over")
	owner.narrow()
}

// TestQuestionsInChat proves that every open question of a chat has its buttons where it
// was asked, however many there are and also after a restart; that an answer there counts
// at once, and that one from elsewhere takes the buttons away.
func TestQuestionsInChat(t *testing.T) {
	in, owner := atChat(t, staged)
	first := owner.gives("sasha", asking(t, map[string]any{"question": "Which day?", "options": []string{"Monday", "Tuesday"}}))
	owner.sees("#log .question", "Which day?")
	second := owner.gives("finn", asking(t, map[string]any{"question": "Which colour?", "options": []string{"Red", "Blue"}}))
	owner.sees("#log", "Which colour?")
	buttons := func(n int) {
		t.Helper()
		owner.until("the buttons", func() bool { return owner.count("#log .question .choices button") == n })
	}
	buttons(4)
	owner.sees("#waiting", "2 questions wait for your answer (Sasha, Finn)")
	owner.says("hello") // people go on talking meanwhile
	owner.sees("#log .reply", "you said hello")
	buttons(4)
	owner.accessible("two questions in a chat")
	owner.clicks("#waiting a")
	if !owner.holds(`document.activeElement.textContent.endsWith("Monday")`) {
		t.Error("the way to the question does not lead to its buttons")
	}
	owner.narrow()

	in.end()
	owner.sees("#connection", "Can't reach errand")
	owner.clicks("#log [data-question] .choices button")
	owner.sees("#log [data-question] .said", "fetch") // nothing was sent, and it says so
	in.begin()
	owner.until("errand to be back", func() bool { return owner.text("#connection") == "" })
	buttons(4)
	owner.clicks("#log [data-question] .choices button")
	owner.sees("#log .question-end", "Answered: Monday")
	owner.sees("#log [data-task="+first+"]", "completed")
	buttons(2)
	owner.sees("#waiting", "Finn waits for your answer")

	var questions []struct{ ID string }
	owner.evaluates("read the questions", `fetch("/api/questions?chat=main").then(answer => answer.json())`, &questions)
	if len(questions) != 1 {
		t.Fatalf("%d questions of the chat are open, want 1", len(questions))
	}
	owner.posts("/api/questions/"+questions[0].ID+"/answer", map[string]any{"text": "Blue"})
	buttons(0)
	owner.sees("#log", "Answered: Blue")
	owner.sees("#log [data-task="+second+"]", "completed")
	owner.until("nothing to wait", func() bool { return owner.count("#waiting") == 0 })
	owner.run("load it again", chromedp.Reload())
	owner.sees("#log", "Answered: Monday")
	owner.sees("#log", "Answered: Blue")
	buttons(0)
}
