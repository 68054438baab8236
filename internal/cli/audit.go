package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

func deedOf(e core.AuditEntry) string {
	if e.Detail == "" {
		return string(e.Deed)
	}
	return string(e.Deed) + " (" + e.Detail + ")"
}

func actedBy(e core.AuditEntry) string {
	if e.Via == "" {
		return "-"
	}
	if e.ViaName == "" {
		return e.Via
	}
	return e.Via + " " + e.ViaName
}

func doneTo(e core.AuditEntry) string {
	of := strings.TrimSpace(e.Kind + " " + e.Subject)
	if e.Whose == "" || e.Whose == e.Person || string(e.Whose) == e.Subject {
		return of
	}
	return fmt.Sprintf("%s of %s", of, string(e.Whose))
}

func newAudit(c *cli) *cobra.Command {
	var who, deed, of, since string
	var before int64
	var limit int
	cmd := &cobra.Command{
		Use: "audit", Short: "Show who did what, the latest first", Args: cobra.NoArgs,
		Long: `Shows who changed roles, people, tokens and identities, canceled tasks, answered
questions, gave access, deleted sessions, retried deliveries, paused the
installation or restored a backup: when, from where, and which program acted for
them. It has no messages.
--deed takes a value of the column DID, or its part before the dot: tokens means
tokens.make and tokens.revoke. To see older entries, give the last id to --before.`,
		Example: `  errand audit --person ada --since 2026-11-01
  errand audit --deed tokens,people.role
  errand audit --of t-7k3m9q2x`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if before < 0 || limit < 0 {
				return console.Misusef("--before and --limit must be 1 or more")
			}
			from, err := api.ParseDateOrTime(since)
			if err != nil {
				return console.Failf("--since: %v", err)
			}
			in := api.ListAuditInput{Since: from, Person: core.PersonID(who), Deed: deed, Of: of, Before: int(before), Limit: limit}
			entries, err := api.Call(cmd.Context(), c.API(), api.ListAudit, in)
			rows, done, err := console.Page(&c.Console, entries, c.nameMatches(cmd.Context(), who, err))
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				fmt.Fprintln(c.Out, "Nobody did anything like that.")
				return nil
			}
			t := &console.Table{Head: []string{"ID", "WHEN", "WHO", "DOOR", "BY", "DID", "TO"}, Loose: []int{4, 5, 6}}
			for _, e := range rows {
				t.Add(fmt.Sprint(e.ID), c.Brief(e.Time), cmp.Or(e.Name, string(e.Person)), cmp.Or(e.Door, "-"), actedBy(e), deedOf(e), doneTo(e))
			}
			c.PrintTable(t)
			return nil
		},
	}
	cmd.Flags().StringVar(&who, "person", "", "who did it (id or name)")
	cmd.Flags().StringVar(&deed, "deed", "", "what they did; several with commas")
	cmd.Flags().StringVar(&of, "of", "", "id of the person or thing that was changed; a person's id includes their things")
	cmd.Flags().StringVar(&since, "since", "", "since this date or time, as 2026-11-24 or 2026-11-24T09:00:00Z")
	cmd.Flags().Int64Var(&before, "before", 0, "only entries before the one with this id")
	cmd.Flags().IntVar(&limit, "limit", 0, "how many at most (default 100)")
	return cmd
}
