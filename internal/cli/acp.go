package cli

import (
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"errand/internal/bridge"
	"errand/internal/version"
)

func newACP(shared *cli) *cobra.Command {
	c := editorCommands{shared}
	var approve bool
	cmd := &cobra.Command{
		Use: "acp", Short: "Serve an editor that speaks the Agent Client Protocol", Args: cobra.NoArgs,
		Long: "It speaks ACP over standard input and output with the editor that started it: errand's agents answer in the editor, and its conversations are also on the page. " +
			"On a terminal it prints the settings that such an editor needs.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.InTTY {
				return c.printACPSettings(approve)
			}
			log := slog.New(slog.NewTextHandler(c.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
			return bridge.RunACP(cmd.Context(), c.Worker, bridge.Options{Version: version.Number(), Approve: approve}, c.In, c.Out, log)
		},
	}
	cmd.Flags().BoolVar(&approve, "approve", false, "show approvals as permission requests of the editor; only for an editor that asks you about each one")
	return cmd
}

func (c editorCommands) printACPSettings(approve bool) error {
	program, env := c.startedBy()
	args := []string{"acp"}
	if approve {
		args = append(args, "--approve")
	}
	settings, err := json.MarshalIndent(map[string]any{"agent_servers": map[string]any{"errand": map[string]any{
		"type": "custom", "command": program, "args": args, "env": env}}}, "", "  ")
	if err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "%s\n\n", settings)
	fmt.Fprintln(c.Out, "This is how Zed's settings name an agent; docs/editors.md has other editors.")
	return nil
}
