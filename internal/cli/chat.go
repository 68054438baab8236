package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"errand/internal/cli/chat"
	"errand/internal/cli/console"
)

type chatCommand struct{ *cli }

func newChat(shared *cli) *cobra.Command {
	c := chatCommand{shared}
	var name, agent string
	var files []string
	var follow, wait, replyOnly bool
	cmd := &cobra.Command{
		Use:   "chat [TEXT]",
		Short: "Talk to the agents",
		Long: `With TEXT, sends it, prints the reply and ends. Without TEXT, it is a conversation on
a terminal until Ctrl-D; elsewhere, each line of the input is a message.
With --wait, it also waits for the tasks that the message starts, prints their results,
and fails if one of them fails. With --reply-only, it prints only what agents say. On a
terminal it renders Markdown; elsewhere it prints the text unchanged. With --follow, it
prints new messages until you stop it.
If an agent's question offers answers, type a number to choose one.`,
		Example: `  errand chat "ask Sasha to compare night trains to Oslo, in the background"
  errand chat --wait "ask Sasha to compare night trains to Oslo, in the background"
  errand chat --chat holidays
  errand chat --agent finn "why does this deadlock?"
  errand chat --file photo.jpg "which plant is this?"
  errand chat --reply-only "a name for a boat" > name.txt
  echo "what is open?" | errand chat --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			conv := chat.NewConversation(c.Worker, name)
			if agent != "" {
				if err := c.handOver(cmd.Context(), conv, strings.ToLower(agent)); err != nil {
					return err
				}
			}
			sent, err := chat.ReadFiles(files)
			if err != nil {
				return err
			}
			t := chat.New(&c.Console, conv, c.report)
			t.ReplyOnly, t.History = replyOnly, historyFile(c.Getenv)
			if len(args) > 0 || len(files) > 0 {
				return t.Once(cmd.Context(), strings.Join(args, " "), sent, follow, wait)
			}
			if wait {
				return console.Misusef("--wait needs TEXT")
			}
			if c.InTTY && c.OutTTY && !c.JSON && !replyOnly && c.Getenv("TERM") != "dumb" {
				return t.RunDialogue(cmd.Context())
			}
			return t.Lines(cmd.Context(), follow)
		},
	}
	cmd.Flags().StringVar(&name, "chat", "main", "name of the chat")
	cmd.Flags().StringVar(&agent, "agent", "", "talk with this agent; sends /agent NAME first if another one is active")
	// It fails only for an unknown flag.
	_ = cmd.RegisterFlagCompletionFunc("agent", c.completeAgents)
	cmd.Flags().StringArrayVar(&files, "file", nil, "attach a file, such as a photo; may be repeated, and works without TEXT")
	cmd.Flags().BoolVar(&follow, "follow", false, "stay and print new messages until interrupted")
	cmd.Flags().BoolVar(&wait, "wait", false, "wait for the results of the tasks that TEXT starts")
	cmd.Flags().BoolVar(&replyOnly, "reply-only", false, "print only replies and results")
	cmd.MarkFlagsMutuallyExclusive("wait", "follow")
	return cmd
}

// historyFile returns the file of typed lines, or "" if none is kept.
func historyFile(getenv func(string) string) string {
	switch file := getenv("ERRAND_HISTORY"); file {
	case "":
	case "off":
		return ""
	default:
		return file
	}
	for _, dir := range []string{getenv("XDG_STATE_HOME"), getenv("LOCALAPPDATA")} {
		if filepath.IsAbs(dir) {
			return filepath.Join(dir, "errand", "history")
		}
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "errand", "history")
	}
	return ""
}
