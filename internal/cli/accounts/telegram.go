package accounts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"errand/internal/cli/console"

	"errand/internal/channels/telegram"
	"errand/internal/config"
)

func newAddTelegram(c *console.Console, w *console.Worker) *cobra.Command {
	a := &addition{Console: c, Worker: w, kind: config.Telegram}
	return a.command(&cobra.Command{
		Use: "telegram", Short: "Set up a Telegram bot",
		Long: `Checks a bot's token with Telegram, saves it in its own file that only you can read
(secrets/telegram-ACCOUNT.token, beside errand.yaml), adds the account to errand.yaml,
and greets the first person who writes to the bot. For an existing account it replaces
the token.`,
		Example: `  errand channels add telegram
  errand channels add telegram --account finn --agent finn
  errand channels add telegram --json < token.txt`,
	}, a.telegram)
}

func (a *addition) telegram(ctx context.Context) error {
	if a.tokenFile == "" && a.tokenEnv == "" {
		a.steps("Open https://t.me/BotFather in Telegram and send it /newbot. It asks for a name, and for a username that ends in bot.",
			"It answers with a token, such as 123456789:AbCd… (for an existing bot: /token). Copy it.")
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
	a.printf("Telegram accepts the token. The bot is @%s.", console.Line(bot.Username))
	done := &added{Name: bot.Username, Link: bot.Link()}
	if err := a.keep(token, done); err != nil {
		return err
	}
	a.printf("People find the bot at %s", done.Link)
	if a.greet {
		a.greetTelegram(ctx, setup, bot, done)
	}
	return a.finish(done)
}

// greetTelegram waits for a first message, because a bot cannot start a chat. A failure
// does not undo the setup.
func (a *addition) greetTelegram(ctx context.Context, setup telegram.Setup, bot telegram.Bot, done *added) {
	a.printf("\nOpen %s and press Start: the bot greets you. Ctrl-C skips this.", done.Link)
	who, err := setup.Await(ctx)
	if err == nil {
		err = setup.Greet(ctx, who.Chat, fmt.Sprintf("Hello %s. This is errand. It reads your messages here as soon as its worker runs.", who.Name))
	}
	switch {
	case err == nil:
		done.Greeted = who.Name
		a.printf("%s wrote to @%s, and the bot answered.", cmp.Or(console.Line(who.Name), "Somebody"), console.Line(bot.Username))
	case ctx.Err() != nil:
		a.printf("Nobody was greeted.")
	case errors.Is(err, telegram.ErrInUse):
		done.Note = fmt.Sprintf("Nobody was greeted: %s.", err.Error())
	default:
		done.Note = fmt.Sprintf("Nobody was greeted: %s", err.Error())
	}
}
