package discord

import (
	"github.com/bwmarrin/discordgo"

	"errand/internal/channels/discord"
	"errand/internal/core"
)

// MaxFile is the size limit for files of a bot on a server without boosts:
// https://docs.discord.com/developers/reference#uploading-files.
func (t *Notifier) MaxFile() int64 { return 10 << 20 }

func withFile(n core.Notification) message {
	m := message{Nonce: nonce(n.IdempotencyKey(), 0), Enforce: true, Pings: nobody, Flags: int(discordgo.MessageFlagsSuppressEmbeds), file: n.File}
	if n.Text != "" {
		m.Content = core.Cut(render(n.Event, n.Text, nil)[0], discord.MaxMessage-len(mark))
	}
	return m
}

func (there postedMessage) has(f *core.SentFile) bool {
	if f == nil {
		return true
	}
	return len(there.Attachments) == 1 && there.Attachments[0].Size == f.Size
}
