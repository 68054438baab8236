// Package markup turns what a model writes into what a chat platform shows.
//
// What comes in is Markdown from a model, which may have been told by a
// stranger what to write: nothing in it is trusted. What goes out is a list of
// messages, each within the limits of the platform and complete in itself:
//
//   - a style that the platform has is shown, one that it lacks is left out, and
//     nobody sees raw marks;
//   - text that only looks like marks (snake_case, 2*3*4) is shown as it is;
//   - a link is clickable only if it is http or https and its text does not claim
//     to be another address; any other is written out;
//   - code arrives byte for byte. Left out are blank lines at its ends, floods, and
//     what cannot be seen. WhatsApp has no marks for three back-ticks in a row:
//     there an invisible character stands between them;
//   - on Discord nothing outside of code pings, nor in an address. In code Discord
//     resolves nothing. A sender still has to send allowed_mentions {"parse": []}.
//
// Control characters, bidirectional overrides and invisible floods are removed
// before anything else. The work is bounded: time grows with the length of the
// text and not with the depth of what it nests.
//
// The functions keep no state and may be called at the same time.
package markup

// A Platform says whose marks and limits count.
type Platform int

// The platforms.
const (
	// Discord gets Markdown as Discord knows it: three levels of headings, lists,
	// quotes without nesting, fenced code, masked links. Tables become code.
	//
	// https://support.discord.com/hc/en-us/articles/210298617 and
	// https://discord.com/developers/docs/reference#message-formatting
	Discord Platform = iota + 1

	// Telegram gets plain text with entities: send it without parse_mode.
	// Headings become bold text and tables become code.
	//
	// https://core.telegram.org/bots/api#messageentity
	Telegram

	// WhatsApp gets *bold*, _italic_, ~strike~, `code`, ```blocks```, lists and
	// quotes. It has no escapes, no headings (they become bold text) and no links
	// with a text of their own (the address is written behind it). A style that
	// begins or ends inside a word is left out, for WhatsApp would show its marks.
	//
	// https://faq.whatsapp.com/general/chats/how-to-format-your-messages
	WhatsApp
)

// A Unit is what a platform counts in.
type Unit int

// The units.
const (
	CodePoints Unit = iota + 1 // Unicode code points: Go's runes
	UTF16                      // UTF-16 code units: 2 for what lies outside the basic plane
)

// A Limit is how long one message may be.
type Limit struct {
	Size int
	Unit Unit
}

// smallest is the lowest limit that has room for the marks around one
// character: a fence with its language, a quote, indentation, a link.
const smallest = 256

// Limit returns how long a message may be on p.
//
// Discord takes 2,000 characters
// (https://discord.com/developers/docs/resources/message#create-message), marks
// included, and counts code points ("Our API uses Python 3, so the API
// calculates length based on the number of codepoints in the string", its staff
// in https://github.com/discord/discord-api-docs/issues/1315).
//
// Telegram takes 4,096 characters after entities parsing
// (https://core.telegram.org/bots/api#sendmessage), counted here in UTF-16 code
// units as the offsets of entities are, which is never too few.
//
// WhatsApp publishes no limit for its apps; they take 65,536 characters, which
// is counted here in UTF-16 code units for the same reason. (The 4,096 of its
// Cloud API are another product's.)
func (p Platform) Limit() Limit {
	switch p {
	case Telegram:
		return Limit{4096, UTF16}
	case WhatsApp:
		return Limit{65536, UTF16}
	default:
		return Limit{2000, CodePoints}
	}
}

// A Message is one message as the platform takes it.
type Message struct {
	Text     string
	Entities []Entity // Telegram only; sorted by offset, outer before inner
}

// An Entity is a style of a part of a Telegram message. Offset and Length are in
// UTF-16 code units. The JSON names are those of the Bot API
// (https://core.telegram.org/bots/api#messageentity).
//
// Entities are nested as the API asks: one of two that meet contains the other;
// code and pre contain none and are contained in a blockquote at most; links and
// blockquotes do not contain their kind.
type Entity struct {
	Type     EntityType `json:"type"`
	Offset   int        `json:"offset"`
	Length   int        `json:"length"`
	URL      string     `json:"url,omitempty"`      // text_link
	Language string     `json:"language,omitempty"` // pre, where it is known
}

// An EntityType is a style that Telegram knows.
type EntityType string

// The types of entities that are made here.
const (
	Bold          EntityType = "bold"
	Italic        EntityType = "italic"
	Strikethrough EntityType = "strikethrough"
	Code          EntityType = "code"
	Pre           EntityType = "pre"
	TextLink      EntityType = "text_link"
	Blockquote    EntityType = "blockquote"
)

// Render turns Markdown into messages for p, each within p's own limit. See
// [Platform.Split].
func (p Platform) Render(markdown string) []Message {
	return p.Split(markdown, p.Limit())
}

// Split turns Markdown into messages for p, each within limit: a caption or an
// embed has another than a message. A limit of less than 256 counts as 256.
//
// A text that is too long is cut at a paragraph if it can be, otherwise at a
// line, a sentence, a word, and within a word only between two grapheme clusters
// (https://www.unicode.org/reports/tr29/). Styles go on behind a cut: a fence is
// closed and opened again with its language, an entity becomes two. No message
// is blank and none of the text is lost but the blank space at a cut.
//
// A text with nothing to show gives no messages.
func (p Platform) Split(markdown string, limit Limit) []Message {
	limit.Size = max(limit.Size, smallest)
	var messages []Message
	for _, part := range parse(p, limit, markdown).split(p, limit) {
		messages = append(messages, part.render(p))
	}
	return messages
}
