package config

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// An Error is one error in the configuration. [Load] joins all of them, sorted by line.
type Error struct {
	File string // as it was named; empty: not in a file
	Line int    // from 1; 0: the whole file
	Text string // begins with the agent, model, key, variable or flag
}

// Error returns e as `errand.yaml:12: agent "writer": unknown model "gpt-x"`.
func (e *Error) Error() string {
	switch {
	case e.File == "":
		return e.Text
	case e.Line == 0:
		return fmt.Sprintf("%s: %s", e.File, e.Text)
	default:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text)
	}
}

const longestText = 400

// tokenIn matches Telegram and Discord tokens, so that no error repeats them.
var tokenIn = regexp.MustCompile(`[0-9]{6,}:[A-Za-z0-9_-]{20,}|[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{10,}`)

type faults []*Error

func (fs *faults) add(file string, line int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if tokenIn.MatchString(text) {
		text = tokenIn.ReplaceAllString(text, "…") + ": a token does not belong in this file: errand channels add puts it into a separate file. Create a new token, because others may have read this one"
	}
	if utf8.RuneCountInString(text) > longestText {
		text = string([]rune(text)[:longestText]) + "…"
	}
	*fs = append(*fs, &Error{File: file, Line: line, Text: text})
}

func (fs faults) err() error {
	slices.SortStableFunc(fs, func(a, b *Error) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Text, b.Text))
	})
	all := make([]error, len(fs))
	for i, f := range fs {
		all[i] = f
	}
	return errors.Join(all...)
}
