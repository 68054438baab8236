package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	api "errand/client"
	"errand/internal/cli/console"
)

func deedOf(e api.AuditEntry) string {
	if e.Detail == "" {
		return e.Deed
	}
	return e.Deed + " (" + e.Detail + ")"
}

func actedBy(e api.AuditEntry) string {
	if e.Via == "" {
		return "-"
	}
	if e.ViaName == "" {
		return e.Via
	}
	return e.Via + " " + e.ViaName
}

func (c *cli) doneTo(e api.AuditEntry) string {
	of := strings.TrimSpace(c.Console.Words.Term("", e.Kind) + " " + e.Subject)
	if e.Whose == "" || e.Whose == e.Person || string(e.Whose) == e.Subject {
		return of
	}
	return c.Sayf("%s of %s", of, string(e.Whose))
}

func newAudit(c *cli) *cobra.Command {
	var who, deed, of, since string
	var before int64
	var limit int
	cmd := &cobra.Command{
		Use: "audit", Short: "See who has done what, the latest first", Args: cobra.NoArgs,
		Long: `Shows who has changed roles, people, tokens and identities, canceled tasks, answered
questions, let people in, deleted sessions, sent deliveries again or stopped the
installation: when, by which door, and what acted for them. What was said is not in it.
--deed takes what the column DID shows, and what that begins with: tokens stands for
tokens.make and tokens.revoke. The last id of a list, given to --before, goes on.`,
		Example: `  errand audit --person ada --since 2026-11-01
  errand audit --deed tokens,people.role
  errand audit --of t-7k3m9q2x`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if before < 0 || limit < 0 {
				return c.Misusef("--before and --limit are numbers from 1 on")
			}
			entries, err := c.API().ListAudit(cmd.Context(), &api.ListAuditParams{Person: who, Deed: deed, Of: of, Since: since, Before: before, Limit: limit})
			rows, done, err := console.List(&c.Console, entries, c.nameMatches(cmd.Context(), who, err))
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				c.Printlnf("Nobody has done anything of the kind.")
				return nil
			}
			t := &console.Table{Head: []string{"ID", "WHEN", "WHO", "DOOR", "BY", "DID", "TO"}, Loose: []int{4, 5, 6}}
			for _, e := range rows {
				t.Add(fmt.Sprint(e.ID), c.Brief(e.Time), cmp.Or(e.Name, string(e.Person)), cmp.Or(e.Door, "-"), actedBy(e), deedOf(e), c.doneTo(e))
			}
			c.PrintTable(t)
			return nil
		},
	}
	cmd.Flags().StringVar(&who, "person", "", "who did it (id or name)")
	cmd.Flags().StringVar(&deed, "deed", "", "what they did; several with commas")
	cmd.Flags().StringVar(&of, "of", "", "to whom or what, by id; a person's id stands for what is theirs, too")
	cmd.Flags().StringVar(&since, "since", "", "since this date or time, as 2026-11-24 or 2026-11-24T09:00:00Z")
	cmd.Flags().Int64Var(&before, "before", 0, "only those before this one, by id")
	cmd.Flags().IntVar(&limit, "limit", 0, "how many at most (default 100)")
	return cmd
}
