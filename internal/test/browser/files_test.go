package browser

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/test/llmtest"
)

// TestAttachedFiles proves that a person sends a picture from the page, with words or
// without, and may think better of it.
func TestAttachedFiles(t *testing.T) {
	_, owner := atChat(t, dictating(&dictated{}))
	photo := filepath.Join(t.TempDir(), "photo.png")
	if err := os.WriteFile(photo, []byte("\x89PNG\r\n\x1a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	choose := func() {
		t.Helper()
		owner.run("choose a file", chromedp.SetUploadFiles("#files", []string{photo}, chromedp.ByQuery))
		owner.sees(".attached", "photo.png")
	}
	choose()
	owner.accessible("a file attached")
	owner.clicks(".attached button")
	owner.doesNotSee("#form", "photo.png")
	choose()
	owner.doesNotSee("#form", "can't see pictures") // this model sees them
	owner.clicks("#send")
	owner.sees("#log .reply", "Nikki heard: [attached: photo.png, image/png, 8 bytes, a-")
	owner.sees("#log .mine", "photo.png")
	owner.doesNotSee("#log .mine", "📎") // its name is a link
	owner.doesNotSee("#form", "photo.png")
	choose()
	owner.says("look at this")
	owner.sees("#log .reply:last-child", "Nikki heard: look at this")
	owner.sees("#log .reply:last-child", "[attached: photo.png")
}

func picture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (p *person) drops(event, at, name string, data []byte) {
	p.t.Helper()
	script := func(events, then string) string {
		return `(() => {
			const held = new DataTransfer(), at = document.querySelector(` + quoted(at) + `);
			held.items.add(new File([Uint8Array.from(atob("` + base64.StdEncoding.EncodeToString(data) + `"), c => c.charCodeAt(0))], ` + quoted(name) + `));
			for (const one of ` + events + `) {
				const init = {bubbles: true, cancelable: true};
				at.dispatchEvent(one === "paste" ? new ClipboardEvent(one, {clipboardData: held, ...init}) : new DragEvent(one, {dataTransfer: held, ...init}));
			}
			` + then + `
		})()`
	}
	if event == "drop" { // a page that does not listen yet would miss it
		p.until("the page to take files", func() bool {
			return p.holds(script(`["dragover"]`, `return document.querySelector(".dropping") !== null;`))
		})
	}
	p.run(event+" "+name, chromedp.Evaluate(script(`["`+event+`"]`, ""), nil))
}

// TestFilesOfAChat proves that files are dropped on the page and pasted; that those of a
// draft and of a message that errand does not have yet are there when the page is loaded
// again, and go by themselves when errand is back; that what was sent and what agents made
// can be had later, pictures being shown; and that nothing else is.
func TestFilesOfAChat(t *testing.T) {
	in, owner := atChat(t, func(in *installation) {
		staged(in)
		nikki, _ := in.cfg.Roster.Agent("nikki")
		nikki.Tools = []string{"send_file"}
	})
	owner.drops("drop", "main", "photo.png", picture(t))
	owner.sees(".attached", "photo.png")
	owner.drops("paste", "#text", "drawing.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>window.harmed=true</script></svg>`))
	owner.sees(".attached", "drawing.svg")
	owner.until("no sign to drop there", func() bool { return owner.count(".dropping") == 0 })
	owner.accessible("files to be sent")
	owner.narrow()
	owner.run("load it again", chromedp.Reload())
	owner.sees(".attached", "photo.png")
	owner.sees(".attached", "drawing.svg")
	if n := owner.count(".attached img"); n != 1 {
		t.Errorf("%d files are shown as pictures", n)
	}

	in.end()
	owner.sees("#connection", "Can't reach errand")
	owner.says("look")
	owner.sees("#queue", "Not sent yet")
	owner.sees("#queue", "photo.png")
	owner.until("the draft to be empty", func() bool { return owner.count(".attached") == 0 })
	owner.open("about:blank")
	in.begin()
	owner.open(in.url + "/")
	owner.sees("#log .mine:not(.sending)", "look")
	owner.sees("#log .reply", "[attached: photo.png, image/png")
	owner.run("load it again", chromedp.Reload())
	owner.sees("#log .mine a", "drawing.svg")
	owner.until("the picture", func() bool {
		return owner.holds(`[...document.querySelectorAll("#log .mine img")].length === 1 && document.querySelector("#log .mine img").naturalWidth === 40`)
	})
	if owner.holds(`!!window.harmed`) {
		t.Error("a drawing has done something")
	}
	var kept int
	owner.evaluates("look at what is kept", `new Promise(done => {
		const open = indexedDB.open("errand", 1);
		open.onsuccess = () => { const keys = open.result.transaction("files").objectStore("files").getAllKeys(); keys.onsuccess = () => done(keys.result.length); };
	})`, &kept)
	if kept != 0 {
		t.Errorf("the browser keeps %d lists of files that errand has", kept)
	}
	owner.accessible("files that were sent")

	// What an agent made.
	by := actor.Actor{Person: app.Owner, Role: core.MasterAdmin}
	list, err := ops.Do(t.Context(), in.app.Service.Runner, api.ListSessions, by, api.ListSessionsInput{})
	if err != nil || len(list.Items) != 1 {
		t.Fatal(list, err)
	}
	file := api.FilePath{FilesOf: api.FilesOf{Of: string(list.Items[0].ID)}, Path: "plans/map.png"}
	_, err = ops.Do(t.Context(), in.app.Service.Runner, api.PutFile, by, api.PutFileInput{FilePath: file, Body: api.NewUpload(picture(t))})
	owner.must("keep a picture", err)
	owner.says(llmtest.Do(llmtest.Use("send_file", map[string]string{"path": "plans/map.png"})))
	owner.sees("#log .file", "map.png")
	owner.run("load it again", chromedp.Reload())
	owner.until("the picture", func() bool {
		return owner.holds(`document.querySelector("#log .reply img")?.naturalWidth === 40 || document.querySelector("#log .file:not(.mine) img")?.naturalWidth === 40`)
	})
	var saved struct {
		Name, Type, Kept string
		Size             int
	}
	owner.evaluates("have it", `(async () => {
		const link = [...document.querySelectorAll("#log .message:not(.mine) a[download]")].at(-1), answer = await fetch(link.href);
		return {name: link.download, type: answer.headers.get("Content-Type"), kept: answer.headers.get("Content-Disposition"), size: (await answer.arrayBuffer()).byteLength};
	})()`, &saved)
	owner.clicks("#log .message:not(.mine) .file > a[download]:not(.preview)")
	owner.sees(".preview-dialog h2", "map.png")
	owner.until("the picture as a whole", func() bool { return owner.holds(`document.querySelector(".preview-dialog img")?.naturalWidth === 40`) })
	owner.accessible("a picture before the page")
	owner.clicks(".preview-dialog button")
	owner.until("it to close", func() bool { return owner.count(".preview-dialog") == 0 })
	if saved.Name != "map.png" || saved.Type != "image/png" || saved.Kept != "attachment; filename=map.png" || saved.Size != len(picture(t)) {
		t.Errorf("what an agent made comes as %+v", saved)
	}
	owner.narrow()
	owner.accessible("a file of an agent")
}

// TestBlindModel proves that if the model of the agent cannot see pictures, a note beside the picture
// says so, before and after the member sends it. There is no note beside other files, or if the model
// sees pictures.
func TestBlindModel(t *testing.T) {
	server, no, yes := llmtest.NewServer(t, llmtest.Answer("Fine.")), false, true
	in := start(t, func(in *installation) {
		withModels(nil)(in)
		for name, sees := range map[string]*bool{"default": &no, "large": &yes} {
			in.cfg.Models[name] = config.Model{Providers: []config.Provider{{Name: "gpt-" + name, BaseURL: server.BaseURL(), Vision: sees}}}
		}
		finn, _ := in.cfg.Roster.Agent("finn")
		finn.Model = "large"
	})
	owner := atBrowser(t, "owner")
	owner.open(in.link())
	owner.sees("#who", "Admin")
	ann := owner.letsIn(in, "Ann")
	ann.drops("drop", "#text", "notes.txt", []byte("a text"))
	ann.sees(".attached", "notes.txt")
	ann.doesNotSee(".attached", "can't see")
	ann.drops("drop", "#text", "photo.png", picture(t))
	ann.sees(".attached", "gpt-default can't see pictures.")
	ann.accessible("a picture that the model cannot see")
	ann.narrow()
	ann.says("what is this?")
	ann.sees("#log .reply", "Fine.")
	ann.sees("#log .mine", "gpt-default can't see pictures.")
	ann.picks("#agent", "finn")
	ann.sees("#form", "Finn")
	ann.drops("drop", "#text", "photo.png", picture(t))
	ann.sees(".attached", "photo.png")
	ann.until("the agent to change", func() bool { return ann.count(".blind") == 0 })
}
