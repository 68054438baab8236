package discord

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
)

// Name is the name of the channel in a route.
const Name = "discord"

// IsID reports whether s is a snowflake. Only snowflakes may become part of a URL.
func IsID(s string) bool {
	return s != "" && len(s) <= 20 && strings.Trim(s, "0123456789") == ""
}

// ParseID parses a snowflake. For anything else it returns 0, which sorts before all snowflakes.
func ParseID(id string) uint64 {
	n, _ := strconv.ParseUint(id, 10, 64)
	return n
}

// epoch is in ms: https://docs.discord.com/developers/reference#snowflakes
const epoch = 1420070400000

// LastIDBefore returns an id that is less than all snowflakes created at t or later.
func LastIDBefore(t time.Time) uint64 {
	if ms := t.UnixMilli() - epoch; !t.IsZero() && ms > 0 {
		return uint64(ms)<<22 - 1
	}
	return 0
}

// DirectChannel returns the channel of direct messages with a person. Discord creates it if
// necessary. Repeated calls return the same channel.
func (c *Client) DirectChannel(ctx context.Context, person string) (*discordgo.Channel, error) {
	var dm discordgo.Channel
	err := c.Call(ctx, http.MethodPost, discordgo.EndpointUserChannels("@me"), map[string]any{"recipient_id": person}, &dm)
	if err != nil {
		return nil, err
	}
	return &dm, nil
}
