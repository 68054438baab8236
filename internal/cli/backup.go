package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"errand/internal/app"
	"errand/internal/backup"
	"errand/internal/config"
	"errand/internal/version"
)

func newBackup(c *cli) *cobra.Command {
	secrets := false
	cmd := &cobra.Command{
		Use: "backup FILE", Short: "Write a backup of everything that errand knows into a new file", Args: cobra.ExactArgs(1),
		Long: "Run it where the data folder is, or with the same DATABASE_URL. errand may run meanwhile.\n" +
			"errand.yaml, the files that it names and the folders of MCP servers are not part of a backup.",
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := c.installation()
			if err != nil {
				return err
			}
			m, err := backup.Write(cmd.Context(), o, args[0], secrets)
			if err != nil {
				return fmt.Errorf("back up: %w", err)
			}
			if c.JSON {
				return c.PrintObject(m)
			}
			fmt.Fprintf(c.Out, "%s has everything up to %s.\n", line(args[0]), m.Copy.Moment())
			if secrets {
				fmt.Fprintln(c.Out, "Keep it as safe as the data folder: it contains keys and logins.")
			} else {
				fmt.Fprintln(c.Out, "Keys, tokens and logins are not in it. With --secrets they are.")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&secrets, "secrets", false, "with the owner's key, tokens, logins, keys of push and webhooks, and WhatsApp's device")
	return cmd
}

func newRestore(c *cli) *cobra.Command {
	verify := false
	cmd := &cobra.Command{
		Use: "restore FILE", Short: "Restore a backup into an empty data folder or database", Args: cobra.ExactArgs(1),
		Long: "Stop the errand that made the backup first: two copies would answer the same people.",
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := c.installation()
			if err != nil {
				return err
			}
			m, err := backup.Verify(o, args[0])
			if err != nil {
				return fmt.Errorf("%s cannot be restored: %w", args[0], err)
			}
			if !verify {
				if err := c.restore(cmd, o, args[0]); err != nil {
					return err
				}
			}
			if c.JSON {
				return c.PrintObject(m)
			}
			if verify {
				fmt.Fprintf(c.Out, "%s is whole. It is from %s, made by errand %s.\n", line(args[0]), m.Copy.Moment(), line(m.Errand))
				return nil
			}
			into := line(o.Data)
			if o.Store.PostgreSQL != "" {
				into = "the PostgreSQL database"
			}
			fmt.Fprintf(c.Out, "%s is restored into %s. It is from %s: what came after that is lost.\n", line(args[0]), into, m.Copy.Moment())
			fmt.Fprintln(c.Out, "A message that may repeat an earlier one says so. What to do now:")
			for _, step := range toDo(m) {
				fmt.Fprintln(c.Out, "- "+step)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&verify, "verify", false, "only check that the file is whole and can be restored")
	return cmd
}

// installation reads the whole configuration, because another database would be a mistake.
func (c *cli) installation() (backup.Options, error) {
	cfg, err := config.Load(config.Sources{Env: c.Getenv, Flags: config.Flags{Data: c.data, PortOffset: c.portOffset}, Client: true})
	if err != nil {
		return backup.Options{}, err
	}
	return app.BackupOptions(cfg, version.Number()), nil
}

func (c *cli) restore(cmd *cobra.Command, o backup.Options, file string) error {
	if err := backup.CheckEmpty(cmd.Context(), o); err != nil { // before the lock makes the folder
		return err
	}
	unlock, err := app.LockData(o.Data)
	if err != nil {
		return err
	}
	defer unlock()
	return backup.Restore(cmd.Context(), o, file)
}

// leftOut are the steps that make up for rows that a backup leaves out.
var leftOut = []struct{ table, step string }{
	{"connections", "WhatsApp: link the phone again (errand channels add whatsapp)."},
	{"tokens", "People ask for access again in their browsers (errand users approve CODE --as NAME), and programs need new tokens (errand tokens add)."},
	{"push_subscriptions", "People who want notifications of their browser turn them on again on the page."},
	{"webhook_keys", "Webhooks are signed with a new key: give it to their receivers (errand hooks secret)."},
	{"a2a_pushes", "A2A clients that get push notifications ask for them again."},
}

func toDo(m backup.Manifest) []string {
	steps := []string{"Copy errand.yaml and the files that it names: they are not in a backup."}
	if !m.Secrets {
		steps = append(steps, "The owner's key is new: errand open logs your browser in, and programs that used the old key need the new one.")
		for _, l := range leftOut {
			if m.Copy.LeftOut[l.table] > 0 {
				steps = append(steps, l.step)
			}
		}
	}
	return slices.Concat(steps, []string{"If errand uses a Temporal cluster that it used before, start it once with --take-over: that ends the old runs.",
		"Start errand."})
}
