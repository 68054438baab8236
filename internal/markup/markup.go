// Package markup is the conversion of a model's Markdown into the messages of a chat platform.
//
// Package markup does not trust the Markdown: a stranger may have told the model what to write.
// The result is a list of messages. Each is within the platform's limits and complete in itself:
//
//   - a style that the platform supports is shown; any other style is removed together with its
//     marks;
//   - text that only looks like marks (snake_case, 2*3*4) is shown as it is;
//   - a link is clickable only if it is http or https and its text is not another URL; otherwise
//     the URL is shown as text;
//   - code arrives byte for byte, except for blank lines at its ends, excessive repetitions and
//     invisible characters. WhatsApp cannot show three back-ticks in a row: there an invisible
//     character separates them;
//   - on Discord, nothing outside of code mentions anyone, nor does a URL. Discord resolves no
//     mentions in code. The sender must still set allowed_mentions {"parse": []}.
//
// Control characters, bidirectional overrides and long runs of invisible characters are removed
// first. The time grows with the length of the text, not with the depth of its nesting.
//
// The functions keep no state and are safe for concurrent use.
package markup

// A Platform selects the marks and limits of a chat platform.
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
	// with a text of their own (the URL follows the text). A style that begins or ends inside
	// a word is removed, because WhatsApp would show its marks.
	//
	// https://faq.whatsapp.com/general/chats/how-to-format-your-messages
	WhatsApp
)

// A Unit is what a platform counts for its limits.
type Unit int

// The units.
const (
	CodePoints Unit = iota + 1 // Unicode code points: Go's runes
	UTF16                      // UTF-16 code units: 2 for characters outside the basic plane
)

// A Limit is the maximum length of one message.
type Limit struct {
	Size int
	Unit Unit
}

// smallest leaves space for the marks around one character.
const smallest = 256

// Limit returns the maximum length of a message on p.
//
// Discord takes 2,000 characters
// (https://discord.com/developers/docs/resources/message#create-message), marks
// included, and counts code points ("Our API uses Python 3, so the API
// calculates length based on the number of codepoints in the string", its staff
// in https://github.com/discord/discord-api-docs/issues/1315).
//
// Telegram takes 4,096 characters after entities parsing
// (https://core.telegram.org/bots/api#sendmessage). Package markup counts UTF-16 code units, as
// the offsets of entities do, which is never too low.
//
// WhatsApp publishes no limit for its apps. They take 65,536 characters, counted in UTF-16 code
// units for the same reason. (The 4,096 of its Cloud API are for another product.)
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

// A Message is one message in the form that the platform accepts.
type Message struct {
	Text     string
	Entities []Entity // Telegram only; sorted by offset, outer before inner
}

// An Entity is a style of a part of a Telegram message. Offset and Length are in
// UTF-16 code units. The JSON names are those of the Bot API
// (https://core.telegram.org/bots/api#messageentity).
//
// Entities are nested as the API requires: of two that overlap, one contains the other; code and
// pre contain no entities, and only a blockquote contains them; links and blockquotes do not
// contain their own type.
type Entity struct {
	Type     EntityType `json:"type"`
	Offset   int        `json:"offset"`
	Length   int        `json:"length"`
	URL      string     `json:"url,omitempty"`      // pre, if known
	Language string     `json:"language,omitempty"` // pre, if known
}

// An EntityType is a style that Telegram supports.
type EntityType string

// The entity types that this package uses.
const (
	Bold          EntityType = "bold"
	Italic        EntityType = "italic"
	Strikethrough EntityType = "strikethrough"
	Code          EntityType = "code"
	Pre           EntityType = "pre"
	TextLink      EntityType = "text_link"
	Blockquote    EntityType = "blockquote"
)

// Render converts Markdown into messages for p within p's own limit. See [Platform.Split].
func (p Platform) Render(markdown string) []Message {
	return p.Split(markdown, p.Limit())
}

// Split converts Markdown into messages for p within limit, for captions and embeds, which have
// other limits than messages. A limit of less than 256 counts as 256.
//
// Split cuts a long text between paragraphs if possible, otherwise between lines, sentences or
// words, and inside a word only between two grapheme clusters
// (https://www.unicode.org/reports/tr29/). Styles continue after a cut: a fence is closed and
// opened again with its language, an entity becomes two. No message is blank. Only the white
// space at a cut is lost.
//
// A text without visible characters gives no messages.
func (p Platform) Split(markdown string, limit Limit) []Message {
	limit.Size = max(limit.Size, smallest)
	var messages []Message
	for _, part := range parse(p, limit, markdown).split(p, limit) {
		messages = append(messages, part.render(p))
	}
	return messages
}
