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
		Use: "discord", Short: "Set up a bot of Discord's",
		Long: `errand channels add discord checks the token of a bot with Discord, and that it may
read what people write; keeps the token in a file of its own that only you can read
(secrets/discord-ACCOUNT.token, beside errand.yaml), writes the account into
errand.yaml, prints the link that lets the bot into a server, and writes to the
owner of the application. For an account that is there already, it takes in a new token.`,
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
	a.printf("\nOpen this page to let the bot into a server of yours:\n\n  %s\n", done.Link)
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
			a.printf("Discord knows the token: it is that of %s.", console.Line(app.Name))
			return app, nil
		}
		if !a.InTTY || a.JSON {
			return app, console.Failf("the bot may not read what people write: switch on Message Content Intent at %s, save, and do this again", app.Switches())
		}
		a.printf("The bot may not read what people write. Switch on Message Content Intent here, and save:\n\n  %s\n", app.Switches())
		if err := a.Enter(ctx, "Press Enter when that is done: "); err != nil {
			return app, err
		}
	}
}

// greetDiscord sends a message to the application's owner. A failure does not undo the setup.
func (a *addition) greetDiscord(ctx context.Context, setup discord.Setup, app discord.Application, done *added) {
	if app.Owner == "" {
		done.Note = "Discord does not say whose the application is: write to the bot yourself."
		return
	}
	patient := a.InTTY && !a.JSON
	for {
		if patient {
			if a.Enter(ctx, "Press Enter when the bot is in the server, and it writes to you. Ctrl-C leaves that out: ") != nil {
				a.printf("Nobody was greeted.")
				return
			}
		}
		err := setup.Greet(ctx, app.Owner, "Hello. This is errand: what you write here reaches it as soon as its worker runs.")
		switch {
		case err == nil:
			done.Greeted = app.OwnerName
			a.printf("%s was greeted, in direct messages.", console.Line(app.OwnerName))
			return
		case errors.Is(err, discord.ErrNoWay) && patient:
			a.printf("That did not work: %v (Privacy Settings of the server). Is the bot in a server that you are in?", err)
		case errors.Is(err, discord.ErrNoWay):
			done.Note = fmt.Sprintf("Nobody was greeted: %s. Let it into one with the link; then write to it yourself.", err.Error())
			return
		default:
			done.Note = fmt.Sprintf("Nobody was greeted: %s", err.Error())
			return
		}
	}
}
