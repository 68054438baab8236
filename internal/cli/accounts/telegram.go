package accounts

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"errand/internal/cli/client"
	"errand/internal/cli/console"
	"errand/internal/config"
	"errand/internal/platform/telegram"
	"errand/internal/printable"
)

func newAddTelegram(c *console.Console, w *client.Worker) *cobra.Command {
	a := &addition{Console: c, Worker: w, kind: config.Telegram}
	return a.command(&cobra.Command{
		Use: "telegram", Short: "Set up a bot of Telegram's",
		Long: `errand channels add telegram checks the token of a bot with Telegram, keeps it in a
file of its own that only you can read (secrets/telegram-ACCOUNT.token, beside
errand.yaml), writes the account into errand.yaml, and greets whoever writes to the
bot first. For an account that is there already, it takes in a new token.`,
		Example: `  errand channels add telegram
  errand channels add telegram --account finn --agent finn
  errand channels add telegram --json < token.txt`,
	}, a.telegram)
}

func (a *addition) telegram(ctx context.Context) error {
	if a.tokenFile == "" && a.tokenEnv == "" {
		a.steps(a.Sayf("Open https://t.me/BotFather in Telegram and send it /newbot. It asks for a name, and for a username that ends in bot."),
			a.Sayf("It answers with a token, such as 123456789:AbCd… (of a bot that is there: /token). Copy it."))
	}
	token, err := a.token(ctx)
	if err != nil {
		return err
	}
	setup := telegram.Setup{Token: token.Reveal(), URL: strings.TrimSpace(a.url)}
	bot, err := setup.Identify(ctx)
	if err != nil {
		return &console.Failure{Code: console.ExitFailed, Text: err.Error()}
	}
	a.printf("Telegram knows the token: it is @%s's.", printable.Line(bot.Username))
	done := &added{Name: bot.Username, Link: bot.Link()}
	if err := a.keep(token, done); err != nil {
		return err
	}
	a.printf("People find it at %s", done.Link)
	if a.greet {
		a.greetTelegram(ctx, setup, bot, done)
	}
	return a.finish(done)
}

// greetTelegram answers whoever writes first: a bot cannot begin. That it comes to
// nothing does not undo what was done.
func (a *addition) greetTelegram(ctx context.Context, setup telegram.Setup, bot telegram.Bot, done *added) {
	a.printf("\nOpen %s and press Start: you will be greeted. Ctrl-C leaves that out.", done.Link)
	who, err := setup.Await(ctx)
	if err == nil {
		err = setup.Greet(ctx, who.Chat, a.Sayf("Hello %s. This is errand: what you write here reaches it as soon as its worker runs.", who.Name))
	}
	switch {
	case err == nil:
		done.Greeted = who.Name
		a.printf("%s wrote to @%s and was greeted.", cmp.Or(printable.Line(who.Name), a.Sayf("Somebody")), printable.Line(bot.Username))
	case ctx.Err() != nil:
		a.printf("Nobody was greeted.")
	case errors.Is(err, telegram.ErrInUse):
		done.Note = a.Sayf("Nobody was greeted: %s.", err.Error())
	default:
		done.Note = a.Sayf("Nobody was greeted: %s", err.Error())
	}
}
