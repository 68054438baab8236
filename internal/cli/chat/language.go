package chat

import (
	"context"
	"strings"

	"errand/internal/cli/words"
)

// isLanguage reports whether m may change the language that the person reads.
func isLanguage(m Outgoing) bool {
	return m.Command() && strings.HasPrefix(strings.ToLower(m.Text), "/language")
}

// language is what the person reads: what they have chosen, else what is spoken now.
func (c *Conversation) language(ctx context.Context, now words.Language) words.Language {
	me, err := c.API().GetMe(ctx)
	if l, ok := words.Of(me.Value.Language); ok && err == nil {
		return l
	}
	return now
}

// speak goes on in a language. What was said stays as it is. The worker may speak another one
// now than it did also where the terminal does not.
func (d *dialogue) speak(l words.Language) {
	d.Words = l
	d.offers.forgetAll()
}
