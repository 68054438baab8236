package discord_test

import (
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
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
	if err := c.InteractionResponseDelete(got); err != nil {
		t.Error(err)
	}
	r.pass(15 * time.Minute)
	if _, err := c.FollowupMessageCreate(got, true, more); code(err) != 50027 {
		t.Errorf("a quarter of an hour later: %v", err)
	}
}
