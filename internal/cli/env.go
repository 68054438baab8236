package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"errand/internal/cli/console"
	"errand/internal/config"
	"errand/internal/ownerkey"
	"errand/internal/temporal/devserver"
)

type envCommand struct{ *cli }

func newEnv(shared *cli) *cobra.Command {
	c := envCommand{shared}
	return &cobra.Command{
		Use:   "env",
		Short: `Print what Temporal's command "temporal" needs to reach the embedded Temporal: eval "$(errand env)"`,
		Long: "Prints lines for a shell that set the address, the namespace and the key of the embedded Temporal, which asks for the owner's key.\n" +
			"The key is read from " + ownerkey.File + " in the data folder, or from " + ownerkey.Env + ". Anyone who has it is the owner. Use a separate shell, and\n" +
			"start no worker in it: the worker would take the embedded Temporal for a cluster.",
		Example: "  eval \"$(errand env)\"\n  temporal workflow list\n  temporal workflow signal --workflow-id t-… --name cancel --input '\"no longer needed\"'",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, _ := c.dataFolder()
			key, err := c.ownersKey(dir)
			if err != nil {
				return &console.Failure{Code: console.ExitFailed, Text: err.Error()}
			}
			at := net.JoinHostPort(devserver.DefaultHost, strconv.Itoa(devserver.DefaultPort+c.portOffset))
			return c.printEnv(devserver.ClientEnv(at, devserver.DefaultNamespace, key))
		},
	}
}

func (c envCommand) ownersKey(dir string) (string, error) {
	key, err := config.Variable(c.Getenv, ownerkey.Env)
	if key != "" || err != nil {
		return key, err
	}
	key, err = ownerkey.Read(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("there is no %s in %s: name the worker's data folder with --data or ERRAND_DATA, or set %s. The worker creates the key at its first start", ownerkey.File, dir, ownerkey.Env)
	}
	return key, err
}

func (c envCommand) printEnv(vars []string) error {
	object := map[string]string{}
	for _, v := range vars {
		name, value, _ := strings.Cut(v, "=")
		object[name] = value
		if !c.JSON {
			fmt.Fprintf(c.Out, "export %s=%s\n", name, quoteShell(value))
		}
	}
	if !c.JSON {
		return nil
	}
	raw, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return c.PrintJSON(raw)
}

func quoteShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
