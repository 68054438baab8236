package discord

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"errand/internal/channels"
	"errand/internal/commands"
	"errand/internal/core"

	"errand/internal/markup"
)

// An interaction is a slash command or a button press. Discord requires an acknowledgement within
// three seconds. The answer may come later.
type interaction struct {
	*discordgo.Interaction
	at    time.Time
	acked chan struct{} // closed after the acknowledgement
	ours  bool          // the acknowledgement succeeded; set before acked is closed
}

const (
	ackWithin  = 3 * time.Second
	politeness = 5 * time.Second
)

// interact must not wait, because its goroutine also receives heartbeats.
func (r *run) interact(i *discordgo.Interaction) {
	if by := personOf(i); by == nil || by.Bot || !answerable(i) || !r.first(i.ID) {
		return
	}
	switch i.Type {
	case discordgo.InteractionApplicationCommandAutocomplete:
		r.spawn(func() { r.suggest(i) })
	case discordgo.InteractionApplicationCommand, discordgo.InteractionMessageComponent:
		it := &interaction{Interaction: i, at: time.Now(), acked: make(chan struct{})}
		r.spawn(func() {
			defer close(it.acked)
			it.ours = r.acknowledge(it)
		})
		r.put(i.ChannelID, item{press: it})
	}
}

// answerable checks the fields that become part of a URL.
func answerable(i *discordgo.Interaction) bool {
	return ParseID(i.ID) > 0 && ParseID(i.AppID) > 0 && strings.Trim(i.Token, ".") != "" && !strings.Contains(i.Token, "..") && !strings.ContainsAny(i.Token, "/?#%\\ ")
}

func personOf(i *discordgo.Interaction) *discordgo.User {
	if i.Member != nil {
		return i.Member.User
	}
	return i.User
}

// acknowledge announces an answer: an ephemeral message, or in a private chat an edit of the
// message with the button.
func (r *run) acknowledge(it *interaction) bool {
	answer := map[string]any{"type": discordgo.InteractionResponseDeferredChannelMessageWithSource, "data": map[string]any{"flags": discordgo.MessageFlagsEphemeral}}
	if it.inPlace() {
		answer = map[string]any{"type": discordgo.InteractionResponseDeferredMessageUpdate}
	}
	ctx, cancel := context.WithTimeout(r.ctx, ackWithin)
	defer cancel()
	for failures := 0; ctx.Err() == nil; failures++ {
		err := r.rest.Call(ctx, http.MethodPost, discordgo.EndpointInteractionResponse(it.ID, it.Token), answer, nil)
		if err == nil || failures > 0 && HasCode(err, discordgo.ErrCodeInteractionHasAlreadyBeenAcknowledged) {
			return true
		}
		if HasCode(err, discordgo.ErrCodeUnknownInteraction, discordgo.ErrCodeInteractionHasAlreadyBeenAcknowledged) {
			return false
		}
		r.Logger.Debug("interaction not acknowledged", "error", err)
		channels.Sleep(ctx, r.pause(failures)/4)
	}
	return false // Discord shows the person that it failed
}

func (it *interaction) inPlace() bool {
	return it.Type == discordgo.InteractionMessageComponent && it.GuildID == ""
}

// pressedOn handles an interaction in order with the messages of the chat.
func (r *run) pressedOn(it *interaction) error {
	if <-it.acked; !it.ours {
		return nil
	}
	in := r.from(it.ChannelID, it.GuildID, personOf(it.Interaction), it.Member)
	in.Sender.Language = string(it.Locale)
	if time.Since(it.at) > r.Patience { // earlier messages of the chat took too long
		r.answer(it, r.words(in.Sender.Language).Failed)
		return nil
	}
	if it.Type == discordgo.InteractionApplicationCommand {
		// The prefix distinguishes it from message ids.
		in.MessageID, in.Text, in.Private = "command-"+it.ID, commandText(it.ApplicationCommandData()), true
	} else {
		in.MessageID, in.Text, in.ReplyTo = r.pressOf(it, in.Sender.IDs[0])
		in.Pressed = true
		if strings.TrimSpace(in.Text) == "" {
			r.answer(it, "")
			return nil
		}
	}
	out, err := r.receive(in)
	if err != nil {
		if time.Since(it.at) > r.Patience {
			r.answer(it, r.words(in.Sender.Language).Failed)
			return nil
		}
		return err
	}
	switch {
	case in.Private:
		r.answer(it, out.Answer)
	case out.Refused != "":
		r.answer(it, "")
	case it.inPlace():
		r.edit(it, map[string]any{"components": []any{}})
	default:
		r.answer(it, strings.ReplaceAll(r.words(in.Sender.Language).Pressed, "{answer}", in.Text))
	}
	return nil
}

// answer shows a text to that person only. An empty text shows nothing.
func (r *run) answer(it *interaction, text string) {
	parts := markup.Discord.Plain(text)
	webhook := discordgo.EndpointWebhookToken(it.AppID, it.Token)
	if len(parts) == 0 {
		if !it.inPlace() {
			r.politely(http.MethodDelete, discordgo.EndpointWebhookMessage(it.AppID, it.Token, "@original"), nil)
		}
		return
	}
	if !it.inPlace() { // in place, the original message is the one with the button
		r.edit(it, plainMessage(parts[0].Text))
		parts = parts[1:]
	}
	for _, part := range parts {
		m := plainMessage(part.Text)
		m["flags"] = discordgo.MessageFlagsEphemeral
		r.politely(http.MethodPost, webhook, m)
	}
}

func plainMessage(text string) map[string]any {
	return map[string]any{"content": text, "allowed_mentions": map[string]any{"parse": []string{}}}
}

func (r *run) edit(it *interaction, change map[string]any) {
	r.politely(http.MethodPatch, discordgo.EndpointWebhookMessage(it.AppID, it.Token, "@original"), change)
}

func (r *run) politely(method, url string, body any) {
	for range 2 {
		ctx, cancel := context.WithTimeout(r.ctx, politeness)
		err := r.rest.Call(ctx, method, url, body, nil)
		cancel()
		if err == nil {
			return
		}
		r.Logger.Debug("not shown", "error", err)
	}
}

func (r *run) suggest(i *discordgo.Interaction) {
	ctx, cancel := context.WithTimeout(r.ctx, ackWithin)
	defer cancel()
	data := i.ApplicationCommandData()
	choices := []map[string]any{}
	if r.Suggest != nil {
		in := r.from(i.ChannelID, i.GuildID, personOf(i), i.Member)
		list, err := r.Suggest.Suggest(ctx, in, "/"+data.Name, focusedValue(data))
		if err != nil {
			r.Logger.Debug("nothing is suggested", "error", err)
		}
		choices = choicesOf(list)
	}
	answer := map[string]any{"type": discordgo.InteractionApplicationCommandAutocompleteResult, "data": map[string]any{"choices": choices}}
	if err := r.rest.Call(ctx, http.MethodPost, discordgo.EndpointInteractionResponse(i.ID, i.Token), answer, nil); err != nil {
		r.Logger.Debug("not shown", "error", err)
	}
}

const mostChoices, longestChoice = 25, 100

func choicesOf(list []commands.Suggestion) []map[string]any {
	choices := []map[string]any{}
	for _, s := range list {
		name := strings.Join(strings.Fields(s.Word+" – "+s.About), " ")
		if len(choices) < mostChoices && len(s.Word) <= longestChoice {
			choices = append(choices, map[string]any{"name": core.Cut(name, longestChoice), "value": s.Word})
		}
	}
	return choices
}
