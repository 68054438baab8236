package discord_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	platform "errand/internal/channels/discord"
	"errand/internal/test/sim/discord"
)

func TestRefusedIdentify(t *testing.T) {
	r := newRig(t, free)
	poor := r.AddBot(discord.Bot{Name: "poor"})
	gone := r.AddBot(discord.Bot{Name: "gone"})
	token := gone.Token
	r.Revoke(gone)
	for token, want := range map[string]int{poor.Token: 4014, token: 4004} {
		err := r.rest(token).Open()
		if closed := new(websocket.CloseError); !errors.As(err, &closed) || closed.Code != want {
			t.Errorf("closed with %v, want %d", err, want)
		}
	}
	shards := r.rest(poor.Token)
	shards.Identify.Intents = 0
	shards.Identify.Shard = &[2]int{2, 2}
	if err := shards.Open(); !websocket.IsCloseError(err, 4010) {
		t.Errorf("shard 2 of 2: %v", err)
	}
}

// TestDirect proves that who knows the URL only, and no redirect, finds the
// gateway too.
func TestDirect(t *testing.T) {
	r := newRig(t, free)
	c := r.rest(r.bot.Token)
	client, dialer, err := platform.Redirect(r.URL())
	if err != nil {
		t.Fatal(err)
	}
	c.Client, c.Dialer = client, dialer
	if u, err := c.Gateway(); err != nil || u != "wss://gateway.discord.gg/" {
		t.Errorf("the gateway is %s, %v", u, err)
	}
	raw, err := c.Request("GET", r.URL()+"/api/v9/gateway", nil)
	if want := strings.Replace(r.URL(), "http", "ws", 1); err != nil || !strings.Contains(string(raw), want) {
		t.Errorf("the gateway is %s, %v", raw, err)
	}
	if _, err := client.Get("https://example.com"); err == nil {
		t.Error("a test left the machine")
	}
	if _, _, err := platform.Redirect("127.0.0.1"); err == nil {
		t.Error("what is no URL was taken for one")
	}
	bot, err := c.GatewayBot()
	if err != nil || bot.SessionStartLimit.MaxConcurrency != 1 {
		t.Errorf("%+v, %v", bot, err)
	}
}
