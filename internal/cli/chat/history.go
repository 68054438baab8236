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

// A History is the sent messages. The zero value is empty and has no file.
type History struct {
	lines []string // the latest last, without duplicates
	file  string
}

// The limits of a history in messages, and of a message in bytes.
const (
	mostLines = 1000
	mostLine  = 8 << 10
)

// OpenHistory reads a history from a file, which may be missing, and will store new
// messages there. If the file cannot be read, the history is empty and has no file.
func OpenHistory(file string) (*History, error) {
	h := &History{}
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return h, nil // such as /dev/null, which means that no history is kept; do not chmod it
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

// Len returns the number of messages.
func (h *History) Len() int {
	if h == nil {
		return 0
	}
	return len(h.lines)
}

// At returns the message sent i messages ago; 0 is the latest.
func (h *History) At(i int) string { return h.lines[len(h.lines)-1-i] }

// Add adds a message without writing it to the file.
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

// token matches tokens of errand, model providers, Telegram, Discord, and other services.
var token = regexp.MustCompile(`errand_[\w-]{20,}|\b(sk|gsk|xai|xox[a-z])[-_][\w-]{16,}|\b\d{6,}:[\w-]{30,}|` +
	`\b[\w-]{23,28}\.[\w-]{6}\.[\w-]{27,}|\beyJ[\w-]+\.[\w-]+\.[\w-]+|\bAIza[\w-]{30,}|\bAKIA[A-Z0-9]{12,}|\b(gh[a-z]|github_pat)_\w{20,}`)

// Keep adds a message and writes it to the file. It does not write messages that begin
// with a space or contain a token.
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
		err = f.Chmod(0o600) // an existing file may be readable by others
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
	f, err := os.CreateTemp(filepath.Dir(h.file), filepath.Base(h.file)+".*") // mode 0600
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for _, text := range h.lines {
		line, _ := json.Marshal(text) // strings always marshal
		w.Write(append(line, '\n'))   // Flush returns the error
	}
	if err := errors.Join(w.Flush(), f.Close(), os.Rename(f.Name(), h.file)); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
