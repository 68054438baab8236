package whatsapp_test

import (
	"bytes"
	"os"
	"testing"

	"errand/notifiers/whatsapp"
)

// TestAskedAgain proves that a phone that could not open a message gets it after
// a restart too, as long as its words are kept, and that nothing but what keeps
// all words keeps them.
func TestAskedAgain(t *testing.T) {
	r := newRig(t)
	n := r.note("k", "a secret of Ana's")
	id := whatsapp.MessageID("k", 0)
	for _, kept := range []bool{false, true} {
		r.ana.Away()
		r.ana.Garble(1)
		if _, err := r.Notify(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		r.stop()
		if kept {
			r.kept[id] = n
		}
		for _, file := range []string{r.path, r.path + "-wal"} {
			if data, err := os.ReadFile(file); err == nil && bytes.Contains(data, []byte(n.Text)) {
				t.Errorf("%s has it", file)
			}
		}
		r.start()
		if err := r.ana.Back(); err != nil {
			t.Fatal(err)
		}
		r.until("she asks for it", func() bool { return r.account.Waiting() == 0 && len(r.ana.Undecrypted()) > 0 })
		if kept {
			r.reads(n.Text)
			continue
		}
		if len(r.lines()) > 0 {
			t.Errorf("Ana sees %+v", r.lines())
		}
	}
}
