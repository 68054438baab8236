package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

type sessionCommands struct{ *cli }

func newSessions(shared *cli) *cobra.Command {
	c := sessionCommands{shared}
	return group("sessions", "List, search, export, delete and restart conversations",
		c.newSessionsList(), c.newSessionsShow(), c.newSessionsSearch(), c.newSessionsExport(), c.newSessionsDelete(), c.newSessionsReset())
}

func short(id core.SessionID) string {
	text := []rune(line(string(id)))
	return string(text[:min(len(text), 8)])
}

func (c sessionCommands) newSessionsList() *cobra.Command {
	var who, channel, agent, state string
	var limit int
	cmd := &cobra.Command{
		Use: "list", Short: "List the conversations, the latest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			id, err := c.personID(cmd.Context(), who)
			if err != nil {
				return err
			}
			sessions, err := api.Call(cmd.Context(), c.API(), api.ListSessions, api.ListSessionsInput{
				Person: api.Person{Person: core.PersonID(id)}, Channel: channel, Agent: agent, State: api.SessionState(state), Limit: limit})
			rows, done, err := console.Page(&c.Console, sessions, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				if cmp.Or(who, channel, agent, state) != "" {
					fmt.Fprintln(c.Out, "No such sessions.")
				} else {
					fmt.Fprintln(c.Out, "No sessions yet: errand chat begins one.")
				}
				return nil
			}
			c.PrintTable(c.sessionTable(cmd.Context(), rows, who != ""))
			return nil
		},
	}
	cmd.Flags().StringVar(&who, "person", "", whosePerson)
	cmd.Flags().StringVar(&channel, "channel", "", "only sessions on this channel")
	cmd.Flags().StringVar(&agent, "agent", "", "only sessions with this agent")
	cmd.Flags().StringVar(&state, "state", "", "only sessions in this state: active, suspended or ended")
	cmd.Flags().IntVar(&limit, "limit", 0, "how many at most (default 100)")
	return cmd
}

// whosePerson describes a flag for callers who may see other people's sessions.
const whosePerson = "sessions of this person (id or name), or all (default: your own)"

func (c sessionCommands) sessionTable(ctx context.Context, rows []core.Session, whose bool) *console.Table {
	t := &console.Table{Head: []string{"ID", "CHAT", "CHANNEL", "AGENT", "STATE", "TURNS", "LAST"}, Loose: []int{1}, Painted: 4, Paint: c.Style.State}
	names := map[core.PersonID]string{}
	if whose {
		t.Head, t.Loose = append(t.Head, "PERSON"), []int{1, 7}
		names = c.names(ctx)
	}
	for _, s := range rows {
		cells := []string{short(s.ID), s.Route.Chat, on(s.Route.Channel, s.Route.Account), string(s.Agent), s.State, strconv.Itoa(s.Turns), c.Ago(s.Active)}
		if whose {
			cells = append(cells, cmp.Or(names[s.Person], string(s.Person)))
		}
		t.Add(cells...)
	}
	return t
}

// names returns people's names by id, or nothing if the caller may not list people.
func (c *cli) names(ctx context.Context) map[core.PersonID]string {
	names := map[core.PersonID]string{}
	if people, err := api.Call(ctx, c.API(), api.ListPeople, api.ListPeopleInput{}); err == nil {
		for _, p := range people.Value.Items {
			names[p.ID] = p.Name
		}
	}
	return names
}

func (c sessionCommands) newSessionsShow() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show a session and its messages; the beginning of the ID is enough", Args: cobra.ExactArgs(1),
		ValidArgsFunction: c.completeSessions,
		RunE: func(cmd *cobra.Command, args []string) error {
			session, err := c.session(cmd.Context(), args[0])
			s, done, err := console.One(&c.Console, session, c.WithHint(err, "sessions list"))
			if done || err != nil {
				return err
			}
			if s.Session.ID == "" {
				return console.ErrNotUnderstood
			}
			c.showSession(s)
			return nil
		},
	}
}

func (c sessionCommands) session(ctx context.Context, id string) (api.Answer[core.Export], error) {
	return api.Call(ctx, c.API(), api.GetSession, api.SessionID{ID: core.SessionID(id)})
}

func (c sessionCommands) showSession(shown core.Export) {
	s, person := shown.Session, cmp.Or(line(shown.Name), "you")
	c.Field("session", c.Style.Bold(line(string(s.ID))))
	c.Field("state", c.Style.State(s.State, line(strings.TrimSpace(s.State+" "+s.Reason))))
	c.Field("chat", line(on(s.Route.Channel, s.Route.Account)+" "+s.Route.Chat))
	c.Field("person", line(shown.Name+" "+string(s.Person)))
	c.Field("agent", line(string(s.Agent)))
	c.Field("role now", line(string(shown.Role)))
	c.Field("tools", line(strings.Join(shown.Tools, ", ")))
	c.Field("turns", strconv.Itoa(s.Turns))
	c.Field("begun", c.Moment(s.Created))
	c.Field("last", c.Ago(s.Active))
	if !s.Ended.IsZero() {
		c.Field("ended", c.Moment(s.Ended))
	}
	for _, t := range shown.Tasks {
		c.Field("task", line(string(t.ID))+", "+c.state(string(t.State))+", "+line(cmp.Or(t.Title, t.Text)))
	}
	if s.Plan != nil && len(s.Plan.Items) > 0 {
		c.showPlan(*s.Plan)
	}
	next := 0
	send := func(who, text string) {
		fmt.Fprintf(c.Out, "\n%s %s\n", c.Style.Cyan(who+":"), strings.TrimSpace(clean(text)))
	}
	until := func(at time.Time) {
		for ; next < len(shown.Notices) && (at.IsZero() || shown.Notices[next].Created.Before(at)); next++ {
			send("errand", shown.Notices[next].Text)
		}
	}
	defer func() { until(time.Time{}) }()
	for _, m := range shown.Messages {
		if !m.Created.IsZero() {
			until(m.Created)
		}
		if m.Speaker == core.FromTool || strings.TrimSpace(m.Text) == "" {
			continue
		}
		who := person
		if m.Speaker == core.FromAgent {
			who = cmp.Or(line(m.Agent.Display()), "errand")
		}
		send(who, m.Text)
	}
}

func (c sessionCommands) newSessionsReset() *cobra.Command {
	return &cobra.Command{
		Use: "reset CHAT", Short: "Begin a new session in a chat; running tasks continue", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			reset, err := api.Call(cmd.Context(), c.API(), api.ResetChat, api.ResetChatInput{ChatName: api.ChatName{Chat: args[0]}})
			if _, done, err := console.One(&c.Console, reset, err); done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "A new session begins in chat %s. Running tasks continue and will report there.\n", line(args[0]))
			return nil
		},
	}
}

func (c *cli) completeSessions(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return offer(c, cmd, listed(api.ListSessions, api.ListSessionsInput{}), func(s core.Session) string {
		return choice(string(s.ID), fmt.Sprintf("%s %s, %s, %s", on(s.Route.Channel, s.Route.Account), s.Route.Chat, s.Agent.Display(), s.State))
	})
}
