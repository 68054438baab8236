package core

import "testing"

// TestMessageLink proves where a message in a private chat can be linked to: on Discord,
// once its chat has an id.
func TestMessageLink(t *testing.T) {
	for _, tt := range []struct {
		route    Route
		id, want string
	}{
		{Route{Channel: ChannelDiscord, Account: "main", Chat: "42"}, "7", "https://discord.com/channels/@me/42/7"},
		{Route{Channel: ChannelDiscord, Account: "main", Chat: "42"}, "", ""},
		{Route{Channel: ChannelDiscord, Account: "main", Chat: DirectTo + "1"}, "7", ""},
		{Route{Channel: "telegram", Account: "main", Chat: "42"}, "7", ""},
		{Route{Channel: ChannelWhatsApp, Account: "main", Chat: "42"}, "7", ""},
		{WebRoute("main"), "7", ""},
	} {
		if got := MessageLink(tt.route, tt.id); got != tt.want {
			t.Errorf("%+v, %q: %q, want %q", tt.route, tt.id, got, tt.want)
		}
	}
}
