package discord_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"errand/internal/test/sim/discord"
)

func (c *client) postMessage(to *discord.Channel, json string) error {
	url := discordgo.EndpointChannelMessages(to.ID)
	_, err := c.RequestRaw("POST", url, "application/json", []byte(json), url, 0)
	return err
}

// TestRefusals proves that the platform says no where Discord does, with its
// codes and in its shape.
func TestRefusals(t *testing.T) {
	r := newRig(t, free)
	c := r.rest(r.bot.Token)
	closed := r.AddPerson(discord.Person{Name: "Cleo", Closed: true})
	stranger := r.AddPerson(discord.Person{Name: "Sam"})
	other := r.AddPerson(discord.Person{Name: "mee", IsBot: true})
	r.Join(r.guild, closed)
	elsewhere := r.General(r.AddGuild("Elsewhere"))
	hidden, quiet := r.AddChannel(r.guild, "hidden"), r.AddChannel(r.guild, "quiet")
	r.Deny(hidden, r.bot, discord.ViewChannel)
	r.Deny(quiet, r.bot, discord.SendMessages|discord.AddReactions)
	locked := r.AddThread(r.general, r.ana, "locked")
	r.Archive(locked, true)
	gone := r.AddChannel(r.guild, "gone")
	r.RemoveChannel(gone)
	id := r.Write(r.general, r.ana, "hers")
	inQuiet := r.Write(quiet, r.ana, "psst")

	send := func(to *discord.Channel) func() error {
		return func() error { return c.postMessage(to, `{"content":"x"}`) }
	}
	with := func(json string) func() error { return func() error { return c.postMessage(r.general, json) } }
	tests := []struct {
		name string
		do   func() error
		code int
		text string
	}{
		{"not in the guild", send(elsewhere), 50001, "Missing Access"},
		{"may not see", send(hidden), 50001, "Missing Access"},
		{"may not write", send(quiet), 50013, "Missing Permissions"},
		{"deleted", send(gone), 10003, "Unknown Channel"},
		{"locked", send(locked), 50083, "Thread is archived"},
		{"takes no messages", send(r.DM(closed, r.bot)), 50007, "Cannot send messages to this user"},
		{"shares no guild", send(r.DM(stranger, r.bot)), 50007, "Cannot send messages to this user"},
		{"to a bot", func() error { _, err := c.UserChannelCreate(other.ID); return err }, 50007, "Cannot send"},
		{"to nobody", func() error { _, err := c.UserChannelCreate("77"); return err }, 50033, "Invalid Recipient"},
		{"empty", with(`{"content":" \n"}`), 50006, "Cannot send an empty message"},
		{"no JSON", with(`{`), 50109, "invalid JSON"},
		{"too long", with(`{"content":"` + strings.Repeat("😀", 2001) + `"}`), 50035,
			`"errors":{"content":{"_errors":[{"code":"BASE_TYPE_MAX_LENGTH","message":"Must be 2000 or fewer in length."}]}}`},
		{"too many embeds", with(`{"embeds":[{},{},{},{},{},{},{},{},{},{},{}]}`), 50035, `"embeds"`},
		{"long embed", with(`{"embeds":[{"description":"` + strings.Repeat("x", 4097) + `"}]}`), 50035, "Must be 4096"},
		{"reply to nothing", with(`{"content":"x","message_reference":{"message_id":"77"}}`), 50035, "REPLIES_UNKNOWN_MESSAGE"},
		{"mentions twice", with(`{"content":"x","allowed_mentions":{"parse":["users"],"users":["1"]}}`), 50035, "mutually exclusive"},
		{"second components", with(`{"flags":32768}`), 50035, "flags"},
		{"edit hers", func() error { _, err := c.ChannelMessageEdit(r.general.ID, id, "x"); return err }, 50005, "another user"},
		{"edit nothing", func() error { _, err := c.ChannelMessageEdit(r.general.ID, "77", "x"); return err }, 10008, "Unknown Message"},
		{"delete hers", func() error { return c.ChannelMessageDelete(r.general.ID, id) }, 50013, "Missing Permissions"},
		{"react", func() error { return c.MessageReactionAdd(quiet.ID, inQuiet, "👍") }, 50013, "Missing Permissions"},
		{"no emoji", func() error { return c.MessageReactionAdd(r.general.ID, id, "thumbsup") }, 10014, "Unknown Emoji"},
		{"bad limit", func() error { _, err := c.ChannelMessages(r.general.ID, 101, "", "", ""); return err }, 50035, "limit"},
		{"bad id", func() error { _, err := c.ChannelMessages(r.general.ID, 1, "", "x", ""); return err }, 50035, "snowflake"},
		{"others' commands", func() error { _, err := c.ApplicationCommands("77", ""); return err }, 20012, "not authorized"},
		{"no such route", func() error { _, err := c.Request("GET", discordgo.EndpointAPI+"nonsense", nil); return err }, 0, "404: Not Found"},
		{"no token", func() error { _, err := r.rest("wrong").User("@me"); return err }, 0, "401: Unauthorized"},
		{"large file", func() error {
			_, err := c.ChannelFileSend(r.general.ID, "x", io.LimitReader(zeros{}, 10<<20+1))
			return err
		}, 40005, "Request entity too large"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.do()
			if err == nil || code(err) != tt.code || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("answered %v, want %d %s", err, tt.code, tt.text)
			}
		})
	}
	if n := len(r.Lines(r.general)); n != 0 {
		t.Errorf("%d messages of the bot are there", n)
	}
	if err := c.postMessage(r.general, `{"content":"`+strings.Repeat("😀", 2000)+`","message_reference":{"message_id":"77","fail_if_not_exists":false}}`); err != nil {
		t.Errorf("as long as can be: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// TestRates proves that the library is told how many calls are left, that too
// many are refused, and that it can wait by what it is told.
func TestRates(t *testing.T) {
	r := newRig(t, discord.Options{Global: 8})
	c := r.rest(r.bot.Token)
	send := func(to *discord.Channel) error { // past the library's own limiter
		req, _ := http.NewRequest("POST", discordgo.EndpointChannelMessages(to.ID), strings.NewReader(`{"content":"x"}`))
		req.Header.Set("Authorization", "Bot "+r.bot.Token)
		req.Header.Set("Content-Type", "application/json")
		resp, err := c.Client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		h := resp.Header
		return fmt.Errorf("%d left %s reset %s retry %s scope %s global %s: %s", resp.StatusCode, h.Get("X-RateLimit-Remaining"), h.Get("X-RateLimit-Reset-After"), h.Get("Retry-After"),
			h.Get("X-RateLimit-Scope"), h.Get("X-RateLimit-Global"), strings.TrimSpace(string(body)))
	}
	for left := 4; left >= 0; left-- {
		if got, want := send(r.general).Error(), fmt.Sprintf("200 left %d reset 5 retry ", left); !strings.HasPrefix(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
	r.pass(500 * time.Millisecond)
	if got := send(r.general).Error(); got != `429 left 0 reset 4.5 retry 5 scope user global : {"global":false,"message":"You are being rate limited.","retry_after":4.5}` {
		t.Error(got)
	}
	for range 2 { // another channel has a bucket of its own
		if got := send(r.dm).Error(); !strings.HasPrefix(got, "200") {
			t.Error(got)
		}
	}
	if got := send(r.dm).Error(); got != `429 left  reset  retry 1 scope global global true: {"global":true,"message":"You are being rate limited.","retry_after":0.5}` {
		t.Error(got)
	}
	r.pass(5 * time.Second)
	r.Order(discord.CreateMessage, discord.Fault{Kind: discord.TooMany, After: 10 * time.Millisecond})
	if _, err := c.ChannelMessageSend(r.general.ID, "patient"); err != nil {
		t.Error(err)
	}
	c.ShouldRetryOnRateLimit = false
	r.Order(discord.CreateMessage, discord.Fault{Kind: discord.TooMany, After: 7 * time.Second, Global: true})
	_, err := c.ChannelMessageSend(r.general.ID, "impatient")
	if limited := new(discordgo.RateLimitError); !errors.As(err, &limited) || limited.RetryAfter != 7*time.Second {
		t.Errorf("ordered 429: %v", err)
	}
}
