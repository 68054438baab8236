package browser

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
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
	owner.clicks("#send")
	owner.sees("#log .reply", "Nikki heard: [attached: photo.png, image/png, 8 bytes, a-")
	owner.sees("#log .mine", "📎 photo.png")
	owner.doesNotSee("#form", "photo.png")
	choose()
	owner.says("look at this")
	owner.sees("#log .reply:last-child", "Nikki heard: look at this")
	owner.sees("#log .reply:last-child", "[attached: photo.png")
}
