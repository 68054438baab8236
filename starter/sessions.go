package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"errand"
)

func newSessions(c *cli) *cobra.Command {
	return group("sessions", "See the conversations, and begin them anew", newSessionsList(c), newSessionsReset(c))
}

// A session is what the API tells about a conversation.
type session struct {
	ID     errand.SessionID
	Route  errand.Route
	Agent  errand.AgentName
	State  string
	Turns  int
	Active time.Time
}

func newSessionsList(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the conversations, the latest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			raw, err := c.get(cmd.Context(), "/api/sessions")
			rows, done, err := list[session](c, raw, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				fmt.Fprintln(c.out, "No sessions yet: errand chat begins one.")
				return nil
			}
			t := &table{head: []string{"CHAT", "CHANNEL", "AGENT", "STATE", "TURNS", "LAST", "SESSION"}}
			for _, s := range rows {
				t.add(s.Route.Chat, s.Route.Channel, string(s.Agent), s.State, strconv.Itoa(s.Turns), ago(s.Active, c.began), string(s.ID))
			}
			t.paint = func(column int, value, padded string) string {
				if column == 3 {
					return c.style.state(value, padded)
				}
				return padded
			}
			t.write(c.out, c.style, c.width())
			return nil
		},
	}
}

func newSessionsReset(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "reset CHAT", Short: "Begin a new session in a chat; tasks at work go on", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := c.post(cmd.Context(), chatPath(args[0], "reset"), nil)
			if err != nil {
				return err
			}
			if c.json {
				return c.printJSON(raw)
			}
			fmt.Fprintf(c.out, "A new session begins in chat %s. Tasks at work go on and will report there.\n", line(args[0]))
			return nil
		},
	}
}
