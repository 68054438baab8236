package chat

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A History is what was sent before, to be found again. Its zero value is empty, and kept
// nowhere.
type History struct {
	lines []string // the latest last, none twice
	file  string
}

// mostLines bounds a history, mostLine the bytes of a message in it.
const (
	mostLines = 1000
	mostLine  = 8 << 10
)

// OpenHistory reads a history from a file, which need not be there, and keeps it there.
// Where it cannot be read the history is empty, and kept nowhere.
func OpenHistory(file string) (*History, error) {
	h := &History{}
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return h, nil // /dev/null says that nothing is to be kept, and is for everybody
	}
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return h, err
	}
	n := 0
	for line := range bytes.Lines(data) {
		var text string
		if n++; json.Unmarshal(line, &text) == nil {
			h.Add(plain(text))
		}
	}
	h.file = file
	if n > 2*mostLines {
		return h, h.rewrite()
	}
	return h, nil
}

// Len is how many messages there are.
func (h *History) Len() int {
	if h == nil {
		return 0
	}
	return len(h.lines)
}

// At is the message that was sent i messages ago; 0 is the latest.
func (h *History) At(i int) string { return h.lines[len(h.lines)-1-i] }

// Add adds a message that need not be kept.
func (h *History) Add(text string) {
	if text = strings.TrimSpace(text); text == "" || len(text) > mostLine {
		return
	}
	if i := slices.Index(h.lines, text); i >= 0 {
		h.lines = slices.Delete(h.lines, i, i+1)
	}
	h.lines = append(h.lines, text)
	h.lines = h.lines[max(0, len(h.lines)-mostLines):]
}

// token is how tokens and keys look: those of errand, of providers, of Telegram and Discord, and
// of services that agents are given tools of.
var token = regexp.MustCompile(`errand_[\w-]{20,}|\b(sk|gsk|xai|xox[a-z])[-_][\w-]{16,}|\b\d{6,}:[\w-]{30,}|` +
	`\b[\w-]{23,28}\.[\w-]{6}\.[\w-]{27,}|\beyJ[\w-]+\.[\w-]+\.[\w-]+|\bAIza[\w-]{30,}|\bAKIA[A-Z0-9]{12,}|\b(gh[a-z]|github_pat)_\w{20,}`)

// Keep adds a message, and writes it to the file. What begins with a space is not written,
// nor what has a token in it.
func (h *History) Keep(text string) error {
	h.Add(text)
	if h.file == "" || strings.HasPrefix(text, " ") || token.MatchString(text) || h.Len() == 0 || h.At(0) != strings.TrimSpace(text) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(h.file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(h.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	line, err := json.Marshal(h.At(0))
	if err == nil {
		err = f.Chmod(0o600) // one that was there may be for others to read
	}
	if err == nil {
		_, err = f.Write(append(line, '\n'))
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return nil
}

func (h *History) rewrite() error {
	f, err := os.CreateTemp(filepath.Dir(h.file), filepath.Base(h.file)+".*") // 0600
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for _, text := range h.lines {
		line, _ := json.Marshal(text) // a string is always written
		w.Write(append(line, '\n'))   // Flush says what failed
	}
	if err := errors.Join(w.Flush(), f.Close(), os.Rename(f.Name(), h.file)); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
