// Package scripted plays models by a script, in the place of an [llm.Client]. The offline
// demonstration model, [NewDemo], is one. Simulators and measurements have others.
//
// A [Script] is a list of steps. It answers a [Turn]: the messages since the agent's last
// final answer. For each message of a person and for each tool result, the first step that
// matches decides what to do. Calls come first, all in one answer. A call that was already
// made after its message is not made again. When all calls have their results, the answer
// consists of the texts of all steps, a paragraph each. A script therefore has no state, and
// the same request gets the same answer. [Script.Last] looks only at the last message.
//
// A step matches
//   - a message of a person, or of the agent that gave the task, if it matches Said;
//   - the result of a tool, if the tool's name matches Result and the text matches Said;
//   - and only if the instructions or the status note match System, and the model is offered both
//     the tool in Needs and the tool that the step calls.
//
// It answers with a text, with a call, or with what its function Do returns: several calls,
// an error, a delay, pieces of a stream. In Text and Args, $1 is a group of Said and $0 its
// whole match (the whole text, if Said is nil). In the Text for a result, ${tool} is the
// name of the tool, ${task_id} an argument of the call, and ${agent} the name of its agent.
//
// A model that needs more than the request, such as the number of the call, is a [Func].
// Package sim/models serves any model over HTTP.
package scripted

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"errand/internal/core"
)

// A Script is a list of steps. The first that matches is taken.
type Script []Step

// A Step is one rule of a script.
type Step struct {
	Said   *regexp.Regexp // matches the message; nil: any message
	Result *regexp.Regexp // matches the tool of a result; nil: the step is for messages
	System *regexp.Regexp // matches the instructions and the status note; nil: any
	Needs  string         // a tool that must be on offer

	Text string
	Tool string // the tool to call
	Args map[string]string
	// Do, if set, decides instead. If it returns false, the next step is tried.
	Do func(*Turn, Match) (Answer, bool)
}

// A Match is the message that a step matches.
type Match struct {
	At        int      // its index in Turn.Since
	Text      string   // of the message
	Groups    []string // of Said; the first is the whole match
	Tool      string   // of a result
	Arguments map[string]string
}

// Call returns a call with string arguments.
func Call(tool string, args map[string]string) core.ToolCall {
	if args == nil {
		args = map[string]string{}
	}
	raw, _ := json.Marshal(args) // strings always marshal
	return core.ToolCall{Name: tool, Arguments: string(raw)}
}

// Answer runs the script. If the request forbids calls, the answer says so instead of
// calling.
func (s Script) Answer(t *Turn) Answer {
	var out Answer
	var lines []string
	for i, m := range t.Since {
		if m.Speaker == core.FromAgent {
			continue
		}
		a := s.step(t, i)
		missing := slices.DeleteFunc(slices.Clone(a.Calls), func(c core.ToolCall) bool { return t.Made(i, c) })
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

// Last answers only the last message, with the first step that matches it.
func (s Script) Last(t *Turn) Answer {
	if len(t.Since) == 0 {
		return Answer{}
	}
	return s.step(t, len(t.Since)-1)
}

func (s Script) step(t *Turn, i int) Answer {
	text := strings.TrimSpace(t.Since[i].Text)
	var call core.ToolCall
	isResult := t.Since[i].Speaker == core.FromTool
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
	return Answer{Calls: []core.ToolCall{Call(s.Tool, args)}}
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

// Agent returns the display name of the agent in the arguments of the call.
func (m Match) Agent() string { return core.AgentName(m.Arguments["agent"]).Display() }

// Cut puts s on one line and shortens it to n characters.
func Cut(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// taskIDPattern uses the alphabet of NewTaskID, so that "t-shirt" is not a task.
const taskIDPattern = `\bt-[2-9a-hjkmnp-tw-z]{1,8}\b`

var taskID = regexp.MustCompile(taskIDPattern)
