package cli

import (
	"cmp"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"errand"
	api "errand/client"
	"errand/internal/cli/console"
)

type decides struct {
	expect, policy string
	deadline       time.Duration
}

func (d *decides) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&d.expect, "expect", "", "report or decision")
	cmd.Flags().StringVar(&d.policy, "policy", "", "of a decision: all, any, majority (the default) or quorum:N")
	cmd.Flags().DurationVar(&d.deadline, "deadline", 0, "after which it ends with what is there, as 30m or 24h")
}

func (d *decides) into(body *api.CreateTaskBody) {
	body.Expect, body.Policy = given(d.expect), given(d.policy)
	if d.deadline != 0 {
		body.Deadline = new(int(d.deadline.Seconds()))
	}
}

// given is what is said of text in a request: nothing, where there is none.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func (c *cli) decision(t errand.Task, printed bool) error {
	if !printed {
		table := &console.Table{Head: []string{"AGENT", "VERDICT", "CONFIDENCE", "REASONING"}, Loose: []int{3}}
		for _, v := range t.Verdicts {
			verdict := string(v.Verdict)
			if v.Standing != errand.StandingCounted {
				verdict = string(v.Standing)
			}
			confidence := "-"
			if v.Verdict.Counts() {
				confidence = strconv.FormatFloat(v.Confidence, 'g', 2, 64)
			}
			table.Add(string(v.Agent), c.Console.Words.Term("", verdict), confidence, cmp.Or(v.Reasoning, "-"))
		}
		c.PrintTable(table)
		c.Printlnf("\n%s, by the policy %s.", line(c.Console.Words.Term("", string(t.Decision))), line(string(t.Policy)))
		if t.FollowedBy != "" {
			c.Printlnf("%s follows: errand tasks show %s", line(string(t.FollowedBy)), line(string(t.FollowedBy)))
		}
	}
	switch t.Decision {
	case errand.AnswerYes:
		return nil
	case errand.AnswerNo:
		return &console.Failure{Code: console.ExitFailed}
	}
	return &console.Failure{Code: console.ExitUndecided}
}
