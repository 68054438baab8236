package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

type memoryCommands struct{ *cli }

func newMemory(shared *cli) *cobra.Command {
	c := memoryCommands{shared}
	return group("memory", "Show the agents' notes, and delete them", c.newMemoryList(), c.newMemoryShow(), c.newMemoryForget())
}

func (c memoryCommands) newMemoryList() *cobra.Command {
	var agent, prefix, who string
	cmd := &cobra.Command{
		Use: "list", Short: "List the notes", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			id, err := c.personID(cmd.Context(), who)
			if err != nil {
				return err
			}
			notes, err := c.notes(cmd.Context(), agent, prefix, id)
			list, done, err := console.Page(&c.Console, notes, err)
			if done || err != nil {
				return err
			}
			if len(list) == 0 {
				fmt.Fprintln(c.Out, "No notes.")
				return nil
			}
			t := &console.Table{Head: []string{"AGENT", "KEY", "UPDATED", "EXPIRES", "NOTE"}, Loose: []int{4}}
			names := map[core.PersonID]string{}
			if who != "" {
				t.Head = append(t.Head, "PERSON")
				names = c.names(cmd.Context())
			}
			for _, n := range list {
				cells := []string{string(n.Agent), n.Key, c.Ago(n.Updated), c.Ahead(n.Expires), n.Value}
				if who != "" {
					cells = append(cells, cmp.Or(names[n.Person], string(n.Person)))
				}
				t.Add(cells...)
			}
			c.PrintTable(t)
			return nil
		},
	}
	cmd.Flags().StringVar(&agent, "agent", "", "only notes of this agent")
	cmd.Flags().StringVar(&prefix, "prefix", "", "only notes whose key begins with this")
	cmd.Flags().StringVar(&who, "person", "", whosePerson)
	return cmd
}

func (c memoryCommands) notes(ctx context.Context, agent, prefix, person string) (api.Answer[api.List[core.PersonNote]], error) {
	in := api.ListNotesInput{Agent: agent, Prefix: prefix, Person: api.Person{Person: core.PersonID(person)}}
	return api.Call(ctx, c.API(), api.ListNotes, in)
}

func (c memoryCommands) newMemoryShow() *cobra.Command {
	var who string
	cmd := &cobra.Command{
		Use: "show AGENT KEY", Short: "Show one note in full", Args: cobra.ExactArgs(2), ValidArgsFunction: c.completeNotes,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := c.personID(cmd.Context(), who)
			if err != nil {
				return err
			}
			notes, err := c.notes(cmd.Context(), args[0], args[1], id)
			if err != nil {
				return err
			}
			for i, n := range notes.Value.Items {
				if n.Key == args[1] {
					return c.showNote(notes.Raw, i, n)
				}
			}
			return noNote(args)
		},
	}
	cmd.Flags().StringVar(&who, "person", "", "the person it is about (id or name)")
	return cmd
}

func (c memoryCommands) showNote(raw []byte, i int, n core.PersonNote) error {
	if c.JSON {
		rows, err := console.Rows(raw)
		if err != nil {
			return err
		}
		return c.PrintJSON(rows[i])
	}
	c.Field("agent", line(string(n.Agent)))
	c.Field("key", line(n.Key))
	c.Field("updated", c.Ago(n.Updated))
	if !n.Expires.IsZero() {
		c.Field("expires", c.Ahead(n.Expires))
	}
	fmt.Fprintf(c.Out, "\n%s\n", strings.TrimSpace(clean(n.Value)))
	return nil
}

func noNote(args []string) error {
	return console.Failf("%s has no note %q: see errand memory list", args[0], args[1])
}

func (c memoryCommands) newMemoryForget() *cobra.Command {
	var who string
	cmd := &cobra.Command{
		Use: "forget AGENT KEY", Short: "Delete a note of an agent", Args: cobra.ExactArgs(2), ValidArgsFunction: c.completeNotes,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := c.personID(cmd.Context(), who)
			if err != nil {
				return err
			}
			forgotten, err := api.Call(cmd.Context(), c.API(), api.DeleteNote, api.DeleteNoteInput{
				Agent: args[0], Key: args[1], Person: core.PersonID(id)})
			if console.IsNotFound(err) {
				return noNote(args)
			}
			if _, done, err := console.One(&c.Console, forgotten, err); done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "%s has forgotten %s.\n", line(args[0]), line(args[1]))
			return nil
		},
	}
	cmd.Flags().StringVar(&who, "person", "", "the person it is about (id or name)")
	return cmd
}

func (c memoryCommands) completeNotes(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	seen := map[core.AgentName]bool{}
	return offer(c.cli, cmd, listed(api.ListNotes, api.ListNotesInput{}), func(n core.PersonNote) string {
		switch {
		case len(args) == 0 && !seen[n.Agent]:
			seen[n.Agent] = true
			return choice(string(n.Agent), "")
		case len(args) == 1 && strings.EqualFold(string(n.Agent), args[0]):
			return choice(n.Key, n.Value)
		}
		return ""
	})
}
