package discord

import (
	"encoding/json"
	"time"
)

// What goes over the wire, as https://docs.discord.com/developers describes it.
// These are written here, and not taken from a library, so that the library is
// tested by them.

type user struct {
	ID            string  `json:"id"`
	Username      string  `json:"username"`
	Discriminator string  `json:"discriminator"`
	GlobalName    *string `json:"global_name"`
	Avatar        *string `json:"avatar"`
	Bot           bool    `json:"bot,omitempty"`
}

type member struct {
	User        *user    `json:"user,omitempty"`
	Nick        *string  `json:"nick"`
	Roles       []string `json:"roles"`
	JoinedAt    string   `json:"joined_at"`
	Deaf        bool     `json:"deaf"`
	Mute        bool     `json:"mute"`
	Permissions string   `json:"permissions,omitempty"` // interactions only
	GuildID     string   `json:"guild_id,omitempty"`    // events only
}

type roleInfo struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Permissions string `json:"permissions"`
	Mentionable bool   `json:"mentionable"`
	Position    int    `json:"position"`
	Color       int    `json:"color"`
}

type overwrite struct {
	ID    string `json:"id"`
	Type  int    `json:"type"` // 0 role, 1 member
	Allow string `json:"allow"`
	Deny  string `json:"deny"`
}

type threadInfo struct {
	Archived  bool   `json:"archived"`
	Locked    bool   `json:"locked"`
	Duration  int    `json:"auto_archive_duration"`
	ArchiveAt string `json:"archive_timestamp"`
}

type channelInfo struct {
	ID            string      `json:"id"`
	Type          int         `json:"type"`
	GuildID       string      `json:"guild_id,omitempty"`
	Name          string      `json:"name,omitempty"`
	ParentID      string      `json:"parent_id,omitempty"`
	OwnerID       string      `json:"owner_id,omitempty"`
	LastMessageID *string     `json:"last_message_id"`
	Recipients    []*user     `json:"recipients,omitempty"`
	Overwrites    []overwrite `json:"permission_overwrites,omitempty"`
	Thread        *threadInfo `json:"thread_metadata,omitempty"`
	NewlyCreated  bool        `json:"newly_created,omitempty"` // THREAD_CREATE only
}

type guildInfo struct {
	ID          string        `json:"id"`
	Name        string        `json:"name"`
	OwnerID     string        `json:"owner_id"`
	Roles       []roleInfo    `json:"roles"`
	Emojis      []any         `json:"emojis"`
	Locale      string        `json:"preferred_locale"`
	JoinedAt    string        `json:"joined_at,omitempty"` // GUILD_CREATE only, as what follows
	MemberCount int           `json:"member_count,omitempty"`
	Members     []member      `json:"members,omitempty"`
	Channels    []channelInfo `json:"channels,omitempty"`
	Threads     []channelInfo `json:"threads,omitempty"`
}

type attachment struct {
	ID          string `json:"id"`
	Filename    string `json:"filename"`
	ContentType string `json:"content_type,omitempty"`
	Size        int    `json:"size"`
	URL         string `json:"url"`
	ProxyURL    string `json:"proxy_url"`
	Ephemeral   bool   `json:"ephemeral,omitempty"`
	Seconds     int    `json:"duration_secs,omitempty"` // voice only

	path string // on the CDN
}

type emoji struct {
	ID   *string `json:"id"`
	Name string  `json:"name"`
}

type reactions struct {
	Count int   `json:"count"`
	Me    bool  `json:"me"`
	Emoji emoji `json:"emoji"`

	by []string // ids of users
}

type sticker struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Format int    `json:"format_type"`
}

type pollMedia struct {
	Text string `json:"text"`
}

type pollAnswer struct {
	ID    int       `json:"answer_id"`
	Media pollMedia `json:"poll_media"`
}

type poll struct {
	Question pollMedia    `json:"question"`
	Answers  []pollAnswer `json:"answers"`
	Expiry   string       `json:"expiry"`
	Layout   int          `json:"layout_type"`
}

type reference struct {
	Type      int    `json:"type"`
	MessageID string `json:"message_id"`
	ChannelID string `json:"channel_id,omitempty"`
	GuildID   string `json:"guild_id,omitempty"`
	Fail      *bool  `json:"fail_if_not_exists,omitempty"`
}

type embed struct {
	Type        string          `json:"type,omitempty"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	URL         string          `json:"url,omitempty"`
	Color       int             `json:"color,omitempty"`
	Fields      []embedField    `json:"fields,omitempty"`
	Footer      *embedFooter    `json:"footer,omitempty"`
	Author      json.RawMessage `json:"author,omitempty"`
}

type embedField struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Inline bool   `json:"inline,omitempty"`
}

type embedFooter struct {
	Text string `json:"text"`
}

// The types of messages.
const (
	typeDefault = 0
	typeReply   = 19
	typeCommand = 20
)

// The flags of messages.
const (
	flagEphemeral = 1 << 6
	flagLoading   = 1 << 7
	flagSilent    = 1 << 12
	flagVoice     = 1 << 13
	flagV2        = 1 << 15
)

// A snapshot is what is forwarded, without who wrote it.
type snapshot struct {
	Message struct {
		Content   string `json:"content"`
		Timestamp string `json:"timestamp"`
	} `json:"message"`
}

type message struct {
	ID              string          `json:"id"`
	Type            int             `json:"type"`
	ChannelID       string          `json:"channel_id"`
	GuildID         string          `json:"guild_id,omitempty"` // events only, as Member
	Member          *member         `json:"member,omitempty"`
	Author          *user           `json:"author"`
	Content         string          `json:"content"`
	Timestamp       string          `json:"timestamp"`
	Edited          *string         `json:"edited_timestamp"`
	TTS             bool            `json:"tts"`
	MentionEveryone bool            `json:"mention_everyone"`
	Mentions        []*user         `json:"mentions"`
	MentionRoles    []string        `json:"mention_roles"`
	Attachments     []attachment    `json:"attachments"`
	Embeds          []embed         `json:"embeds"`
	Components      []component     `json:"components"`
	Reactions       []reactions     `json:"reactions,omitempty"`
	Stickers        []sticker       `json:"sticker_items,omitempty"`
	Poll            *poll           `json:"poll,omitempty"`
	Pinned          bool            `json:"pinned"`
	Flags           int             `json:"flags"`
	Nonce           json.RawMessage `json:"nonce,omitempty"`
	ApplicationID   string          `json:"application_id,omitempty"`
	WebhookID       string          `json:"webhook_id,omitempty"`
	Reference       *reference      `json:"message_reference,omitempty"`
	Referenced      any             `json:"referenced_message,omitempty"` // JSON null: it was deleted
	Snapshots       []snapshot      `json:"message_snapshots,omitempty"`
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000-07:00") }
