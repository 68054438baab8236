package discord_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"errand/internal/sim/discord"
)

func button(label, id string) discordgo.Button {
	return discordgo.Button{Label: label, CustomID: id, Style: discordgo.PrimaryButton}
}

func row(list ...discordgo.MessageComponent) discordgo.ActionsRow {
	return discordgo.ActionsRow{Components: list}
}

func (c *client) interaction() *discordgo.Interaction {
	c.t.Helper()
	return c.next("INTERACTION_CREATE").(*discordgo.InteractionCreate).Interaction
}

func respond(kind discordgo.InteractionResponseType, text string, flags discordgo.MessageFlags) *discordgo.InteractionResponse {
	return &discordgo.InteractionResponse{Type: kind, Data: &discordgo.InteractionResponseData{Content: text, Flags: flags}}
}

// TestButtons proves that a press reaches the bot, and every way to answer it.
func TestButtons(t *testing.T) {
	r := newRig(t, free)
	c := r.open()
	off := button("Never", "n")
	off.Disabled = true
	m, err := c.ChannelMessageSendComplex(r.general.ID, &discordgo.MessageSend{Content: "sure?", Components: []discordgo.MessageComponent{
		row(button("Yes", "y:1"), off, discordgo.Button{Label: "Site", Style: discordgo.LinkButton, URL: "https://example.com"}),
		row(discordgo.SelectMenu{CustomID: "menu", Options: []discordgo.SelectMenuOption{{Label: "A", Value: "a"}, {Label: "B", Value: "b"}}})}})
	if err != nil {
		t.Fatal(err)
	}
	stranger := r.AddPerson(discord.Person{Name: "Sam"})
	for _, label := range []string{"Never", "Site", "Maybe"} {
		if r.Press(r.general, r.ana, m.ID, label) != nil {
			t.Errorf("%s can be pressed", label)
		}
	}
	if r.Press(r.general, stranger, m.ID, "Yes") != nil {
		t.Error("who is not in the guild can press")
	}
	if r.Choose(r.general, r.ana, m.ID, "menu", "c") != nil {
		t.Error("what is not in the menu can be chosen")
	}

	press := r.Press(r.general, r.ana, m.ID, "Yes")
	got := c.interaction()
	if got.ID != press.ID || got.MessageComponentData().CustomID != "y:1" || got.Member.User.ID != r.ana.ID || got.Message.ID != m.ID || got.Locale != "es-ES" || got.GuildID != r.guild.ID {
		t.Errorf("the bot hears %+v", got)
	}
	update := respond(discordgo.InteractionResponseUpdateMessage, "sure.", 0)
	update.Data.Components = []discordgo.MessageComponent{}
	if err := c.InteractionRespond(got, update); err != nil {
		t.Fatal(err)
	}
	if l := r.Sees(r.general, r.ana)[0]; l.Text != "sure." || len(l.Buttons) != 0 || !l.Edited {
		t.Errorf("Ana sees %+v", l)
	}
	if err := c.InteractionRespond(got, update); code(err) != 40060 {
		t.Errorf("answered twice: %v", err)
	}
	if _, err := c.FollowupMessageCreate(got, true, &discordgo.WebhookParams{Content: "between us", Flags: discordgo.MessageFlagsEphemeral}); err != nil {
		t.Error(err)
	}
	bea := r.AddPerson(discord.Person{Name: "Bea"})
	r.Join(r.guild, bea)
	if mine, hers := r.Sees(r.general, r.ana), r.Sees(r.general, bea); len(mine) != 2 || mine[1].Only != "Ana" || len(hers) != 1 {
		t.Errorf("Ana sees %+v, Bea %+v", mine, hers)
	}

	m, err = c.ChannelMessageSendComplex(r.dm.ID, &discordgo.MessageSend{Content: "?", Components: []discordgo.MessageComponent{row(button("A", "a")),
		row(discordgo.SelectMenu{CustomID: "menu", Options: []discordgo.SelectMenuOption{{Label: "A", Value: "a"}}})}})
	if err != nil {
		t.Fatal(err)
	}
	r.Press(r.dm, r.ana, m.ID, "a")
	got = c.interaction()
	if got.User == nil || got.Member != nil || got.GuildID != "" || got.Context != discordgo.InteractionContextBotDM {
		t.Errorf("in direct messages the bot hears %+v", got)
	}
	if err := c.InteractionRespond(got, &discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredMessageUpdate}); err != nil {
		t.Error(err)
	}
	text := "later"
	if _, err := c.InteractionResponseEdit(got, &discordgo.WebhookEdit{Content: &text}); err != nil {
		t.Error(err)
	}
	chosen := r.Choose(r.dm, r.ana, m.ID, "menu", "a")
	if got = c.interaction(); fmt.Sprint(got.MessageComponentData().Values) != "[a]" {
		t.Errorf("chosen is %+v", got.Data)
	}
	if err := c.InteractionRespond(got, respond(discordgo.InteractionResponseChannelMessageWithSource, "fine", 0)); err != nil {
		t.Error(err)
	}
	if a := r.Answer(chosen); a.Type != 4 || a.Failed {
		t.Errorf("the answer is %+v", a)
	}
	if got := r.texts(r.dm); len(got) != 2 || got[0] != "errand: later" || got[1] != "errand: fine" {
		t.Errorf("Ana sees %q", got)
	}
}

// TestTooLate proves that an interaction has to be answered within three
// seconds, and can be added to for a quarter of an hour.
func TestTooLate(t *testing.T) {
	r := newRig(t, free)
	c := r.open()
	m, err := c.ChannelMessageSendComplex(r.dm.ID, &discordgo.MessageSend{Content: "?", Components: []discordgo.MessageComponent{row(button("A", "a"))}})
	if err != nil {
		t.Fatal(err)
	}
	answer := respond(discordgo.InteractionResponseDeferredChannelMessageWithSource, "", discordgo.MessageFlagsEphemeral)
	press := r.Press(r.dm, r.ana, m.ID, "A")
	got := c.interaction()
	more := &discordgo.WebhookParams{Content: "more"}
	if _, err := c.FollowupMessageCreate(got, true, more); code(err) != 10015 {
		t.Errorf("more before the answer: %v", err)
	}
	r.pass(3001 * time.Millisecond)
	if err := c.InteractionRespond(got, answer); code(err) != 10062 {
		t.Errorf("too late: %v", err)
	}
	if a := r.Answer(press); !a.Failed {
		t.Error("Ana does not know that it failed")
	}

	press = r.Press(r.dm, r.ana, m.ID, "A")
	got = c.interaction()
	r.pass(3 * time.Second)
	if err := c.InteractionRespond(got, answer); err != nil {
		t.Errorf("just in time: %v", err)
	}
	lines := r.Sees(r.dm, r.ana)
	if l := lines[len(lines)-1]; !l.Thinking || l.Only != "Ana" || l.Answers != press.ID {
		t.Errorf("Ana sees %+v", l)
	}
	// The first that follows is what was promised, to whom it was promised.
	if _, err := c.FollowupMessageCreate(got, true, &discordgo.WebhookParams{Content: "done"}); err != nil {
		t.Error(err)
	}
	if _, err := c.FollowupMessageCreate(got, true, more); err != nil {
		t.Error(err)
	}
	lines = r.Sees(r.dm, r.ana)
	if l := lines[len(lines)-2]; l.Text != "done" || l.Thinking || l.Only != "Ana" || l.Edited {
		t.Errorf("Ana sees %+v", l)
	}
	if l := lines[len(lines)-1]; l.Text != "more" || l.Only != "" {
		t.Errorf("Ana sees %+v", l)
	}
	if original, err := c.InteractionResponse(got); err != nil || original.Content != "done" {
		t.Errorf("the original is %+v, %v", original, err)
	}
	if err := c.InteractionResponseDelete(got); err != nil {
		t.Error(err)
	}
	if _, err := c.InteractionResponse(got); code(err) != 10008 {
		t.Errorf("deleted: %v", err)
	}
	r.pass(15 * time.Minute)
	if _, err := c.FollowupMessageCreate(got, true, more); code(err) != 50027 {
		t.Errorf("a quarter of an hour later: %v", err)
	}
}
