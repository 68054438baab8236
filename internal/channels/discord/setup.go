package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

	"errand/internal/markup"
)

// A Setup makes calls with a bot's token before there is a Channel. Token is required and does not
// contain "Bot ".
type Setup struct {
	Token  string
	Client *http.Client
}

// An Application is the application that a token belongs to.
type Application struct {
	ID, Name string
	// Owner is the person to greet: the owner of the application or of its team. Empty: unknown.
	Owner, OwnerName string
	// ReadsContent means that the bot may read the text of messages.
	ReadsContent bool
}

// https://docs.discord.com/developers/topics/permissions
const permissions = discordgo.PermissionViewChannel | discordgo.PermissionSendMessages | discordgo.PermissionSendMessagesInThreads |
	discordgo.PermissionReadMessageHistory | discordgo.PermissionAddReactions | discordgo.PermissionAttachFiles | discordgo.PermissionEmbedLinks

// Invite returns the page on which a person can add the bot to a server.
func (a Application) Invite() string {
	return "https://discord.com/oauth2/authorize?" + url.Values{
		"client_id": {a.ID}, "scope": {"bot applications.commands"}, "permissions": {strconv.Itoa(permissions)},
	}.Encode()
}

// Switches returns the page on which the bot's intents are enabled.
func (a Application) Switches() string { return Portal + "/" + url.PathEscape(a.ID) + "/bot" }

// Flags of applications with access to message content, in many servers or few:
// https://docs.discord.com/developers/resources/application#application-object-application-flags
const contentFlags = 1<<18 | 1<<19

// Identify asks Discord for the application of the token. Its errors are for people and say what to
// do.
func (s Setup) Identify(ctx context.Context) (Application, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	type who struct {
		ID       string `json:"id"`
		Username string `json:"username"`
	}
	var a struct {
		ID    string `json:"id"`
		Name  string `json:"name"`
		Flags int64  `json:"flags"`
		Owner who    `json:"owner"`
		Team  *struct {
			Owner string `json:"owner_user_id"`
		} `json:"team"`
	}
	if err := NewClient(s.Token, s.Client).Call(ctx, http.MethodGet, discordgo.EndpointApplication("@me"), nil, &a); err != nil {
		return Application{}, s.explain(err)
	}
	if a.ID == "" {
		return Application{}, errors.New("what answers is not Discord: look at the address")
	}
	app := Application{ID: a.ID, Name: a.Name, Owner: a.Owner.ID, OwnerName: a.Owner.Username, ReadsContent: a.Flags&contentFlags != 0}
	if a.Team != nil {
		app.Owner, app.OwnerName = a.Team.Owner, "the owner of its team"
	}
	return app, nil
}

// ErrNoWay means that Discord does not let the bot write to a person.
var ErrNoWay = errors.New("a bot may write only to people it shares a server with, who take direct messages from its members")

// Greet sends a text to a person without formatting.
func (s Setup) Greet(ctx context.Context, person, text string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	client := NewClient(s.Token, s.Client)
	dm, err := client.DirectChannel(ctx, person)
	if err == nil {
		for _, part := range markup.Discord.Plain(text) {
			err = errors.Join(err, client.Call(ctx, http.MethodPost, discordgo.EndpointChannelMessages(dm.ID),
				map[string]any{"content": part.Text, "allowed_mentions": map[string]any{"parse": []string{}}}, nil))
		}
	}
	var no *Error
	switch {
	case err == nil:
		return nil
	case HasCode(err, 50007, 50278), errors.As(err, &no) && no.Status == http.StatusForbidden:
		return ErrNoWay
	}
	return s.explain(err)
}

func (s Setup) explain(err error) error {
	var no *Error
	switch {
	case !errors.As(err, &no) || no.Status == 0:
		return fmt.Errorf("cannot reach Discord: %w", err)
	case no.Status == http.StatusUnauthorized:
		return errors.New("this token is not known to Discord: " + tokenAdvice)
	case no.Status == http.StatusTooManyRequests:
		return fmt.Errorf("too many calls: ask Discord again in %s", no.RetryAfter.Round(time.Second))
	}
	return fmt.Errorf("answer of Discord: %w", err)
}
