package service

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"errand/api"
	"errand/internal/store"
)

type (
	Page     = store.Page
	Position = store.Position
)

var (
	PositionOfTask     = store.PositionOfTask
	PositionOfQuestion = store.PositionOfQuestion
	PositionOfDelivery = store.PositionOfDelivery
	PositionOfPerson   = store.PositionOfPerson
	PositionOfEntry    = store.PositionOfEntry
)

// longestCursor is in bytes. The longest cursor is that of a note with the longest key.
const longestCursor = 4096

// Cursor returns an opaque form of a position in a list, for programs. It is valid in that list
// only. The start of a list is "".
func Cursor(list string, p Position) string {
	if len(p) == 0 {
		return ""
	}
	raw, err := json.Marshal(append([]string{list}, p...))
	if err != nil { // strings always marshal
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// ParseCursor reads a [Cursor]; "" is the start of the list. It refuses a cursor of another list.
// [paged] turns the store's refusal of a position into the same error.
func ParseCursor(list, text string) (Position, error) {
	if text == "" {
		return nil, nil
	}
	var parts []string
	if len(text) > longestCursor {
		return nil, errCursor
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || !utf8.Valid(raw) || json.Unmarshal(raw, &parts) != nil || len(parts) < 2 || parts[0] != list ||
		slices.ContainsFunc(parts, func(s string) bool { return strings.ContainsRune(s, 0) }) {
		return nil, errCursor
	}
	return parts[1:], nil
}

// page returns a page of an operation's list. A full page has a cursor of the next one, which may
// be empty.
func page[T any](list string, limit int, items []T, position func(T) Position) api.List[T] {
	out := api.List[T]{Items: items}
	if limit > 0 && len(items) >= limit {
		out.Next = Cursor(list, position(items[len(items)-1]))
	}
	return out
}

func paged[T any](list []T, err error) ([]T, error) {
	if errors.Is(err, store.ErrPosition) {
		err = errCursor
	}
	return list, err
}

var errCursor = Invalid("after", "refusal.cursor")
