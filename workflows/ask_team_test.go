package workflows_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/test/llmtest"
	"errand/internal/test/workflowtest"
)

func askTeam(args map[string]any) string {
	b, err := json.Marshal(args)
	if err != nil {
		panic(err) // strings always marshal
	}
	return do(llmtest.ToolCall{Tool: "ask_team", Args: string(b)})
}

// TestAskTeam proves what the person reads of a team that their agent asks: its result,
// what follows on it, and what is wrong with a call.
func TestAskTeam(t *testing.T) {
	type args = map[string]any
	both := []string{"sasha", "priest"}
	yes := func(in *workflowtest.Installation) {
		in.Stage.Plays("sasha", says("YES", "cheap"))
		in.Stage.Plays("priest", says("YES", "right"))
	}
	split := func(in *workflowtest.Installation) {
		in.Stage.Plays("sasha", says("YES", "cheap"))
		in.Stage.Plays("priest", says("NO", "wrong"))
	}
	branch := func(agent, task string) args { return args{"agents": []string{agent}, "task": task} }
	for _, test := range []struct {
		name  string
		parts func(*workflowtest.Installation)
		call  args
		want  []string // what the person reads: each of one text
		tasks int
	}{
		{"reports of both", nil, args{"agents": both, "task": "hello"}, []string{"## Sasha\nyou said hello\n\n## Priest\nyou said hello"}, 1},
		{"of one of them", func(in *workflowtest.Installation) { in.Stage.Plays("priest", "fail") }, args{"agents": both, "task": "hello"},
			[]string{"## Sasha\nyou said hello\n\n## Priest\n"}, 1},
		{"one after an hour", nil, args{"agents": both, "task": "wait 1h"}, []string{"Still at work.", "## Sasha\ndone 1h\n\n## Priest\ndone 1h"}, 1},
		{"a decision", split, args{"agents": both, "task": "fly?", "expect": "decision"}, []string{"Decision: TIE"}, 1},
		{"a yes, and what follows", yes, args{"agents": both, "task": "fly?", "expect": "decision", "policy": "all", "then": branch("finn", "book it"), "else": branch("finn", "stay")},
			[]string{"has been started: finn, book it", "book it"}, 2},
		{"no yes, and what follows", split, args{"agents": both, "task": "fly?", "expect": "decision", "policy": "all", "then": branch("finn", "book it"), "else": branch("finn", "stay")},
			[]string{"has been started: finn, stay", "stay"}, 2},
		{"no yes, and nothing follows", split, args{"agents": both, "task": "fly?", "expect": "decision", "policy": "all", "then": branch("finn", "book it")},
			[]string{"Decision: NO"}, 1},
		{"named twice", yes, args{"agents": []string{"sasha", "Sasha ", "priest"}, "task": "fly?", "expect": "decision", "policy": "quorum:2"}, []string{"Decision: YES"}, 1},
		{"a quorum larger than the team", nil, args{"agents": []string{"sasha", "sasha"}, "task": "fly?", "expect": "decision", "policy": "quorum:2"},
			[]string{"error: a quorum of 2 cannot be reached: all verdicts together count 1"}, 0},
		{"an unknown policy", nil, args{"agents": both, "task": "fly?", "expect": "decision", "policy": "unanimous"}, []string{"write all, any, majority or quorum:N"}, 0},
		{"a policy without a decision", nil, args{"agents": both, "task": "fly?", "policy": "all"}, []string{"need a decision"}, 0},
		{"a deadline that is none", nil, args{"agents": both, "task": "fly?", "deadline": "soon"}, []string{`the deadline "soon" is no time`}, 0},
		{"nobody", nil, args{"agents": []string{}, "task": "fly?"}, []string{`"agents" is empty`}, 0},
		{"somebody to whom it cannot delegate", nil, args{"agents": []string{"sasha", "vera"}, "task": "fly?"}, []string{`Nikki cannot delegate to "vera"; it can delegate to: sasha, finn, priest`}, 0},
		{"such a one on the outcome", nil, args{"agents": both, "task": "fly?", "expect": "decision", "then": branch("vera", "book it")}, []string{`Nikki cannot delegate to "vera"`}, 0},
		{"all fail", func(in *workflowtest.Installation) {
			in.Stage.Plays("sasha", "say well", "say well")
			in.Stage.Plays("priest", "say hm", "say hm")
		}, args{"agents": both, "task": "fly?", "expect": "decision"}, []string{"Decision: NO_QUORUM"}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				if test.parts != nil {
					test.parts(in)
				}
				in.Send(askTeam(test.call))
				in.Pass(3 * time.Hour)
				in.Reads(test.want...)
				if tasks := in.Tasks(); len(tasks) != test.tasks {
					t.Errorf("there are %d tasks, want %d", len(tasks), test.tasks)
				}
			})
		})
	}
}

// TestTeamBelow proves that a sub-agent which asks a team joins what follows on the
// outcome, too: its report comes behind it, and its caller reads that.
func TestTeamBelow(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Stage.Plays("priest", says("YES", "right"))
		in.Stage.Plays("finn", after("2h", says("YES", "safe")), "wait 3h")
		in.Stage.Plays("sasha", askTeam(map[string]any{"agents": []string{"priest", "finn"}, "task": "fly?", "expect": "decision", "policy": "all",
			"then": map[string]any{"agents": []string{"finn"}, "task": "wait 3h"}}))
		in.Send(do(send("sasha", "see to it")))
		in.Pass(time.Hour)
		in.Pass(2 * time.Hour)
		top := in.TaskOf("sasha")
		if top.State != core.Working {
			t.Errorf("the one that asked is %s while what follows goes on: %s", top.State, top.Result)
		}
		in.Pass(4 * time.Hour)
		read := in.Read()
		if len(read) != 2 || !strings.Contains(read[1], "done 3h") {
			t.Errorf("the person reads %q", read)
		}
		tasks := in.Tasks()
		if i := slices.IndexFunc(tasks, func(task core.Task) bool { return task.FollowedBy != "" }); i < 0 {
			t.Errorf("nothing follows: %v", tasks)
		}
	})
}
