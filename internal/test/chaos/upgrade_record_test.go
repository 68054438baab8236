package chaos

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var record = flag.Bool("record", false, "TestUpgradeRecord records "+released+" again")

// TestUpgradeRecord records the data folder that TestUpgrade upgrades. It kills errand while tasks run,
// questions are open, answers wait for platforms that are away, and model calls are under way.
func TestUpgradeRecord(t *testing.T) {
	if !*record {
		t.Skip("-record is not set")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	w := newWorld(t, point{}, setting{target: embedded})
	h := openHouse(ctx, w, 0)
	h.configure(releasedConfig)
	h.start()
	for _, name := range names {
		h.tell(name, "good morning", "you said good morning")
	}
	h.tell("Ana", sendsFile, "is being sent to the user in this chat")
	h.await("Ana", "a file", func(p *place) bool { return p.files == nil || len(p.files()) == 1 })
	h.tell("Ana", remindsInAYear, "I will remind you")
	h.tell("Ben", sendsToAsk, "Which day?")
	for _, calls := range delayedForever {
		w.ledger.delay(calls)
	}
	h.tell("Ana", "send Sasha", "Sasha is at it")
	h.leaveOpen()

	r := release{Made: time.Now(), Read: map[string][]string{}}
	w.worker.kill()
	for name, p := range h.chats {
		if p.files != nil { // the web's chats are in the data
			r.Read[name] = p.reads()
		}
	}
	if err := pack(w.dir, r); err != nil {
		t.Fatal(err)
	}
}

// leaveOpen leaves answers on their way and turns unfinished.
func (h *house) leaveOpen() {
	for name, p := range h.chats {
		if strings.HasSuffix(name, "Ana") {
			p.write(slow)
			continue
		}
		p.write(unfinished)
		p.write(unfinished + " 2")
	}
	const calls = `nikki: answer "`
	for _, text := range []string{slow, unfinished} {
		for len(h.chats)/2 > h.ledger.calledLike(calls+text) {
			if !h.pause(h.ctx) {
				h.t.Fatalf("%q never reached the model; log:\n%s", text, h.logs())
			}
		}
	}
	for _, s := range []stage{h.telegram, h.discord} {
		s.meet(away)
	}
	h.ledger.resume(calls + slow)
	for {
		n := 0
		for _, row := range h.outbox(h.ctx) {
			if row.State.Open() {
				n++
			}
		}
		if n >= 2 {
			return
		}
		if !h.pause(h.ctx) {
			h.t.Fatalf("%d deliveries wait; log:\n%s", n, h.logs())
		}
	}
}

func pack(dir string, r release) (err error) {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	root, err := os.MkdirTemp(dir, "release")
	if err != nil {
		return err
	}
	if err := errors.Join(os.Rename(filepath.Join(dir, "data"), filepath.Join(root, "data")),
		os.WriteFile(filepath.Join(root, "errand.yaml"), []byte(releasedConfig), 0o600), os.WriteFile(filepath.Join(root, releaseFile), text, 0o600)); err != nil {
		return err
	}
	f, err := os.Create(released)
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	return errors.Join(t.AddFS(os.DirFS(root)), t.Close(), z.Close(), f.Close())
}
