package accounts

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"errand/internal/cli/console"

	"errand/internal/channels/discord"
	"errand/internal/config"
)

func newAddDiscord(c *console.Console, w *console.Worker) *cobra.Command {
	a := &addition{Console: c, Worker: w, kind: config.Discord}
	return a.command(&cobra.Command{
		Use: "discord", Short: "Set up a Discord bot",
		Long: `Checks a bot's token with Discord, and that the bot may read messages. Saves the
token in its own file that only you can read (secrets/discord-ACCOUNT.token, beside
errand.yaml), adds the account to errand.yaml, prints the link that adds the bot to a
server, and writes to the owner of the application. For an existing account it
replaces the token.`,
		Example: `  errand channels add discord
  errand channels add discord --account finn --agent finn
  errand channels add discord --json < token.txt`,
	}, a.discord)
}

func (a *addition) discord(ctx context.Context) error {
	if a.tokenFile == "" && a.tokenEnv == "" {
		a.steps(fmt.Sprintf("Open %s and choose New Application.", discord.Portal),
			"Under Bot, switch on Message Content Intent (Privileged Gateway Intents), and save.",
			"There too, choose Reset Token, and copy the token.")
	}
	token, err := a.token(ctx)
	if err != nil {
		return err
	}
	setup := discord.Setup{Token: token.Reveal()}
	if a.url != "" {
		if setup.Client, _, err = discord.Redirect(a.url); err != nil {
			return console.Misusef("--url: want an address such as http://127.0.0.1:8081")
		}
	}
	app, err := a.identifyDiscord(ctx, setup)
	if err != nil {
		return err
	}
	done := &added{Name: app.Name, Link: app.Invite()}
	if err := a.keep(token, done); err != nil {
		return err
	}
	a.printf("\nOpen this page to add the bot to your server:\n\n  %s\n", done.Link)
	if a.greet {
		a.greetDiscord(ctx, setup, app, done)
	}
	return a.finish(done)
}

// identifyDiscord waits until the bot may read messages, because it cannot connect otherwise.
func (a *addition) identifyDiscord(ctx context.Context, setup discord.Setup) (discord.Application, error) {
	for {
		app, err := setup.Identify(ctx)
		if err != nil {
			return app, &console.Failure{Code: console.ExitFailed, Text: err.Error()}
		}
		if app.ReadsContent {
			a.printf("Discord accepts the token. The bot is %s.", console.Line(app.Name))
			return app, nil
		}
		if !a.InTTY || a.JSON {
			return app, console.Failf("the bot may not read messages: switch on Message Content Intent at %s, save, and run this again", app.Switches())
		}
		a.printf("The bot may not read messages. Switch on Message Content Intent here, and save:\n\n  %s\n", app.Switches())
		if err := a.Enter(ctx, "Press Enter when you have done that: "); err != nil {
			return app, err
		}
	}
}

// greetDiscord sends a message to the application's owner. A failure does not undo the setup.
func (a *addition) greetDiscord(ctx context.Context, setup discord.Setup, app discord.Application, done *added) {
	if app.Owner == "" {
		done.Note = "Discord does not name the application's owner: write to the bot yourself."
		return
	}
	patient := a.InTTY && !a.JSON
	for {
		if patient {
			if a.Enter(ctx, "Press Enter when the bot is in the server, and it will write to you. Ctrl-C skips this: ") != nil {
				a.printf("Nobody was greeted.")
				return
			}
		}
		err := setup.Greet(ctx, app.Owner, "Hello. This is errand. It reads your messages here as soon as its worker runs.")
		switch {
		case err == nil:
			done.Greeted = app.OwnerName
			a.printf("The bot greeted %s in a direct message.", console.Line(app.OwnerName))
			return
		case errors.Is(err, discord.ErrNoWay) && patient:
			a.printf("That did not work: %v. Check that the bot is in one of your servers, and that the server's Privacy Settings allow direct messages.", err)
		case errors.Is(err, discord.ErrNoWay):
			done.Note = fmt.Sprintf("Nobody was greeted: %s. Add the bot to a server with the link, then write to it yourself.", err.Error())
			return
		default:
			done.Note = fmt.Sprintf("Nobody was greeted: %s", err.Error())
			return
		}
	}
}
