package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

type decides struct {
	expect, policy string
	deadline       time.Duration
}

func (d *decides) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&d.expect, "expect", "", "report or decision")
	cmd.Flags().StringVar(&d.policy, "policy", "", "for a decision: all, any, majority (the default) or quorum:N")
	cmd.Flags().DurationVar(&d.deadline, "deadline", 0, "end after this time with what is there, such as 30m or 24h")
}

func (d *decides) into(task *api.NewTask) {
	task.Expect, task.Policy = api.Expect(d.expect), d.policy
	task.Deadline = int(d.deadline.Seconds())
}

func (c taskCommands) decision(t core.Task, printed bool) error {
	if !printed {
		table := &console.Table{Head: []string{"AGENT", "VERDICT", "CONFIDENCE", "REASONING"}, Loose: []int{3}}
		for _, v := range t.Verdicts {
			verdict := string(v.Verdict)
			if v.Standing != core.StandingCounted {
				verdict = string(v.Standing)
			}
			confidence := "-"
			if v.Verdict.Counts() {
				confidence = strconv.FormatFloat(v.Confidence, 'g', 2, 64)
			}
			table.Add(string(v.Agent), verdict, confidence, cmp.Or(v.Reasoning, "-"))
		}
		c.PrintTable(table)
		fmt.Fprintf(c.Out, "\n%s, by the policy %s.\n", line(string(t.Decision)), line(string(t.Policy)))
		if t.FollowedBy != "" {
			fmt.Fprintf(c.Out, "%s follows: errand tasks show %s\n", line(string(t.FollowedBy)), line(string(t.FollowedBy)))
		}
	}
	switch t.Decision {
	case core.AnswerYes:
		return nil
	case core.AnswerNo:
		return &console.Failure{Code: console.ExitFailed}
	}
	return &console.Failure{Code: console.ExitUndecided}
}
