package service

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"errand"
	"errand/internal/content"
	"errand/internal/texts"
)

// CleanText refuses what cannot be a message, of at most so many bytes, and takes
// out what nobody can see.
func CleanText(text string, most int) (string, error) {
	if len(text) > most {
		limit := bytesText(most)
		return "", InChat(Refuse(KindTooLarge, "too_large", "refusal.long", "limit", limit), "refused.long", "limit", limit)
	}
	if !utf8.ValidString(text) {
		return "", InChat(Refuse(KindInvalid, "not_utf8", "refusal.not_utf8"), "refused.damaged")
	}
	text = strings.TrimSpace(shown(strings.ReplaceAll(text, "\r\n", "\n")))
	if isBlank(text) {
		return "", InChat(Refuse(KindInvalid, emptyCode, "refusal.empty"), "refused.empty")
	}
	return text, nil
}

// shown is text without what nobody sees and a model reads. What joins emoji and
// letters stays, and what says in which direction a line goes by itself.
func shown(text string) string {
	flag := false // the letters of a flag, such as Scotland's, are tags
	return strings.Map(func(r rune) rune {
		tag := r >= 0xe0000 && r <= 0xe007f
		flag = r == blackFlag || flag && tag
		if isControl(r) && r != '\n' && r != '\t' || content.IsShapeless(r) && !(tag && flag) {
			return -1
		}
		return r
	}, text)
}

const blackFlag = 0x1f3f4

// isBlank reports whether text shows nothing at all.
func isBlank(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cf, unicode.M) && !strings.ContainsRune(fillers, r)
	})
}

// fillers are letters and symbols that look like space.
const fillers = "\u115f\u1160\u2800\u3164\uffa0"

// emptyCode is of the [*Error] that a message has no text.
const emptyCode = "empty"

// IsEmpty reports whether an error of [CleanText] says that there is no text.
func IsEmpty(err error) bool {
	var no *Error
	return errors.As(err, &no) && no.Code == emptyCode
}

// isControl holds for characters that steer terminals and text direction
// instead of showing something.
func isControl(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff
}

func bytesText(n int) string {
	if n%1024 == 0 {
		return strconv.Itoa(n/1024) + " kB"
	}
	return strconv.Itoa(n) + " bytes"
}

var chatName = regexp.MustCompile(`^[\pL\pN][\pL\pN ._@+-]{0,63}$`)

// WebRoute is the route of the chat called name on the page, the terminal and
// the API, if that can be a name.
func WebRoute(name string) (errand.Route, error) {
	if !chatName.MatchString(name) {
		return errand.Route{}, Invalid("chat", "refusal.chat_name")
	}
	return errand.WebRoute(name), nil
}

// longestID is of what a channel knows somebody by, in bytes.
const longestID = 200

// IsExternalID reports whether an id may be what a channel knows somebody, or a
// message, by.
func IsExternalID(id string) bool {
	return id != "" && len(id) <= longestID && utf8.ValidString(id) && !strings.ContainsFunc(id, isControl)
}

// BadMessageID says what the id of a message may be.
func BadMessageID() error {
	return Invalid("message_id", "refusal.message_id", "number", longestID)
}

// KnownLanguage is the tag of a language that somebody's platform tells, or
// nothing.
func KnownLanguage(tag string) string {
	if tag == "" || texts.CheckLanguage(tag) != nil {
		return ""
	}
	return tag
}
