package discord_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"
)

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
	}
	a := &discordgo.ApplicationCommand{Name: "a", Description: "d"}
	if _, err := c.ApplicationCommandBulkOverwrite(r.bot.ID, "", []*discordgo.ApplicationCommand{a, a}); code(err) != 50035 {
		t.Errorf("a name twice: %v", err)
	}
}
