// Package accounts sets up errand's accounts on platforms, step by step: it checks a token
// or shows a QR code, and writes the account into errand.yaml.
package accounts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"errand/internal/cli/console"

	"errand/internal/config"
)

// Commands returns the commands that set up an account, one for each platform.
func Commands(c *console.Console, w *console.Worker) []*cobra.Command {
	return []*cobra.Command{newAddTelegram(c, w), newAddDiscord(c, w), newAddWhatsApp(c, w)}
}

type addition struct {
	*console.Console
	*console.Worker
	kind, account, agent, url string
	file, tokenFile, tokenEnv string
	greet, there              bool
	wait                      time.Duration
	// Number of the phone to link; empty: any phone that scans the code.
	phone  string
	keeps  string // where an existing account keeps its token
	others []config.Channel
}

type added struct {
	Account   string `json:"account"`
	Name      string `json:"name,omitempty"` // on the platform
	Link      string `json:"link,omitempty"` // for people to find the bot or add it to a server
	File      string `json:"file"`
	TokenFile string `json:"token_file,omitempty"`
	Replaced  bool   `json:"replaced,omitempty"` // an existing account got another token
	Greeted   string `json:"greeted,omitempty"`
	Note      string `json:"note,omitempty"`
}

func (a *addition) command(cmd *cobra.Command, add func(context.Context) error) *cobra.Command {
	flags := cmd.Flags()
	flags.StringVar(&a.account, "account", "main", "what errand calls the account")
	flags.StringVar(&a.agent, "agent", "", "the agent that answers there first (default: the primary agent)")
	flags.StringVar(&a.url, "url", "", "another server than the platform's own, for development")
	flags.StringVar(&a.file, "config", "", "the configuration file to write to (ERRAND_CONFIG; default errand.yaml)")
	if a.kind != config.WhatsApp {
		flags.StringVar(&a.tokenFile, "token-file", "", "read the token from this file (default: ask on a terminal, otherwise read stdin)")
		flags.StringVar(&a.tokenEnv, "token-env", "", "use the token in this environment variable")
		flags.BoolVar(&a.greet, "greet", false, "send a first message (default on a terminal; --greet=false skips it)")
	}
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if !flags.Changed("greet") {
			a.greet = a.InTTY && !a.JSON
		}
		a.file = cmp.Or(a.file, a.Getenv("ERRAND_CONFIG"), "errand.yaml")
		if err := a.readConfig(); err != nil {
			return err
		}
		return add(cmd.Context())
	}
	return cmd
}

var (
	accountName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)
	variable    = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`)
)

func (a *addition) readConfig() error {
	if !accountName.MatchString(a.account) {
		return console.Misusef("--account: a name has 1 to 32 of a to z, 0 to 9, - and _")
	}
	if _, err := os.Stat(a.file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	cfg, err := config.Load(config.Sources{File: a.file, Env: a.Getenv, Client: true})
	if err != nil {
		return console.Failf("fix %s first: %v", a.file, err)
	}
	for _, ch := range cfg.Channels {
		if ch.Kind != a.kind || ch.Account != a.account {
			a.others = append(a.others, ch)
			continue
		}
		a.there = true
		// Only the token of an existing entry may change here.
		if a.keeps = ch.TokenFrom; a.agent != "" && string(ch.Agent) != a.agent || a.url != "" && strings.TrimRight(a.url, "/") != ch.URL {
			return console.Failf("%s is already in %s, line %d: change it there", ch.At(), a.file, ch.Line)
		}
		a.url = cmp.Or(a.url, ch.URL)
	}
	return nil
}

// printf prints nothing with --json, because programs get one object at the end.
func (a *addition) printf(format string, args ...any) {
	if !a.JSON {
		fmt.Fprintf(a.Out, format+"\n", args...)
	}
}

func (a *addition) token(ctx context.Context) (config.Secret, error) {
	token, err := a.readToken(ctx)
	if err != nil {
		return "", err
	}
	if why := config.BadToken(a.kind, token); why != "" {
		return "", console.Failf("this %s", why)
	}
	for _, ch := range a.others {
		if ch.Kind == a.kind && a.sameBot(a.stored(ch.TokenFrom), token) {
			return "", console.Failf("%s already uses this token: create another bot for this account", ch.At())
		}
	}
	if before := a.stored(a.keeps); before != "" && !a.sameBot(before, token) {
		return "", console.Failf("this token belongs to another bot than the one of %s/%s: choose another name with --account, or remove the account from %s first", a.kind, a.account, a.file)
	}
	return token, nil
}

func (a *addition) readToken(ctx context.Context) (config.Secret, error) {
	var text string
	var err error
	switch {
	case a.tokenEnv != "" && a.tokenFile != "":
		return "", console.Misusef("give either --token-env or --token-file, not both")
	case a.tokenEnv != "":
		text = a.Getenv(a.tokenEnv)
	case a.tokenFile != "":
		text, err = readShort(a.tokenFile)
	case a.InTTY:
		text, err = a.Secret(ctx, "Token (not shown): ")
	default:
		text, err = readAllShort(a.In)
	}
	switch {
	case errors.Is(err, errTooLong):
		return "", console.Failf("this is too long for a token")
	case err != nil:
		return "", err
	}
	if text = strings.TrimSpace(text); text == "" {
		if a.tokenEnv != "" {
			return "", console.Failf("there is no token: the environment variable %s is not set", a.tokenEnv)
		}
		return "", console.Failf("there is no token")
	}
	return config.Secret(text), nil
}

func (a *addition) stored(from string) config.Secret {
	if from == "" {
		return ""
	}
	if text, err := readShort(from); err == nil {
		return config.Secret(strings.TrimSpace(text))
	}
	return config.Secret(strings.TrimSpace(a.Getenv(from)))
}

func (a *addition) sameBot(one, other config.Secret) bool {
	end := map[string]string{config.Telegram: ":", config.Discord: "."}[a.kind]
	x, _, _ := strings.Cut(one.Reveal(), end)
	y, _, _ := strings.Cut(other.Reveal(), end)
	return x == y
}

func (a *addition) finish(done *added) error {
	if a.JSON {
		return a.PrintObject(done)
	}
	if done.Note != "" {
		fmt.Fprintln(a.Out, console.Text(done.Note))
	}
	a.printf("Next: run errand serve, or restart it if it runs. Then errand channels list shows whether the account is connected.")
	return nil
}
