package telegram

// What goes over the wire, as https://core.telegram.org/bots/api describes it.
// These are written here, and not taken from a library, so that the library is
// tested by them.

type user struct {
	ID           int64  `json:"id"`
	IsBot        bool   `json:"is_bot"`
	FirstName    string `json:"first_name"`
	Username     string `json:"username,omitempty"`
	LanguageCode string `json:"language_code,omitempty"`

	CanJoinGroups           *bool `json:"can_join_groups,omitempty"` // getMe only
	CanReadAllGroupMessages *bool `json:"can_read_all_group_messages,omitempty"`
}

type chatInfo struct {
	ID        int64  `json:"id"`
	Type      string `json:"type"`
	Title     string `json:"title,omitempty"`
	FirstName string `json:"first_name,omitempty"`
	Username  string `json:"username,omitempty"`
	IsForum   bool   `json:"is_forum,omitempty"`
}

// An Entity marks a piece of a text; Offset and Length count UTF-16 units.
type Entity struct {
	Type     string `json:"type"`
	Offset   int    `json:"offset"`
	Length   int    `json:"length"`
	URL      string `json:"url,omitempty"`
	Language string `json:"language,omitempty"`
}

// A Button is one of an inline keyboard.
type Button struct {
	Text string `json:"text"`
	Data string `json:"callback_data,omitempty"`
	URL  string `json:"url,omitempty"`
}

type keyboard struct {
	Rows [][]Button `json:"inline_keyboard"`
}

// A File is something that a person sends along.
type File struct {
	ID       string `json:"file_id"`
	UniqueID string `json:"file_unique_id"`
	Name     string `json:"file_name,omitempty"`
	MIME     string `json:"mime_type,omitempty"`
	Size     int    `json:"file_size,omitempty"`
	Path     string `json:"file_path,omitempty"` // getFile only
	Duration int    `json:"duration,omitempty"`
	Width    int    `json:"width,omitempty"`
	Height   int    `json:"height,omitempty"`
	Emoji    string `json:"emoji,omitempty"`
	Type     string `json:"type,omitempty"`
}

type contact struct {
	PhoneNumber string `json:"phone_number"`
	FirstName   string `json:"first_name"`
}

type poll struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	Type     string `json:"type"`
}

type topic struct {
	Name string `json:"name"`
}

type origin struct {
	Type string `json:"type"`
	Date int64  `json:"date"`
}

type message struct {
	ID       int      `json:"message_id"`
	Thread   int      `json:"message_thread_id,omitempty"`
	From     *user    `json:"from,omitempty"`
	Chat     chatInfo `json:"chat"`
	Date     int64    `json:"date"`
	EditDate int64    `json:"edit_date,omitempty"`
	Topic    bool     `json:"is_topic_message,omitempty"`
	ReplyTo  *message `json:"reply_to_message,omitempty"`
	Text     string   `json:"text,omitempty"`
	Entities []Entity `json:"entities,omitempty"`
	Caption  string   `json:"caption,omitempty"`

	CaptionEntities []Entity `json:"caption_entities,omitempty"`
	Album           string   `json:"media_group_id,omitempty"`
	Origin          *origin  `json:"forward_origin,omitempty"`

	Markup *keyboard `json:"reply_markup,omitempty"`

	Sticker  *File    `json:"sticker,omitempty"`
	Voice    *File    `json:"voice,omitempty"`
	Document *File    `json:"document,omitempty"`
	Photo    []File   `json:"photo,omitempty"`
	Video    *File    `json:"video,omitempty"`
	Audio    *File    `json:"audio,omitempty"`
	Contact  *contact `json:"contact,omitempty"`
	Poll     *poll    `json:"poll,omitempty"`

	TopicCreated *topic `json:"forum_topic_created,omitempty"`
	NewMembers   []user `json:"new_chat_members,omitempty"`
	LeftMember   *user  `json:"left_chat_member,omitempty"`
	MigrateTo    int64  `json:"migrate_to_chat_id,omitempty"`
	MigrateFrom  int64  `json:"migrate_from_chat_id,omitempty"`
}

type callback struct {
	ID       string   `json:"id"`
	From     *user    `json:"from"`
	Message  *message `json:"message,omitempty"`
	Instance string   `json:"chat_instance"`
	Data     string   `json:"data,omitempty"`
}

type member struct {
	Status string `json:"status"`
	User   *user  `json:"user"`
	Until  int64  `json:"until_date"`
}

type memberChange struct {
	Chat chatInfo `json:"chat"`
	From *user    `json:"from"`
	Date int64    `json:"date"`
	Old  member   `json:"old_chat_member"`
	New  member   `json:"new_chat_member"`
}

type update struct {
	ID       int64         `json:"update_id"`
	Message  *message      `json:"message,omitempty"`
	Edited   *message      `json:"edited_message,omitempty"`
	Callback *callback     `json:"callback_query,omitempty"`
	MyMember *memberChange `json:"my_chat_member,omitempty"`
}

func (u *update) kind() string {
	switch {
	case u.Message != nil:
		return "message"
	case u.Edited != nil:
		return "edited_message"
	case u.Callback != nil:
		return "callback_query"
	}
	return "my_chat_member"
}

type parameters struct {
	RetryAfter int   `json:"retry_after,omitempty"`
	MigrateTo  int64 `json:"migrate_to_chat_id,omitempty"`
}

// An answer is the envelope of every response.
type answer struct {
	OK          bool        `json:"ok"`
	Result      any         `json:"result,omitempty"`
	Code        int         `json:"error_code,omitempty"`
	Description string      `json:"description,omitempty"`
	Parameters  *parameters `json:"parameters,omitempty"`
}

// A refusal is an answer that says no.
type refusal struct {
	code int
	text string
	parameters
}

func (r *refusal) Error() string { return r.text }

func bad(text string) error       { return &refusal{code: 400, text: "Bad Request: " + text} }
func forbidden(text string) error { return &refusal{code: 403, text: "Forbidden: " + text} }
