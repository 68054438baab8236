package discord_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"errand/internal/channels/discord"
	platform "errand/internal/test/sim/discord"
)

func start(t *testing.T, o platform.Options) (*platform.Server, *platform.Bot) {
	t.Helper()
	server, err := platform.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server, server.AddBot(platform.Bot{Name: "errand"})
}

// TestErrorsHoldNoSecret proves that an error has neither the token of the bot nor
// that of an interaction, which is in its address, nor what was sent.
func TestErrorsHoldNoSecret(t *testing.T) {
	server, bot := start(t, platform.Options{})
	c := discord.NewClient(bot.Token, server.Client())
	url := discordgo.EndpointInteractionResponse("5", "secret-of-an-interaction")
	for _, kind := range []platform.FaultKind{platform.DieBefore, platform.BadGateway, platform.Broken, platform.TooMany, ""} {
		server.Order(platform.AnswerInteraction, platform.Fault{Kind: kind, After: time.Millisecond})
		err := c.Call(t.Context(), http.MethodPost, url, map[string]string{"content": "the words"}, nil)
		var no *discord.Error
		if !errors.As(err, &no) {
			t.Fatalf("after %q: %v", kind, err)
		}
		for _, secret := range []string{bot.Token, "secret-of", "the words"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("after %q: %v", kind, err)
			}
		}
	}
	server.Close()
	if err := c.Call(t.Context(), http.MethodPost, url, nil, nil); err == nil || strings.Contains(err.Error(), "secret-of") {
		t.Errorf("unreachable: %v", err)
	}
}

// TestFields proves that a form that is refused says for what, and not in whose
// words.
func TestFields(t *testing.T) {
	server, bot := start(t, platform.Options{})
	ana := server.AddPerson(platform.Person{Name: "Ana"})
	server.AddGuild("Team", ana, bot)
	err := discord.NewClient(bot.Token, server.Client()).Call(t.Context(), http.MethodPost, discordgo.EndpointChannelMessages(server.DM(ana, bot).ID),
		map[string]string{"content": strings.Repeat("x", 2001)}, nil)
	var no *discord.Error
	if !errors.As(err, &no) || no.Code != discordgo.ErrCodeInvalidFormBody || !slices.Equal(no.Fields, []string{"content: BASE_TYPE_MAX_LENGTH"}) {
		t.Errorf("it is %v", err)
	}
}

// TestNoWaitBeyondTheContext proves that a call that has to wait does so until it
// is permitted, or fails at once when that is too late; for all routes where it is
// the bot's limit.
func TestNoWaitBeyondTheContext(t *testing.T) {
	server, bot := start(t, platform.Options{})
	c := discord.NewClient(bot.Token, server.Client())
	me := func(ctx context.Context) *discord.Error {
		err := c.Call(ctx, http.MethodGet, discordgo.EndpointUser("@me"), nil, nil)
		var no *discord.Error
		errors.As(err, &no)
		return no
	}
	const pause = 300 * time.Millisecond
	busy := func(after time.Duration) {
		t.Helper()
		server.Order(platform.GetApplication, platform.Fault{Kind: platform.TooMany, After: after, Global: true})
		if err := c.Call(t.Context(), http.MethodGet, discordgo.EndpointApplication("@me"), nil, nil); err == nil {
			t.Fatal("the fault was not met")
		}
	}
	busy(time.Hour)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if no := me(ctx); no == nil || !no.NotSent || no.RetryAfter <= 0 {
		t.Errorf("it is %v", no)
	}
	if n := len(server.Calls(platform.GetMe)); n > 0 {
		t.Errorf("%d calls were made", n)
	}
	if ctx.Err() != nil {
		t.Error("it failed only when the context did")
	}
	c = discord.NewClient(bot.Token, server.Client()) // which knows of no hour
	busy(pause)
	if no := me(t.Context()); no != nil {
		t.Fatalf("later it is %v", no)
	}
	asked := server.Calls(platform.GetApplication)
	if d := server.Calls(platform.GetMe)[0].At.Sub(asked[len(asked)-1].At); d < pause {
		t.Errorf("it went %s after the other, want %s at least", d, pause)
	}
}
