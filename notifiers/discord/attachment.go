package discord

import (
	"github.com/bwmarrin/discordgo"

	"errand"
	"errand/internal/platform/discord"
)

// MaxFile is how large a file is that a bot may send where nobody has paid for more:
// https://docs.discord.com/developers/reference#uploading-files.
func (t *Notifier) MaxFile() int64 { return 10 << 20 }

func withFile(n errand.Notification) message {
	m := message{Nonce: nonce(n.Key, 0), Enforce: true, Pings: nobody, Flags: int(discordgo.MessageFlagsSuppressEmbeds), file: n.File}
	if n.Text != "" {
		m.Content = errand.Cut(render(n.Event, n.Text, nil)[0], discord.MaxMessage-len(mark))
	}
	return m
}

// has reports whether a message that is there has the file that m is to have.
func (there postedMessage) has(f *errand.SentFile) bool {
	if f == nil {
		return true
	}
	return len(there.Attachments) == 1 && there.Attachments[0].Size == f.Size
}
