package web

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"errand/internal/core"
	"errand/internal/service"
)

// badRequest refuses a request that errand's pages never send. Its text is for developers.
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

// number returns a number from 1 to most, or absent if the query has none.
func number(q url.Values, name string, absent, most int) (int, error) {
	if !q.Has(name) {
		return absent, nil
	}
	n, err := strconv.Atoi(q.Get(name))
	if err != nil || n < 1 || n > most {
		return 0, badRequest(name, "%s must be a number from 1 to %d, not %q", name, most, core.Cut(q.Get(name), 40))
	}
	return n, nil
}

// boolean accepts a name without a value as true.
func boolean(q url.Values, name string) (bool, error) {
	switch strings.ToLower(q.Get(name)) {
	case "":
		return q.Has(name), nil
	case "true", "1", "yes":
		return true, nil
	case "false", "0", "no":
		return false, nil
	}
	return false, badRequest(name, "%s must be true or false, not %q", name, core.Cut(q.Get(name), 40))
}

// oneOf accepts several words, separated by commas or in several parameters, and returns each once.
func oneOf(q url.Values, name string, words []string) ([]string, error) {
	var out []string
	for _, given := range q[name] {
		for word := range strings.SplitSeq(given, ",") {
			word = strings.TrimSpace(word)
			if word == "" {
				continue
			}
			if !slices.Contains(words, word) {
				return nil, badRequest(name, "there is no %s %q; there are %s", name, core.Cut(word, 40), strings.Join(words, ", "))
			}
			if !slices.Contains(out, word) {
				out = append(out, word)
			}
		}
	}
	return out, nil
}

var (
	anID  = regexp.MustCompile(`^[\pL\pN][\pL\pN._:-]{0,79}$`)
	aCode = regexp.MustCompile(`^[\pL\pN-]{1,40}$`)
)
