package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"errand/internal/app"
	"errand/internal/cli/accounts"
	"errand/internal/cli/console"
	"errand/internal/config"
)

func newInit(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "init", Short: "Write a first errand.yaml from four questions", Args: cobra.NoArgs,
		Long: `Asks for the model provider, its key, the model and the language. Offers the models that
the provider lists, tries the chosen one, and asks again for what was wrong. Then writes errand.yaml, and the key into its own file
beside it that only you can read (secrets/NAME.key). It writes nothing before the model
has answered. Ctrl-C leaves everything as it was.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			in := &interview{cli: c, file: cmp.Or(c.Getenv("ERRAND_CONFIG"), "errand.yaml")}
			if err := in.mayBegin(); err != nil {
				return err
			}
			if err := in.ask(cmd.Context()); err != nil {
				return nothingWritten(cmd.Context(), err)
			}
			if err := in.write(); err != nil {
				return err
			}
			return in.greet(cmd.Context())
		},
	}
}

type provider struct {
	name, address, model string
	keys                 string // where people create its keys; empty: it may need none
}

// The interview asks for the address of the last one.
var providers = []provider{
	{"OpenAI", "https://api.openai.com/v1", "gpt-5-mini", "https://platform.openai.com/api-keys"},
	{"Anthropic", "https://api.anthropic.com/v1", "claude-sonnet-4-5", "https://console.anthropic.com/settings/keys"},
	{"another", "http://127.0.0.1:11434/v1", "", ""},
}

type interview struct {
	*cli
	file     string
	provider provider
	key      config.Secret
	models   []string // what the provider offers; empty: unknown
	model    string
	trial    app.ModelTrial
	language string
}

// mayBegin returns an error without a terminal, or if errand.yaml exists.
func (in *interview) mayBegin() error {
	if _, err := os.Lstat(in.file); err == nil {
		return console.Failf("%s already exists and stays as it is. errand config check checks it, errand doctor checks its models. To start again, move it away first", in.file)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !in.InTTY || in.JSON {
		return console.Misusef("errand init asks questions: run it on a terminal without --json, or set OPENAI_API_KEY, OPENAI_BASE_URL and ERRAND_MODEL instead")
	}
	return nil
}

func (in *interview) ask(ctx context.Context) error {
	for _, question := range []func(context.Context) error{in.askProvider, in.askKey, in.listModels, in.askModel, in.tryModel, in.askLanguage} {
		if err := question(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (in *interview) askProvider(ctx context.Context) error {
	fmt.Fprintln(in.Out, "1. Who answers for the agents?\n     1  OpenAI\n     2  Anthropic\n     3  another address that speaks OpenAI's protocol, such as Ollama on this machine")
	for {
		text, err := in.Line(ctx, "   Number [1]: ")
		if err != nil {
			return err
		}
		i := slices.Index([]string{"1", "2", "3"}, cmp.Or(text, "1"))
		if i < 0 {
			fmt.Fprintln(in.Out, "   Write 1, 2 or 3.")
			continue
		}
		in.provider = providers[i]
		if in.provider.keys == "" {
			return in.askAddress(ctx)
		}
		return nil
	}
}

func (in *interview) askAddress(ctx context.Context) error {
	for {
		text, err := in.Line(ctx, fmt.Sprintf("   Its address [%s]: ", in.provider.address))
		if err != nil {
			return err
		}
		address := strings.TrimRight(cmp.Or(text, in.provider.address), "/")
		why := config.BadAddress(address)
		if why == "" {
			in.provider.address = address
			return nil
		}
		fmt.Fprintf(in.Out, "   That is not an address: %s.\n", why)
	}
}

func (in *interview) askKey(ctx context.Context) error {
	question := "2. Its key (not shown; Enter if it needs none): "
	if in.provider.keys != "" {
		question = fmt.Sprintf("2. A key, from %s (not shown): ", in.provider.keys)
	}
	for {
		text, err := in.Secret(ctx, question)
		if err != nil {
			return err
		}
		in.key = config.Secret(strings.TrimSpace(text))
		switch held, err := os.ReadFile(in.keyPath()); {
		case in.key == "" && in.provider.keys != "":
			fmt.Fprintf(in.Out, "   %s requires a key.\n", in.provider.name)
		case in.key != "" && err == nil && strings.TrimSpace(string(held)) != in.key.Reveal():
			return console.Failf("%s already exists, with another key: move it away first. Nothing was written", in.keyPath())
		default:
			return nil
		}
	}
}

// listModels asks for the key and the address again until the provider accepts them.
func (in *interview) listModels(ctx context.Context) error {
	for {
		names, err := app.ListModels(ctx, in.chosen())
		in.models = names
		var failed *app.ModelError
		if !errors.As(err, &failed) {
			return err
		}
		if asked, err := in.askAgain(ctx, failed); err != nil || !asked {
			return err
		}
	}
}

// askAgain asks again for the key or the address if it is wrong.
func (in *interview) askAgain(ctx context.Context, failed *app.ModelError) (asked bool, err error) {
	ask := in.askAddress
	switch {
	case failed.BadKey:
		ask = in.askKey
	case !failed.BadAddress || in.provider.keys != "":
		return false, nil
	}
	fmt.Fprintln(in.Out, "   "+line(failed.Says))
	return true, ask(ctx)
}

// maxModels is how many of a provider's models are shown.
const maxModels = 20

func (in *interview) askModel(ctx context.Context) error {
	name := cmp.Or(in.model, in.provider.model)
	fmt.Fprintln(in.Out, "3. Which model?")
	if len(in.models) > 0 {
		if !slices.Contains(in.models, name) {
			name = in.models[0]
		}
		for i, model := range in.models[:min(len(in.models), maxModels)] {
			fmt.Fprintf(in.Out, "     %2d  %s\n", i+1, line(model))
		}
		if more := len(in.models) - maxModels; more > 0 {
			fmt.Fprintf(in.Out, "         and %d more\n", more)
		}
	}
	question := fmt.Sprintf("   Number or name [%s]: ", line(name))
	if name == "" {
		question = "   Its name: "
	}
	for {
		text, err := in.Line(ctx, question)
		if err != nil {
			return err
		}
		in.model = cmp.Or(text, name)
		if n, err := strconv.Atoi(text); err == nil && n > 0 && n <= len(in.models) {
			in.model = in.models[n-1]
		}
		if in.model != "" {
			return nil
		}
	}
}

func (in *interview) chosen() config.Provider {
	return config.Provider{Name: in.model, BaseURL: in.provider.address, APIKey: in.key, APIKeyEnv: "the key below"}
}

func (in *interview) tryModel(ctx context.Context) error {
	for {
		fmt.Fprintln(in.Out, "   Calling it...")
		trial, err := app.TryModel(ctx, in.chosen())
		var failed *app.ModelError
		switch {
		case err == nil:
			in.trial = trial
			fmt.Fprintln(in.Out, "   "+line(trial.Says))
			return nil
		case !errors.As(err, &failed):
			return err
		}
		asked, err := in.askAgain(ctx, failed)
		if !asked && err == nil {
			fmt.Fprintln(in.Out, "   "+line(failed.Says))
			if failed.BadName {
				err = in.askModel(ctx)
			} else {
				err = in.Enter(ctx, "   Press Enter to call it again. Ctrl-C leaves everything as it was: ")
			}
		}
		if err != nil {
			return err
		}
	}
}

func (in *interview) askLanguage(ctx context.Context) error {
	tags, err := config.Languages()
	if err != nil {
		return err
	}
	spoken := tags[0]
	for _, variable := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if locale := in.Getenv(variable); locale != "" {
			if tag, _, _ := strings.Cut(locale, "_"); slices.Contains(tags, tag) {
				spoken = tag
			}
			break
		}
	}
	for {
		text, err := in.Line(ctx, fmt.Sprintf("4. The language of errand, one of %s [%s]: ", strings.Join(tags, ", "), spoken))
		if err != nil {
			return err
		}
		if in.language = strings.ToLower(cmp.Or(text, spoken)); slices.Contains(tags, in.language) {
			return nil
		}
		fmt.Fprintf(in.Out, "   Write one of %s.\n", strings.Join(tags, ", "))
	}
}

func (in *interview) keyFile() string {
	name := strings.ToLower(in.provider.name)
	if in.provider.keys == "" {
		name = "model"
	}
	return "secrets/" + name + ".key"
}

func (in *interview) keyPath() string {
	return filepath.Join(filepath.Dir(in.file), filepath.FromSlash(in.keyFile()))
}

func (in *interview) write() error {
	t := in.trial
	file := config.NewFile{Model: in.model, BaseURL: in.provider.address, Language: in.language, Vision: t.Vision, ContextTokens: t.ContextTokens, Price: t.Price}
	made := false // this run created the key file
	if in.key != "" {
		file.KeyFile = in.keyFile()
		_, err := os.Lstat(in.keyPath())
		made = errors.Is(err, fs.ErrNotExist)
		if err := accounts.KeepSecret(in.keyPath(), in.key); err != nil {
			return err
		}
	}
	if err := file.Write(in.file, in.Getenv); err != nil {
		if made {
			err = errors.Join(err, os.Remove(in.keyPath()))
		}
		return err
	}
	fmt.Fprintln(in.Out)
	if in.key != "" {
		fmt.Fprintf(in.Out, "The key is in %s, which only you can read.\n", in.keyPath())
	}
	fmt.Fprintf(in.Out, "Wrote %s: %s answers for all agents.\n", in.file, line(in.model))
	return nil
}

func nothingWritten(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return console.Failf("interrupted; nothing was written")
	case errors.Is(err, io.EOF):
		return console.Failf("the input ended; nothing was written")
	}
	return err
}
