package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"errand"
)

// handOver sees that agent has the chat. Elsewhere than in an answer nobody
// reads what a command says: that it failed shows in who has the chat then.
func (c *cli) handOver(ctx context.Context, talk *conversation, agent string) error {
	if now, err := c.inChat(ctx, talk.chat); err != nil || string(now) == agent {
		return err
	}
	talk.patience = oncePatience
	said, err := talk.deliver(ctx, newMessage("/agent "+agent))
	if err != nil {
		return err
	}
	now, err := c.inChat(ctx, talk.chat)
	if err == nil && now != "" && string(now) != agent {
		err = failf("%s", first(said, fmt.Sprintf("%s does not take over this chat", agent)))
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
	raw, err := c.get(ctx, filtered(resource("sessions"), "channel", errand.ChannelWeb, "person", string(me.ID)))
	if err != nil {
		return "", err
	}
	rows, err := decoded[[]session](raw)
	if err != nil {
		return "", err
	}
	for _, s := range rows {
		if s.Route.Chat == chat && s.State != "ended" && s.Person == me.ID {
			return s.Agent, nil
		}
	}
	return "", nil
}

// me returns who the worker takes this command for.
func (c *cli) me(ctx context.Context) (person, error) {
	raw, err := c.get(ctx, resource("me"))
	if err != nil {
		return person{}, err
	}
	return decoded[person](raw)
}

func (c *cli) completeAgents(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	type agent struct{ Name, Description string }
	return offer(c, cmd, resource("agents"), func(a agent) string { return choice(a.Name, a.Description) })
}
