package discord_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	platform "errand/internal/platform/discord"
	"errand/internal/sim/discord"
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

// TestRevoke proves that who is connected with a token that is revoked is
// disconnected, and can do nothing any more.
func TestRevoke(t *testing.T) {
	r := newRig(t, free)
	c := r.open()
	c.next("READY")
	r.Revoke(r.bot)
	r.await("the client tries again", func() bool { return r.Count()[discord.Resume] > 0 })
	if r.Connected(r.bot) {
		t.Error("it is still connected")
	}
	if _, err := c.ChannelMessageSend(r.general.ID, "x"); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("with the old token: %v", err)
	}
}

// TestPackets proves how the gateway answers packets that are wrong.
func TestPackets(t *testing.T) {
	r := newRig(t, discord.Options{})
	identify := fmt.Sprintf(`{"op":2,"d":{"token":"Bot %s","intents":513}}`, r.bot.Token)
	resume := fmt.Sprintf(`{"op":6,"d":{"token":"%s","session_id":"x","seq":1}}`, r.bot.Token)
	flood := slices.Repeat([]string{`{"op":1,"d":null}`}, 121)
	tests := []struct {
		name, query string
		packets     []string
		code        int
	}{
		{"no version", "", nil, 4012},
		{"nonsense", "?v=9", []string{"{"}, 4002},
		{"no such opcode", "?v=9", []string{`{"op":77}`}, 4001},
		{"too soon", "?v=10", []string{`{"op":3,"d":{}}`}, 4003},
		{"twice", "?v=9", []string{identify, identify}, 4005},
		{"no such intent", "?v=9", []string{strings.Replace(identify, "513", "1073741824", 1)}, 4013},
		{"too many", "?v=9", flood, 4008},
		// An invalid session is no reason to close: the next packet still counts.
		{"no such session", "?v=9", []string{resume, `{"op":77}`}, 4001},
		{"identified too often", "?v=9", []string{identify, `{"op":77}`}, 4001},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ws, _, err := r.Dialer().Dial("wss://gateway.discord.gg/"+tt.query, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer ws.Close()
			for _, p := range tt.packets {
				if err := ws.WriteMessage(websocket.TextMessage, []byte(p)); err != nil {
					t.Fatal(err)
				}
			}
			invalid := false
			for {
				_, raw, err := ws.ReadMessage()
				if err == nil {
					invalid = invalid || strings.Contains(string(raw), `"op":9,"d":false`)
					continue
				}
				if !websocket.IsCloseError(err, tt.code) {
					t.Errorf("it ends with %v, want %d", err, tt.code)
				}
				if want := strings.HasPrefix(tt.name, "no such session") || strings.HasPrefix(tt.name, "identified"); invalid != want {
					t.Errorf("invalid session: %v", invalid)
				}
				return
			}
		})
	}
}

// TestOrder proves what can be done to the order of events: they can come twice,
// late, and the wrong way round.
func TestOrder(t *testing.T) {
	r := newRig(t, free)
	c := r.open()
	r.receive(c, "one")
	r.Repeat(r.bot, 1)
	release := r.Hold(r.bot)
	for _, text := range []string{"two", "three"} {
		r.Write(r.general, r.ana, text)
	}
	r.Shuffle(r.bot)
	release()
	for _, want := range []string{"one", "three", "two"} {
		if text := c.received(); text != want {
			t.Errorf("it hears %q, want %q", text, want)
		}
	}
}

// TestUnreachable proves that a gateway can be away, say nothing, and be slow.
func TestUnreachable(t *testing.T) {
	r := newRig(t, free)
	r.Order(discord.Connect, discord.Fault{Kind: discord.DieBefore}, discord.Fault{Kind: discord.BadGateway})
	c := r.rest(r.bot.Token)
	for range 2 {
		if err := c.Open(); err == nil {
			t.Fatal("it opened")
		}
	}
	slow := make(chan struct{})
	r.Order(discord.Connect, discord.Fault{Kind: discord.Slow, Until: slow})
	opened := make(chan error, 1)
	go func() { opened <- c.Open() }()
	r.await("the connection", func() bool { return r.Count()[discord.Connect] == 3 })
	close(slow)
	if err := <-opened; err != nil {
		t.Fatal(err)
	}
	r.opened = append(r.opened, c)
	r.receive(c, "at last")

	r.Order(discord.Connect, discord.Fault{Kind: discord.Silent})
	ws, _, err := r.Dialer().Dial("wss://gateway.discord.gg/?v=9", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	c.Session.Close()
	r.Server.Close() // only then there is something to read: the end
	if _, raw, err := ws.ReadMessage(); err == nil {
		t.Errorf("the silent gateway said %s", raw)
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

// TestTwoServers proves that two platforms live in one process.
func TestTwoServers(t *testing.T) {
	a, b := newRig(t, free), another(t, free)
	ca, cb := a.open(), b.open()
	b.receive(cb, "here")
	a.receive(ca, "there")
	if got := b.texts(b.general); len(got) != 1 || got[0] != "Ana: here" {
		t.Errorf("on the second people see %q", got)
	}
}

// TestCompression proves that what is large is compressed for who asked for it.
func TestCompression(t *testing.T) {
	r := newRig(t, free)
	for ask, want := range map[string]int{"true": websocket.BinaryMessage, "false": websocket.TextMessage} {
		ws, _, err := r.Dialer().Dial("wss://gateway.discord.gg/?v=9", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer ws.Close()
		if err := ws.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"op":2,"d":{"token":"Bot %s","intents":4096,"compress":%s}}`, r.bot.Token, ask)); err != nil {
			t.Fatal(err)
		}
		for kinds := []int{}; ; {
			kind, raw, err := ws.ReadMessage()
			if err != nil {
				t.Fatal(err)
			}
			if kinds = append(kinds, kind); strings.Contains(string(raw), `"READY"`) {
				r.Write(r.dm, r.ana, strings.Repeat("x", discord.LongestText))
			} else if len(kinds) == 3 { // hello, ready, and this
				if kind != want || len(raw) < 1000 != (want == websocket.BinaryMessage) {
					t.Errorf("compress %s: %d bytes of type %d", ask, len(raw), kind)
				}
				break
			}
		}
	}
}
