package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/chat"
	"errand/internal/cli/console"
	"errand/internal/core"
)

// handOver checks afterwards which agent has the chat, because only the text of a command's answer
// shows that it failed.
func (c chatCommand) handOver(ctx context.Context, conv *chat.Conversation, agent string) error {
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
		err = &console.Failure{Code: console.ExitFailed, Text: cmp.Or(text, fmt.Sprintf("%s does not take over this chat", agent))}
	}
	return err
}

// inChat returns the agent that leads a chat, or "" if the chat has no session.
func (c chatCommand) inChat(ctx context.Context, chat string) (core.AgentName, error) {
	me, err := c.me(ctx)
	if err != nil {
		return "", err
	}
	sessions, err := api.Call(ctx, c.API(), api.ListSessions, api.ListSessionsInput{Channel: core.ChannelWeb, Person: api.Person{Person: me.ID}})
	if err != nil {
		return "", err
	}
	for _, s := range sessions.Value.Items {
		if s.Route.Chat == chat && s.State != "ended" && s.Person == me.ID {
			return s.Agent, nil
		}
	}
	return "", nil
}

func (c *cli) me(ctx context.Context) (api.Me, error) {
	me, err := api.Call(ctx, c.API(), api.GetMe, api.GetMeInput{})
	return me.Value, err
}

func (c *cli) completeAgents(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return offer(c, cmd, calls(api.ListAgents, api.ListAgentsInput{}), func(a api.Agent) string { return choice(string(a.Name), a.Description) })
}
