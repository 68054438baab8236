package main

import (
	"testing"

	"github.com/bwmarrin/discordgo"

	"errand/internal/sim/try/trytest"
)

// TestTry proves that somebody at a terminal can write to a bot, run its commands,
// and sees what it does.
func TestTry(t *testing.T) {
	opened, err := open("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := opened.(*platform)
	s := trytest.Sit(t, p)
	s.Sees("channels add discord --url " + p.URL())
	bot, err := discordgo.New("Bot " + token)
	if err != nil {
		t.Fatal(err)
	}
	bot.Client, bot.Dialer = p.Client(), p.Dialer()
	wrote, ran := make(chan *discordgo.MessageCreate, 9), make(chan *discordgo.InteractionCreate, 9)
	bot.AddHandler(func(_ *discordgo.Session, m *discordgo.MessageCreate) {
		if !m.Author.Bot {
			wrote <- m
		}
	})
	bot.AddHandler(func(_ *discordgo.Session, i *discordgo.InteractionCreate) { ran <- i })
	if err := bot.Open(); err != nil {
		t.Fatal(err)
	}
	defer bot.Close()
	if _, err := bot.ApplicationCommandCreate(id, "", &discordgo.ApplicationCommand{Name: "agent", Description: "who", Options: []*discordgo.ApplicationCommandOption{
		{Type: discordgo.ApplicationCommandOptionString, Name: "agent", Description: "whom"}}}); err != nil {
		t.Fatal(err)
	}
	s.Types("!invite")
	s.Types("hello *there*")
	if m := <-wrote; m.Content != "hello *there*" || m.Author.Username != "Ana" {
		t.Fatalf("the bot reads %q of %v", m.Content, m.Author)
	}
	if _, err := bot.ChannelMessageSendComplex(p.chat.ID, &discordgo.MessageSend{Content: `Shall I, snake\_case?`, Components: []discordgo.MessageComponent{
		discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.Button{Label: "Yes", CustomID: "y", Style: discordgo.PrimaryButton}}}}}); err != nil {
		t.Fatal(err)
	}
	s.Sees("errand: Shall I, snake_case?\n        [!1 Yes]")
	s.Types("!1")
	if i := <-ran; i.MessageComponentData().CustomID != "y" {
		t.Errorf("the bot is told of %+v", i)
	}
	s.Types("/agent finn the engineer")
	i := <-ran
	if d := i.ApplicationCommandData(); d.Name != "agent" || d.Options[0].StringValue() != "finn the engineer" {
		t.Errorf("the bot is told of %+v", d)
	}
	answer := func(kind discordgo.InteractionResponseType, text string) {
		t.Helper()
		if err := bot.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{Type: kind, Data: &discordgo.InteractionResponseData{Content: text, Flags: discordgo.MessageFlagsEphemeral}}); err != nil {
			t.Fatal(err)
		}
	}
	answer(discordgo.InteractionResponseDeferredChannelMessageWithSource, "")
	s.Sees("errand: (thinking…)\n        (only you see this)")
	s.Types("/dance")
	if m := <-wrote; m.Content != "/dance" {
		t.Errorf("the bot reads %q", m.Content)
	}
}
