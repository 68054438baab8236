package web

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"errand"
	"errand/internal/service"
)

// What requests say, checked: whatever makes no sense is answered with 400 and
// what would.

// badRequest is for whoever writes the program that asks: pages do not ask so.
func badRequest(code, format string, args ...any) error {
	return &service.Error{Kind: service.KindInvalid, Code: code, Message: fmt.Sprintf(format, args...)}
}

func statusOf(err error) int {
	var known *service.Error
	if errors.As(err, &known) {
		return statusFor(known.Kind)
	}
	return 0
}

// number reads a parameter that is a number from 1 to most; absent when it is
// not given.
func number(q url.Values, name string, absent, most int) (int, error) {
	if !q.Has(name) {
		return absent, nil
	}
	n, err := strconv.Atoi(q.Get(name))
	if err != nil || n < 1 || n > most {
		return 0, badRequest(name, "%s is a number from 1 to %d, not %q", name, most, errand.Cut(q.Get(name), 40))
	}
	return n, nil
}

// flag reads a parameter that is true or false; false when it is not given. A
// name alone is true.
func flag(q url.Values, name string) (bool, error) {
	switch strings.ToLower(q.Get(name)) {
	case "":
		return q.Has(name), nil
	case "true", "1", "yes":
		return true, nil
	case "false", "0", "no":
		return false, nil
	}
	return false, badRequest(name, "%s is true or false, not %q", name, errand.Cut(q.Get(name), 40))
}

// oneOf reads a parameter that is one of some words, or several of them with
// commas or by being given several times; each word once.
func oneOf(q url.Values, name string, words []string) ([]string, error) {
	var out []string
	for _, given := range q[name] {
		for word := range strings.SplitSeq(given, ",") {
			word = strings.TrimSpace(word)
			if word == "" {
				continue
			}
			if !slices.Contains(words, word) {
				return nil, badRequest(name, "there is no %s %q; there are %s", name, errand.Cut(word, 40), strings.Join(words, ", "))
			}
			if !slices.Contains(out, word) {
				out = append(out, word)
			}
		}
	}
	return out, nil
}

// moment reads a parameter that is a time, as in RFC 3339, or a date.
func moment(q url.Values, name string) (time.Time, error) {
	given := q.Get(name)
	if given == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, given); err == nil {
			return t, nil
		}
	}
	return time.Time{}, badRequest(name, "%s is a time like 2026-11-21T09:00:00Z or a date like 2026-11-21, not %q", name, errand.Cut(given, 40))
}

var (
	anID  = regexp.MustCompile(`^[\pL\pN][\pL\pN._:-]{0,79}$`)
	aCode = regexp.MustCompile(`^[\pL\pN-]{1,40}$`)
)

// isText reports whether every database takes text.
func isText(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// words checks a parameter that is free text.
func words(text, name string, most int) (string, error) {
	text = strings.TrimSpace(text)
	switch {
	case !isText(text):
		return "", badRequest(name, "%s is not valid text", name)
	case utf8.RuneCountInString(text) > most:
		return "", service.Invalid(name, "refusal.long_words", "name", name, "most", most)
	}
	return text, nil
}
