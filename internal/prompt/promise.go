package prompt

import (
	"strings"

	"errand/internal/core"
)

// keep is the answer of an agent that wants its held reply to be delivered.
const keep = "KEEP"

// PromiseNote explains to an agent that its reply was held back, because it promises work that was
// not started.
func PromiseNote(n core.Nonce) string {
	return n.Mark("your reply was not sent: it says that work is going on, but no task is running. Start the work now with the right tool, or rewrite the whole reply so that it is true. " +
		"Your next answer replaces it. If the reply does not promise work, for example because it is a letter that the user asked for, answer only " + keep)
}

// IsKept reports whether an agent wants its held reply to be delivered.
func IsKept(text string) bool {
	text = strings.Trim(strings.TrimSpace(text), "*`.!\"'")
	return text == "" || strings.EqualFold(text, keep)
}
