package discord_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"errand/internal/test/sim/discord"
)

type text struct {
	Content string `json:"content"`
	Nonce   string `json:"nonce,omitempty"`
	Enforce bool   `json:"enforce_nonce,omitempty"`
}

func (c *client) post(to *discord.Channel, m text, options ...discordgo.RequestOption) (*discordgo.Message, error) {
	url := discordgo.EndpointChannelMessages(to.ID)
	raw, err := c.RequestWithBucketID("POST", url, m, url, options...)
	if err != nil {
		return nil, err
	}
	var sent discordgo.Message
	return &sent, discordgo.Unmarshal(raw, &sent)
}

// code is what Discord's error says, 0 if it says nothing.
func code(err error) int {
	var rest *discordgo.RESTError
	if errors.As(err, &rest) && rest.Message != nil {
		return rest.Message.Code
	}
	return 0
}

// TestNonce proves that what is sent with an enforced nonce appears once, however
// often the library sends it, and that without it a repetition appears again.
func TestNonce(t *testing.T) {
	r := newRig(t, free)
	c := r.rest(r.bot.Token)
	r.Order(discord.CreateMessage, discord.Fault{Kind: discord.BadGatewayAfter}, discord.Fault{Kind: discord.BadGatewayAfter})
	first, err := c.post(r.dm, text{"once", "k-1", true})
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Count()[discord.CreateMessage]; n != 3 {
		t.Errorf("the library sent it %d times", n)
	}
	// The connection breaks after it was done, and the caller tries again, as
	// after a crash.
	r.Order(discord.CreateMessage, discord.Fault{Kind: discord.DieAfter})
	if _, err := c.post(r.dm, text{"twice", "k-2", true}); err == nil {
		t.Error("the connection did not break")
	}
	if _, err := c.post(r.dm, text{"twice", "k-2", true}); err != nil {
		t.Error(err)
	}
	// The nonce is the author's: another channel does not matter.
	if again, err := c.post(r.general, text{"once", "k-1", true}); err != nil || again.ID != first.ID || again.ChannelID != r.dm.ID {
		t.Errorf("in another channel: %+v, %v", again, err)
	}
	r.Order(discord.CreateMessage, discord.Fault{Kind: discord.BadGatewayAfter})
	if _, err := c.post(r.dm, text{Content: "careless", Nonce: "k-3"}); err != nil {
		t.Error(err)
	}
	r.pass(4 * time.Minute)
	if later, err := c.post(r.dm, text{"once", "k-1", true}); err != nil || later.ID == first.ID {
		t.Errorf("minutes later: %+v, %v", later, err)
	}
	if got := strings.Join(r.texts(r.dm), ", "); got != "errand: once, errand: twice, errand: careless, errand: careless, errand: once" {
		t.Errorf("Ana sees %s", got)
	}
	_, err = c.post(r.dm, text{"x", strings.Repeat("n", 26), true})
	if code(err) != 50035 || !strings.Contains(err.Error(), `"nonce":{"_errors"`) {
		t.Errorf("a long nonce: %v", err)
	}
}
