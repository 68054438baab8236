package service

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"errand/internal/store"
)

// Parts of lists, under the names that doors use.
type (
	Page     = store.Page
	Position = store.Position
)

// Where things of the root package stand in their lists.
var (
	PositionOfTask     = store.PositionOfTask
	PositionOfQuestion = store.PositionOfQuestion
	PositionOfDelivery = store.PositionOfDelivery
)

// longestCursor bounds what [ParseCursor] looks at, in bytes: more than the longest key of a
// note becomes.
const longestCursor = 4096

// Cursor is a position as a program holds on to it: it means nothing to it. A position in
// one list is none in another. The top of a list is nothing, as [ParseCursor] reads it.
func Cursor(list string, p Position) string {
	if len(p) == 0 {
		return ""
	}
	raw, err := json.Marshal(append([]string{list}, p...))
	if err != nil { // texts always are JSON
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// ParseCursor reads what [Cursor] has made; nothing is the top of the list. What else it is
// given is refused here, or by the list, with the same words.
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

func paged[T any](list []T, err error) ([]T, error) {
	if errors.Is(err, store.ErrPosition) {
		err = errCursor
	}
	return list, err
}

// errCursor refuses a cursor that is none of the list's.
var errCursor = Invalid("after", "refusal.cursor")
