package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"errand/internal/app"
	"errand/internal/cli/console"
	"errand/internal/config"
)

type configCommands struct{ *cli }

func newConfig(shared *cli) *cobra.Command {
	c := configCommands{shared}
	cmd := group("config", "Check errand.yaml, and help editors with it", c.newConfigCheck(), c.newConfigSchema())
	// This replaces the root command's hook, which connects to a running worker.
	cmd.PersistentPreRun = func(*cobra.Command, []string) { c.ran = true }
	return cmd
}

func (c configCommands) newConfigCheck() *cobra.Command {
	var keyless bool
	cmd := &cobra.Command{
		Use: "check [FILE]", Short: "List the errors in errand.yaml with their lines; starts nothing", Args: cobra.MaximumNArgs(1),
		Long: `Reads FILE, or the file that ERRAND_CONFIG names, or errand.yaml in this folder, and
the environment. Lists every error for which errand serve would not start, and fails if
there is one.`,
		Example: `  errand config check
  errand config check --keyless deploy/errand.yaml   # where the keys are not, such as in a build`,
		RunE: func(_ *cobra.Command, args []string) error {
			src := config.Sources{Flags: config.Flags{Data: c.data}, Env: c.Getenv, Tools: app.ToolNames(), OwnTools: app.OwnToolNames(), Client: keyless}
			if len(args) > 0 {
				src.File = args[0]
			}
			cfg, err := config.Load(src)
			return c.checked(cfg, err)
		},
	}
	cmd.Flags().BoolVar(&keyless, "keyless", false, "do not require the variables and files that hold keys")
	return cmd
}

func (c configCommands) checked(cfg *config.Config, err error) error {
	if c.JSON {
		if print := c.PrintObject(configFaults(err)); print != nil || err == nil {
			return print
		}
		return &console.Failure{Code: console.ExitFailed}
	}
	if err != nil {
		return err
	}
	if cfg.File == "" {
		fmt.Fprintln(c.Out, "There is no errand.yaml here: errand uses its defaults.")
		return nil
	}
	model := console.Plural(len(cfg.Models), "1 model", "%d models")
	if cfg.Demo {
		model = "the offline demonstration model"
	}
	fmt.Fprintf(c.Out, "%s is fine: %s, %s, %s of channels.\n", line(cfg.File), console.Plural(len(cfg.Roster.Names()), "1 agent", "%d agents"), model, console.Plural(len(cfg.Channels), "1 account", "%d accounts"))
	return nil
}

type configFault struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Text string `json:"text"`
}

func configFaults(err error) []configFault {
	list := []configFault{}
	var all interface{ Unwrap() []error }
	if !errors.As(err, &all) {
		return list
	}
	for _, err := range all.Unwrap() {
		var fault *config.Error
		if errors.As(err, &fault) {
			list = append(list, configFault{fault.File, fault.Line, fault.Text})
		}
	}
	return list
}

func (c configCommands) newConfigSchema() *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of errand.yaml", Args: cobra.NoArgs,
		Long: `Prints the JSON Schema of errand.yaml. With it, an editor with the YAML language server
completes keys, explains them, and marks unknown ones. The first line of errand.yaml
names the schema:

  # yaml-language-server: $schema=errand.schema.json`,
		Example: `  errand config schema > errand.schema.json`,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(c.Out, config.Schema())
			return err
		},
	}
}
