package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

func (c sessionCommands) newSessionsExport() *cobra.Command {
	var format, file, all, who string
	cmd := &cobra.Command{
		Use: "export [ID]", Short: "Write a session as Markdown or JSON, or all sessions into a folder", Args: cobra.MaximumNArgs(1),
		Example: `  errand sessions export 0b7e1c2d -o oslo.md
  errand sessions export --all backup`,
		ValidArgsFunction: c.completeSessions,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case (all != "") == (len(args) > 0):
				return console.Misusef("give the ID of a session, or --all and a folder")
			case all != "":
				return c.exportAll(cmd.Context(), all, who)
			}
			if c.JSON && !cmd.Flags().Changed("format") {
				format = "json"
			}
			if format != "markdown" && format != "json" {
				return console.Misusef("--format %q: want markdown or json", format)
			}
			raw, err := c.export(cmd.Context(), args[0], format)
			if err != nil {
				return c.WithHint(err, "sessions list")
			}
			if format == "json" {
				raw = cleanJSON(raw)
			} else {
				raw = []byte(clean(string(raw)))
			}
			return c.save(file, append([]byte(strings.TrimRight(string(raw), "\n")), '\n'))
		},
	}
	cmd.Flags().StringVar(&format, "format", "markdown", "markdown or json")
	cmd.Flags().StringVarP(&file, "output", "o", "", "the file to write (default: print it)")
	cmd.Flags().StringVar(&all, "all", "", "write every session into this folder, as JSON, with the index sessions.json")
	cmd.Flags().StringVar(&who, "person", "", "with --all: "+whosePerson)
	return cmd
}

func (c sessionCommands) export(ctx context.Context, id, format string) ([]byte, error) {
	resp, err := api.Open(ctx, c.API(), api.ExportSession, api.ExportSessionInput{SessionID: api.SessionID{ID: core.SessionID(id)}, Format: format})
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

func (c sessionCommands) save(file string, raw []byte) error {
	if file == "" || file == "-" {
		_, err := c.Out.Write(raw)
		return err
	}
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		return fmt.Errorf("write the export: %w", err)
	}
	fmt.Fprintf(c.Err, "Written to %s, %d bytes.\n", line(file), len(raw))
	return nil
}

func (c sessionCommands) newSessionsDelete() *cobra.Command {
	var force, yes bool
	cmd := &cobra.Command{
		Use: "delete ID", Short: "Delete a session permanently; asks first, and outside a terminal needs --yes", Args: cobra.ExactArgs(1),
		Long: `Deletes its messages, tasks and notes, and the histories of its workflows. You cannot
undo this; errand sessions export keeps a copy.`,
		ValidArgsFunction: c.completeSessions,
		RunE: func(cmd *cobra.Command, args []string) error {
			id := args[0]
			if !yes {
				s, err := c.confirmDelete(cmd.Context(), id)
				if err != nil {
					return err
				}
				id = string(s)
			}
			deleted, err := api.Call(cmd.Context(), c.API(), api.DeleteSession,
				api.DeleteSessionInput{SessionID: api.SessionID{ID: core.SessionID(id)}, Force: force})
			d, done, err := console.One(&c.Console, deleted, atWork(c.WithHint(err, "sessions list")))
			if done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "Session %s is deleted: %s.\n", line(string(d.Session)), cmp.Or(counts(d.Removed), "there was nothing in it"))
			return nil
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "even if its tasks are open: cancel them")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func atWork(err error) error {
	var no *api.Problem
	if !errors.As(err, &no) || no.Code != "open_tasks" {
		return err
	}
	return &api.Problem{Status: no.Status, Code: no.Code, Message: no.Message + " (--force)"}
}

func (c sessionCommands) confirmDelete(ctx context.Context, id string) (core.SessionID, error) {
	if err := c.CanConfirm(); err != nil {
		return "", err
	}
	shown, err := c.session(ctx, id)
	if unknown := (*api.UnknownAnswerError)(nil); errors.As(err, &unknown) {
		return "", console.ErrNotUnderstood
	}
	if err != nil {
		return "", c.WithHint(err, "sessions list")
	}
	s := shown.Value.Session
	if s.ID == "" {
		return "", console.ErrNotUnderstood
	}
	return s.ID, c.Confirm(ctx, fmt.Sprintf("Delete session %s permanently: %s %s, %s, last %s?", short(s.ID), line(s.Route.Channel), line(s.Route.Chat), console.Plural(s.Turns, "1 turn", "%d turns"), c.Ago(s.Active)))
}

// counts uses the worker's names, so that it also prints those it does not know.
func counts(report map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(report)) {
		if n := report[name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", strings.ReplaceAll(name, "_", " "), n))
		}
	}
	return line(strings.Join(parts, ", "))
}
