// Package scripted plays models by a script, in the place of an [llm.Client] and over the
// wire. The demonstration model is one; simulators and measurements have others.
//
// A [Script] is a list of steps. It answers a [Turn], which is all that was said since the
// agent's last final answer, message by message: for each message of a person and for each
// result of a tool the first step that matches says what to do. What the steps want called
// is called first, in one answer; a call that was already made behind its message is not
// made again. When all calls have their results, the answer is the texts of all steps, a
// paragraph each. So a script has no state, and the same request has the same answer.
// [Script.Last] looks at the last message only.
//
// A step matches
//   - what a person, or the agent who gave the task, has said: Said;
//   - the result of a tool whose name matches Result, if its text matches Said, too;
//   - and only if the instructions or errand's status note match System, and if the model
//     is offered the tool Needs, or the tool that the step calls.
//
// It answers with a text, with a call, or with what its function Do decides: several calls,
// an error, a delay, pieces of a stream. In Text and Args, $1 is a group of Said and $0 all
// of it (the whole text, if Said is not set). In the Text of a result ${tool} is the name
// of the tool, ${task_id} an argument of the call, and ${agent} the name of its agent.
//
// A model that needs more than its request, such as the number of the call, is a [Func].
// [Server] has any model answer over HTTP.
package scripted

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"errand"
)

// A Script is the steps of a model, in the order in which they are tried.
type Script []Step

// A Step is one thing that a scripted model does.
type Step struct {
	Said   *regexp.Regexp // in a message; nil: all of them
	Result *regexp.Regexp // the tool whose result it is; nil: it is no result
	System *regexp.Regexp // in the instructions and the status note
	Needs  string         // a tool that must be on offer

	Text string
	Tool string // is called
	Args map[string]string
	// Do decides instead. With false the next step is tried.
	Do func(*Turn, Match) (Answer, bool)
}

// A Match is where a step matches.
type Match struct {
	At        int      // in Turn.Since
	Text      string   // of the message
	Groups    []string // of Said; the first is the whole match
	Tool      string   // of a result
	Arguments map[string]string
}

// Call makes a call of arguments that are strings.
func Call(tool string, args map[string]string) errand.ToolCall {
	if args == nil {
		args = map[string]string{}
	}
	raw, _ := json.Marshal(args) // strings always marshal
	return errand.ToolCall{Name: tool, Arguments: string(raw)}
}

// Answer plays the script. If the request forbids calls, the answer says so instead of calling.
func (s Script) Answer(t *Turn) Answer {
	var out Answer
	var lines []string
	for i, m := range t.Since {
		if m.Speaker == errand.FromAgent {
			continue
		}
		a := s.step(t, i)
		missing := slices.DeleteFunc(slices.Clone(a.Calls), func(c errand.ToolCall) bool { return t.Made(i, c) })
		switch {
		case a.Err != nil:
			return a
		case len(a.Calls) == 0:
			lines = append(lines, a.Text)
			out.Takes += a.Takes
		case len(missing) > 0 && t.Request.NoTools:
			lines = append(lines, fmt.Sprintf("I may not call more tools in this turn, so %q has to wait for your next message.", Cut(m.Text, 80)))
		default:
			out.Calls = append(out.Calls, missing...)
		}
	}
	if len(out.Calls) > 0 {
		return Answer{Calls: out.Calls}
	}
	lines = slices.DeleteFunc(lines, func(s string) bool { return s == "" })
	out.Text = strings.Join(lines, "\n\n")
	return out
}

// Last answers the last message alone, as the first step that matches it says.
func (s Script) Last(t *Turn) Answer {
	if len(t.Since) == 0 {
		return Answer{}
	}
	return s.step(t, len(t.Since)-1)
}

// step is what the first step that matches Since[i] answers; nothing, if none does.
func (s Script) step(t *Turn, i int) Answer {
	text := strings.TrimSpace(t.Since[i].Text)
	var call errand.ToolCall
	isResult := t.Since[i].Speaker == errand.FromTool
	if isResult {
		if call = t.CallOf(i); call.Name == "" {
			call.Name = "a tool"
		}
	}
	for _, step := range s {
		if isResult != (step.Result != nil) || isResult && !step.Result.MatchString(call.Name) {
			continue
		}
		needs := []string{step.Needs, step.Tool}
		if slices.ContainsFunc(needs, func(tool string) bool { return tool != "" && !t.Offers(tool) }) || step.System != nil && !step.System.MatchString(t.System) {
			continue
		}
		m := Match{At: i, Text: text, Groups: []string{text}, Tool: call.Name, Arguments: arguments(call)}
		if step.Said != nil {
			if m.Groups = step.Said.FindStringSubmatch(text); m.Groups == nil {
				continue
			}
		}
		if step.Do != nil {
			if a, ok := step.Do(t, m); ok {
				return a
			}
			continue
		}
		return step.answer(m)
	}
	return Answer{}
}

func (s Step) answer(m Match) Answer {
	if s.Tool == "" {
		return Answer{Text: m.expand(s.Text)}
	}
	args := map[string]string{}
	for name, value := range s.Args {
		args[name] = m.expand(value)
	}
	return Answer{Calls: []errand.ToolCall{Call(s.Tool, args)}}
}

func (m Match) expand(template string) string {
	return os.Expand(template, func(name string) string {
		n, err := strconv.Atoi(name)
		switch {
		case err == nil && n < len(m.Groups):
			return m.Groups[n]
		case name == "tool":
			return m.Tool
		case name == "agent":
			return m.Agent()
		}
		return m.Arguments[name]
	})
}

// Agent is the name, as people read it, of the agent that the call of a result went to.
func (m Match) Agent() string { return errand.AgentName(m.Arguments["agent"]).Display() }

// Cut returns the first n characters of s on one line.
func Cut(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// taskID is the id of a task: the letters of NewTaskID, so that a t-shirt is none.
var taskID = regexp.MustCompile(`\bt-[2-9a-hjkmnp-tw-z]{1,8}\b`)
