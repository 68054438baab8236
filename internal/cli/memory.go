package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"errand"
)

func newMemory(c *cli) *cobra.Command {
	return group("memory", "See what agents have noted, and have it forgotten", newMemoryList(c), newMemoryShow(c), newMemoryForget(c))
}

// A note is one entry of an agent's working memory.
type note struct {
	Person  errand.PersonID
	Agent   errand.AgentName
	Key     string
	Value   string
	Expires time.Time
	Updated time.Time
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
			raw, err := c.get(cmd.Context(), filtered(resource("memory"), "agent", strings.ToLower(agent), "prefix", prefix, "person", id))
			rows, done, err := list[note](c, raw, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				fmt.Fprintln(c.out, "No notes.")
				return nil
			}
			t := &table{head: []string{"AGENT", "KEY", "UPDATED", "EXPIRES", "NOTE"}, loose: []int{4}}
			names := map[errand.PersonID]string{}
			if who != "" {
				t.head = append(t.head, "PERSON")
				names = c.names(cmd.Context())
			}
			for _, n := range rows {
				cells := []string{string(n.Agent), n.Key, ago(n.Updated, c.began), ahead(n.Expires, c.began), n.Value}
				if who != "" {
					cells = append(cells, first(names[n.Person], string(n.Person)))
				}
				t.add(cells...)
			}
			t.write(c.out, c.style, c.width())
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
			raw, err := c.get(cmd.Context(), filtered(resource("memory"), "agent", strings.ToLower(args[0]), "prefix", args[1], "person", id))
			if err != nil {
				return err
			}
			rows, err := decoded[[]note](raw)
			if err != nil {
				return err
			}
			for i, n := range rows {
				if n.Key == args[1] {
					return c.showNote(raw, i, n)
				}
			}
			return noNote(args)
		},
	}
	cmd.Flags().StringVar(&who, "person", "", "the person it is about (id or name)")
	return cmd
}

// showNote shows row i of the list raw, which is n.
func (c *cli) showNote(raw []byte, i int, n note) error {
	if c.json {
		rows, err := decoded[[]json.RawMessage](raw)
		if err != nil {
			return err
		}
		return c.printJSON(rows[i])
	}
	c.field("agent", line(string(n.Agent)))
	c.field("key", line(n.Key))
	c.field("updated", ago(n.Updated, c.began))
	if !n.Expires.IsZero() {
		c.field("expires", ahead(n.Expires, c.began))
	}
	fmt.Fprintf(c.out, "\n%s\n", strings.TrimSpace(clean(n.Value)))
	return nil
}

func noNote(args []string) error {
	return failf("%s has no note %q: see errand memory list", args[0], args[1])
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
			raw, err := c.remove(cmd.Context(), filtered(resource("memory", strings.ToLower(args[0]), args[1]), "person", id))
			var no *refusal
			if errors.As(err, &no) && no.status == http.StatusNotFound {
				return noNote(args)
			}
			if err != nil {
				return err
			}
			if c.json {
				return c.printJSON(raw)
			}
			fmt.Fprintf(c.out, "%s has forgotten %s.\n", line(args[0]), line(args[1]))
			return nil
		},
	}
	cmd.Flags().StringVar(&who, "person", "", "the person it is about (id or name)")
	return cmd
}

// completeNotes offers agents that have notes, then the keys of one.
func (c *cli) completeNotes(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	seen := map[errand.AgentName]bool{}
	return offer(c, cmd, resource("memory"), func(n note) string {
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
