package discord_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"errand/internal/sim/discord"
)

// TestCommands proves that slash commands can be set, seen, completed and run.
func TestCommands(t *testing.T) {
	r := newRig(t, free)
	c := r.open()
	ask := &discordgo.ApplicationCommand{Name: "ask", Description: "Ask an agent", Options: []*discordgo.ApplicationCommandOption{
		{Type: discordgo.ApplicationCommandOptionString, Name: "agent", Description: "Who", Required: true, Autocomplete: true},
		{Type: discordgo.ApplicationCommandOptionUser, Name: "for", Description: "For whom"}}}
	tasks := &discordgo.ApplicationCommand{Name: "tasks", Description: "Tasks", Options: []*discordgo.ApplicationCommandOption{
		{Type: discordgo.ApplicationCommandOptionSubCommand, Name: "show", Description: "Show one", Options: []*discordgo.ApplicationCommandOption{
			{Type: discordgo.ApplicationCommandOptionInteger, Name: "number", Description: "Which", Required: true}}}}}
	first, err := c.ApplicationCommandBulkOverwrite(r.bot.ID, "", []*discordgo.ApplicationCommand{ask, tasks})
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.ApplicationCommandBulkOverwrite(r.bot.ID, "", []*discordgo.ApplicationCommand{ask, tasks})
	if err != nil || again[0].ID != first[0].ID {
		t.Errorf("set again: %+v, %v", again, err)
	}
	if _, err := c.ApplicationCommandBulkOverwrite(r.bot.ID, r.guild.ID, []*discordgo.ApplicationCommand{{Name: "here", Description: "Only here"}}); err != nil {
		t.Error(err)
	}
	if here, there := fmt.Sprint(r.Commands(r.bot, r.guild)), fmt.Sprint(r.Commands(r.bot, nil)); here != "[ask tasks here]" || there != "[ask tasks]" {
		t.Errorf("people see %s in the guild, %s elsewhere", here, there)
	}

	typed := r.Complete(r.general, r.ana, r.bot, "ask", "agent", "sa")
	got := c.interaction()
	if o := got.ApplicationCommandData().GetOption("agent"); got.Type != discordgo.InteractionApplicationCommandAutocomplete || !o.Focused || o.StringValue() != "sa" {
		t.Errorf("the bot hears %+v", got.Data)
	}
	choices := func(n int) *discordgo.InteractionResponse {
		resp := &discordgo.InteractionResponse{Type: discordgo.InteractionApplicationCommandAutocompleteResult, Data: &discordgo.InteractionResponseData{}}
		for i := range n {
			resp.Data.Choices = append(resp.Data.Choices, &discordgo.ApplicationCommandOptionChoice{Name: fmt.Sprint("Sasha ", i), Value: "sasha"})
		}
		return resp
	}
	if err := c.InteractionRespond(got, choices(26)); code(err) != 50035 || !strings.Contains(err.Error(), "choices") {
		t.Errorf("26 choices: %v", err)
	}
	if err := c.InteractionRespond(got, choices(25)); err != nil {
		t.Error(err)
	}
	if a := r.Answer(typed); a.Type != 8 || len(a.Choices) != 25 || a.Choices[0].Name != "Sasha 0" {
		t.Errorf("Ana may choose from %+v", a)
	}

	for _, bad := range []string{"nope", "ask", "tasks", "tasks show"} {
		if r.Run(r.general, r.ana, r.bot, bad) != nil {
			t.Errorf("/%s was sent", bad)
		}
	}
	r.Run(r.general, r.ana, r.bot, "ask", discord.Option{Name: "agent", Value: "sasha"}, discord.Option{Name: "for", Value: r.ana})
	got = c.interaction()
	data := got.ApplicationCommandData()
	if data.Name != "ask" || data.GetOption("agent").StringValue() != "sasha" || data.Resolved.Users[r.ana.ID].Username != "Ana" {
		t.Errorf("the bot hears %+v", data)
	}
	if err := c.InteractionRespond(got, choices(1)); code(err) != 50035 {
		t.Errorf("a command answered with choices: %v", err)
	}
	if err := c.InteractionRespond(got, respond(discordgo.InteractionResponseChannelMessageWithSource, "asked", discordgo.MessageFlagsEphemeral)); err != nil {
		t.Error(err)
	}
	if l := r.Sees(r.general, r.ana); len(l) != 1 || l[0].Only != "Ana" || l[0].Text != "asked" {
		t.Errorf("Ana sees %+v", l)
	}
	if list, err := c.ChannelMessages(r.general.ID, 10, "", "", ""); err != nil || len(list) != 0 {
		t.Errorf("what only Ana sees is in the history: %+v, %v", list, err)
	}
	r.Run(r.dm, r.ana, r.bot, "tasks show", discord.Option{Name: "number", Value: 7})
	if sub := c.interaction().ApplicationCommandData().Options[0]; sub.Name != "show" || sub.GetOption("number").IntValue() != 7 {
		t.Errorf("the bot hears %+v", sub)
	}
}

// TestLimits proves which components and commands are refused.
func TestLimits(t *testing.T) {
	r := newRig(t, free)
	c := r.rest(r.bot.Token)
	x := func(n int) string { return strings.Repeat("x", n) }
	five := []discordgo.MessageComponent{}
	for i := range 6 {
		five = append(five, button("b", fmt.Sprint(i)))
	}
	var rows []discordgo.MessageComponent
	for i := range 6 {
		rows = append(rows, row(button("b", fmt.Sprint(i))))
	}
	for name, list := range map[string][]discordgo.MessageComponent{
		"six rows": rows, "six buttons": {row(five...)}, "no row": five[:1], "an empty row": {row()},
		"a long id": {row(button("b", x(101)))}, "a long label": {row(button(x(81), "b"))}, "no label": {row(button("", "b"))}, "no id": {row(button("b", ""))},
		"an id twice": {row(button("a", "b"), button("b", "b"))}, "a link with an id": {row(discordgo.Button{Label: "a", Style: discordgo.LinkButton, URL: "https://a.b", CustomID: "c"})},
		"a button with a link": {row(discordgo.Button{Label: "a", Style: discordgo.PrimaryButton, URL: "https://a.b", CustomID: "c"})},
		"a menu in company":    {row(button("a", "a"), discordgo.SelectMenu{CustomID: "m", Options: []discordgo.SelectMenuOption{{Label: "a", Value: "a"}}})},
		"an empty menu":        {row(discordgo.SelectMenu{CustomID: "m"})},
	} {
		if _, err := c.ChannelMessageSendComplex(r.dm.ID, &discordgo.MessageSend{Content: "x", Components: list}); code(err) != 50035 || !strings.Contains(err.Error(), `"components"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := c.ChannelMessageSendComplex(r.dm.ID, &discordgo.MessageSend{Content: "x", Components: append(rows[:4:4], row(five[:5]...))}); code(err) != 50035 {
		t.Errorf("ids twice in different rows: %v", err)
	}
	if _, err := c.ChannelMessageSendComplex(r.dm.ID, &discordgo.MessageSend{Content: "x", Components: []discordgo.MessageComponent{row(append(five[:4:4], button(x(80), x(100)))...)}}); err != nil {
		t.Errorf("as much as there can be: %v", err)
	}

	str := discordgo.ApplicationCommandOptionString
	opt := func(name string, required bool) *discordgo.ApplicationCommandOption {
		return &discordgo.ApplicationCommandOption{Type: str, Name: name, Description: "d", Required: required}
	}
	full := opt("o", false)
	full.Autocomplete, full.Choices = true, []*discordgo.ApplicationCommandOptionChoice{{Name: "a", Value: "a"}}
	many := opt("o", false)
	for i := range 26 {
		many.Choices = append(many.Choices, &discordgo.ApplicationCommandOptionChoice{Name: fmt.Sprint(i), Value: "a"})
	}
	for name, cmd := range map[string]*discordgo.ApplicationCommand{
		"capitals": {Name: "Ask", Description: "d"}, "a space": {Name: "a b", Description: "d"}, "a long name": {Name: x(33), Description: "d"},
		"no description": {Name: "a"}, "a long one": {Name: "a", Description: x(101)},
		"required last":   {Name: "a", Description: "d", Options: []*discordgo.ApplicationCommandOption{opt("a", false), opt("b", true)}},
		"choices as well": {Name: "a", Description: "d", Options: []*discordgo.ApplicationCommandOption{full}},
		"26 choices":      {Name: "a", Description: "d", Options: []*discordgo.ApplicationCommandOption{many}},
	} {
		if _, err := c.ApplicationCommandBulkOverwrite(r.bot.ID, "", []*discordgo.ApplicationCommand{cmd}); code(err) != 50035 {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := c.ApplicationCommandCreate(r.bot.ID, "", cmd); code(err) != 50035 {
			t.Errorf("%s, alone: %v", name, err)
		}
	}
	a := &discordgo.ApplicationCommand{Name: "a", Description: "d"}
	if _, err := c.ApplicationCommandBulkOverwrite(r.bot.ID, "", []*discordgo.ApplicationCommand{a, a}); code(err) != 50035 {
		t.Errorf("a name twice: %v", err)
	}
	made, err := c.ApplicationCommandCreate(r.bot.ID, "", a)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.ApplicationCommandDelete(r.bot.ID, "", made.ID); err != nil {
		t.Error(err)
	}
	if list, err := c.ApplicationCommands(r.bot.ID, ""); err != nil || len(list) != 0 {
		t.Errorf("left are %+v, %v", list, err)
	}
}
