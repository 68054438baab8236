package intake_test

import (
	"errors"
	"strings"
	"testing"

	"errand/api"
	"errand/internal/core"
	"errand/internal/service"
)

// TestFilesByADoor proves that a message of the page or the API brings files, also
// without a word, once however often it is sent; and that it is refused as a whole, with
// the limit, where one of them is not taken.
func TestFilesByADoor(t *testing.T) {
	d := newDoor(t, limited(10))
	photo := api.SentFile{Name: "../photo.png", Data: []byte("\x89PNG\r\n\x1a\n")}
	send := func(id string, files ...api.SentFile) error {
		var in api.SendMessageInput
		in.Body.MessageID, in.Body.Files = id, files
		_, err := d.AcceptMessage(t.Context(), d.admin(), core.WebRoute("main"), in)
		return err
	}
	var no *service.Error
	if err := send("large", photo, api.SentFile{Name: "b.txt", Data: []byte("0123456789")}); !errors.As(err, &no) || no.Kind != service.KindTooLarge || !strings.Contains(no.Message, "b.txt") || !strings.Contains(no.Message, "10 bytes") {
		t.Errorf("what is too large: %v", err)
	}
	if err := send("nothing"); !errors.As(err, &no) || no.Code != "empty" {
		t.Errorf("nothing at all: %v", err)
	}
	for range 2 {
		if err := send("m1", photo); err != nil {
			t.Fatal(err)
		}
	}
	key := core.NewSessionKey(core.WebRoute("main"), d.admin().Person)
	r, err := d.store.Rehydrate(t.Context(), key, "nikki")
	if err != nil {
		t.Fatal(err)
	}
	read := d.readsOf(key, r)
	if len(read) != 1 || !strings.HasPrefix(read[0], "[attached: photo.png, image/png, 8 bytes, a-") {
		t.Errorf("the agent reads %q", read)
	}
}
