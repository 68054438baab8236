package service

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/texts"
)

// CleanText removes invisible characters. It returns an error for an empty or invalid text, and for
// one of more than most bytes.
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

// shown removes characters that a model would read and people cannot see. It keeps joiners of emoji
// and letters, and direction marks.
func shown(text string) string {
	flag := false // flags such as Scotland's contain tag characters
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

func isBlank(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cf, unicode.M) && !strings.ContainsRune(fillers, r)
	})
}

// fillers are letters and symbols that look like spaces.
const fillers = "\u115f\u1160\u2800\u3164\uffa0"

const emptyCode = "empty"

// IsEmpty reports whether an error of [CleanText] means that the text is empty.
func IsEmpty(err error) bool {
	var no *Error
	return errors.As(err, &no) && no.Code == emptyCode
}

// isControl reports whether a character controls terminals or text direction.
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

// WebRoute returns the route of a chat of the page, the terminal or the API.
func WebRoute(name string) (core.Route, error) {
	if !chatName.MatchString(name) {
		return core.Route{}, Invalid("chat", "refusal.chat_name")
	}
	return core.WebRoute(name), nil
}

// longestID is the maximum length in bytes of a channel's id for a person or a message.
const longestID = 200

func webKey(chat string, person core.PersonID) (core.SessionKey, error) {
	route, err := WebRoute(chat)
	if err == nil && (person == "" || person == "*") {
		err = Invalid("person", "refusal.whose_chat")
	}
	return core.NewSessionKey(route, person), err
}

// IsExternalID reports whether an id of a person or a message is valid for a channel.
func IsExternalID(id string) bool {
	return id != "" && len(id) <= longestID && utf8.ValidString(id) && !strings.ContainsFunc(id, isControl)
}

// IsText reports whether every database can store text.
func IsText(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// Words trims text. It returns an error if more than most characters remain.
func Words(text, name string, most int) (string, error) {
	text = strings.TrimSpace(text)
	switch {
	case !IsText(text):
		return "", badRequest(name, "%s is not valid text", name)
	case utf8.RuneCountInString(text) > most:
		return "", Invalid(name, "refusal.long_words", "name", name, "most", most)
	}
	return text, nil
}

// BadMessageID returns the error for an invalid message id.
func BadMessageID() error {
	return Invalid("message_id", "refusal.message_id", "number", longestID)
}

// KnownLanguage returns tag if it is a valid language tag, or "".
func KnownLanguage(tag string) string {
	if tag == "" || texts.CheckLanguage(tag) != nil {
		return ""
	}
	return tag
}
