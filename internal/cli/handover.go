package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"errand"
	api "errand/client"
	"errand/internal/cli/chat"
	"errand/internal/cli/console"
)

// handOver sees that agent has the chat. Elsewhere than in an answer nobody
// reads what a command says: that it failed shows in who has the chat then.
func (c *cli) handOver(ctx context.Context, conv *chat.Conversation, agent string) error {
	if now, err := c.inChat(ctx, conv.Chat); err != nil || string(now) == agent {
		return err
	}
	conv.Patience = chat.OncePatience
	text, err := conv.Deliver(ctx, chat.NewMessage("/agent "+agent))
	if err != nil {
		return err
	}
	now, err := c.inChat(ctx, conv.Chat)
	if err == nil && now != "" && string(now) != agent {
		err = &console.Failure{Code: console.ExitFailed, Text: cmp.Or(text, c.Console.Words.Say("{agent} does not take over this chat", "agent", agent))}
	}
	return err
}

// inChat returns the agent that has a chat of this person; empty where nobody
// has said anything yet.
func (c *cli) inChat(ctx context.Context, chat string) (errand.AgentName, error) {
	me, err := c.me(ctx)
	if err != nil {
		return "", err
	}
	sessions, err := c.API().ListSessions(ctx, &api.ListSessionsParams{Channel: errand.ChannelWeb, Person: string(me.ID)})
	if err != nil {
		return "", err
	}
	for _, s := range sessions.Value {
		if s.Route.Chat == chat && s.State != "ended" && s.Person == me.ID {
			return s.Agent, nil
		}
	}
	return "", nil
}

func (c *cli) me(ctx context.Context) (api.Me, error) {
	me, err := c.API().GetMe(ctx)
	return me.Value, err
}

func (c *cli) completeAgents(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return offer(c, cmd, asked((*api.Client).ListAgents, nil), func(a api.Agent) string { return choice(string(a.Name), a.Description) })
}
