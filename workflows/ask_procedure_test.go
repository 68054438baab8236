package workflows_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/rights"
	"errand/internal/test/intaketest"
	"errand/internal/test/llmtest"
	"errand/internal/test/workflowtest"
)

// TestAgentAsksProcedure proves that an agent has a procedure of the configuration carried
// out by naming it, with what follows; and that it is told what it could do instead where
// there is none of that name, where it says besides what the procedure says, or where the
// person may not use one of its agents.
func TestAgentAsksProcedure(t *testing.T) {
	release := core.Procedure{Name: "release", Agents: []core.AgentName{"sasha", "priest"}, Task: "Good? {text}", Policy: core.All,
		Then: &core.Branch{Agents: []core.AgentName{"vera"}, Task: "release {text}"}}
	review := core.Procedure{Name: "review", Agents: []core.AgentName{"finn"}, Task: "review it"}
	twice := core.Procedure{Name: "twice", Agents: []core.AgentName{"finn"}, Task: "review it", Policy: core.All,
		Then: &core.Branch{Agents: []core.AgentName{"vera"}, Task: "{text} {text}"}}
	call := func(args string) string { return do(llmtest.ToolCall{Tool: "ask_team", Args: args}) }
	tests := []struct {
		name  string
		args  string
		none  bool      // no procedure is configured
		least core.Role // who may use priest
		want  string
	}{
		{name: "named", args: `{"procedure":"Release","text":"version 1.4"}`, want: "Decision: YES"},
		{name: "without a place for words", args: `{"procedure":"review"}`, want: "you said review it"},
		{name: "unknown", args: `{"procedure":"relase","text":"1.4"}`, want: `error: there is no procedure "relase"; available procedures: release, review, twice`},
		{name: "none there are", args: `{"procedure":"release","text":"1.4"}`, none: true, want: `error: there is no procedure "release": none is configured here. Name agents and a task`},
		{name: "with agents", args: `{"procedure":"release","agents":["finn"],"text":"1.4"}`, want: "error: the procedure release says who is asked"},
		{name: "without words", args: `{"procedure":"release"}`, want: `error: "text" is missing`},
		{name: "too long in its places", args: `{"procedure":"twice","text":"` + strings.Repeat("a", 20<<10) + `"}`, want: "error: with the text in its places a task of the procedure twice has 40961 bytes; at most 32768"},
		{name: "not for this person", args: `{"procedure":"release","text":"1.4"}`, least: core.MasterAdmin, want: "error: Priest is not available to this user"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			house := func(d *intaketest.Deps) {
				d.Procedures = []core.Procedure{release, review, twice}
				if tt.none {
					d.Procedures = nil
				}
				if tt.least != "" {
					d.Rights = rights.New()
					if err := d.Rights.Set(rights.Agent, "priest", tt.least); err != nil {
						t.Fatal(err)
					}
				}
			}
			workflowtest.Run(t, workflowtest.Options{House: house}, func(in *workflowtest.Installation) {
				in.Person("ana", "Ana", core.Partner)
				in.Stage.Plays("sasha", says("YES", "cheap"))
				in.Stage.Plays("priest", says("YES", "right"))
				in.Write(workflowtest.Message{Route: core.WebRoute("main"), Person: "ana", Role: core.Partner, Text: call(tt.args)})
				in.Pass(time.Minute)
				read := in.ReadIn(core.NewSessionKey(core.WebRoute("main"), "ana"))
				if len(read) == 0 || !slices.ContainsFunc(read, func(s string) bool { return strings.Contains(s, tt.want) }) {
					t.Errorf("Ana reads %q, want %q", read, tt.want)
				}
				refused, n := strings.HasPrefix(tt.want, "error"), len(in.Tasks())
				if refused && n > 0 {
					t.Errorf("%d tasks were made", n)
				}
				if tt.name == "named" {
					if asked, then := in.TaskOf("sasha"), in.TaskOf("vera"); asked.Text != "Good? version 1.4" || then.Text != "release version 1.4" || asked.FollowedBy != then.ID {
						t.Errorf("of %d tasks: %+v and %+v", n, asked, then)
					}
				}
				tool, _ := in.Tools.Tool("ask_team")
				if has := strings.Contains(string(tool.Parameters), `"procedure"`); has == tt.none || !json.Valid(tool.Parameters) {
					t.Errorf("the tool takes %s", tool.Parameters)
				}
			})
		})
	}
}
