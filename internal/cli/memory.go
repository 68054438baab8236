package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"errand"
	api "errand/client"
	"errand/internal/cli/client"
	"errand/internal/cli/console"
)

func newMemory(c *cli) *cobra.Command {
	return group("memory", "See what agents have noted, and have it forgotten", newMemoryList(c), newMemoryShow(c), newMemoryForget(c))
}

func newMemoryList(c *cli) *cobra.Command {
	var agent, prefix, who string
	cmd := &cobra.Command{
		Use: "list", Short: "List the notes", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			id, err := c.personID(cmd.Context(), who)
			if err != nil {
				return err
			}
			notes, err := c.API().ListNotes(cmd.Context(), &api.ListNotesParams{Agent: strings.ToLower(agent), Prefix: prefix, Person: id})
			rows, done, err := console.List(&c.Console, notes, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				c.Printlnf("No notes.")
				return nil
			}
			t := &console.Table{Head: []string{"AGENT", "KEY", "UPDATED", "EXPIRES", "NOTE"}, Loose: []int{4}}
			names := map[errand.PersonID]string{}
			if who != "" {
				t.Head = append(t.Head, "PERSON")
				names = c.names(cmd.Context())
			}
			for _, n := range rows {
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
	cmd.Flags().StringVar(&agent, "agent", "", "only those of this agent")
	cmd.Flags().StringVar(&prefix, "prefix", "", "only those whose key begins so")
	cmd.Flags().StringVar(&who, "person", "", whosePerson)
	return cmd
}

func newMemoryShow(c *cli) *cobra.Command {
	var who string
	cmd := &cobra.Command{
		Use: "show AGENT KEY", Short: "Show one note in full", Args: cobra.ExactArgs(2), ValidArgsFunction: c.completeNotes,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := c.personID(cmd.Context(), who)
			if err != nil {
				return err
			}
			notes, err := c.API().ListNotes(cmd.Context(), &api.ListNotesParams{Agent: strings.ToLower(args[0]), Prefix: args[1], Person: id})
			if err != nil {
				return err
			}
			for i, n := range notes.Value {
				if n.Key == args[1] {
					return c.showNote(notes.Raw, i, n)
				}
			}
			return c.noNote(args)
		},
	}
	cmd.Flags().StringVar(&who, "person", "", "the person it is about (id or name)")
	return cmd
}

func (c *cli) showNote(raw []byte, i int, n api.PersonNote) error {
	if c.JSON {
		rows, err := c.Rows(raw)
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

func (c *cli) noNote(args []string) error {
	return c.Failf("%s has no note %q: see errand memory list", args[0], args[1])
}

func newMemoryForget(c *cli) *cobra.Command {
	var who string
	cmd := &cobra.Command{
		Use: "forget AGENT KEY", Short: "Have an agent forget a note", Args: cobra.ExactArgs(2), ValidArgsFunction: c.completeNotes,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := c.personID(cmd.Context(), who)
			if err != nil {
				return err
			}
			forgotten, err := c.API().DeleteNote(cmd.Context(), strings.ToLower(args[0]), args[1], &api.DeleteNoteParams{Person: id})
			if client.IsNotFound(err) {
				return c.noNote(args)
			}
			if _, done, err := console.One(&c.Console, forgotten, err); done || err != nil {
				return err
			}
			c.Printlnf("%s has forgotten %s.", line(args[0]), line(args[1]))
			return nil
		},
	}
	cmd.Flags().StringVar(&who, "person", "", "the person it is about (id or name)")
	return cmd
}

// completeNotes offers agents that have notes, then the keys of one.
func (c *cli) completeNotes(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	seen := map[errand.AgentName]bool{}
	return offer(c, cmd, asked((*api.Client).ListNotes, nil), func(n api.PersonNote) string {
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
