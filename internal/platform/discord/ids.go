package discord

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
)

// Channel is what errand calls Discord in a route.
const Channel = "discord"

// IsID reports whether s is a snowflake: nothing else may become part of an address.
func IsID(s string) bool {
	return s != "" && len(s) <= 20 && strings.Trim(s, "0123456789") == ""
}

// ParseID reads a snowflake; what is none comes before all.
func ParseID(id string) uint64 {
	n, _ := strconv.ParseUint(id, 10, 64)
	return n
}

// epoch is where snowflakes begin, in ms
// (https://docs.discord.com/developers/reference#snowflakes).
const epoch = 1420070400000

// LastIDBefore is before all snowflakes that are drawn from t on.
func LastIDBefore(t time.Time) uint64 {
	if ms := t.UnixMilli() - epoch; !t.IsZero() && ms > 0 {
		return uint64(ms)<<22 - 1
	}
	return 0
}

// DirectChannel returns the channel of the direct messages with a person. Discord
// makes it, or tells which it is; its answer is the same each time.
func (c *Client) DirectChannel(ctx context.Context, person string) (*discordgo.Channel, error) {
	var dm discordgo.Channel
	err := c.Call(ctx, http.MethodPost, discordgo.EndpointUserChannels("@me"), map[string]any{"recipient_id": person}, &dm)
	if err != nil {
		return nil, err
	}
	return &dm, nil
}
