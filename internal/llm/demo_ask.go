package llm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"errand"
)

// What the demonstration model understands of what people write.
var (
	greeting    = regexp.MustCompile(`(?i)^\W*(hi|hello|hey|good (morning|day|evening|afternoon)|moin|servus)\b`)
	takenOver   = regexp.MustCompile(`(?m)^You have just taken this conversation over from `)
	thanks      = regexp.MustCompile(`(?i)^\W*(thanks|thank you|cheers|great|perfect|ok(ay)?)\b`)
	taskID      = regexp.MustCompile(`\bt-[2-9a-hjkmnp-tw-z]{1,8}\b`) // the letters of NewTaskID: a t-shirt is no task
	killing     = regexp.MustCompile(`(?i)\b(cancel|stop|kill|abort)\b`)
	listing     = regexp.MustCompile(`(?i)\b(what|what's|who|who's|anything|something)\b.*\b(running|pending|going on|working|open)\b|\b(list|show)\b.*\b(tasks?|errands?|agents?|pending|running)\b|^\W*(tasks|pending|running)\W*$`)
	reminded    = regexp.MustCompile(`(?s)^\[reminder r-[0-9a-z]+[^\]]*\]\s*(.+)$`) // see internal/store/reminder_fire.go
	reminding   = regexp.MustCompile(`(?i)\bremind me\s+(.+?)\s+(?:to|that|about)\s+(.+)$`)
	remindingTo = regexp.MustCompile(`(?i)\bremind me\s+(?:to|that|about)\s+(.+?)\s+((?:in|at|on|every|tomorrow|tonight|next)\b.*)$`)
	handover    = regexp.MustCompile(`(?i)\b(?:talk|speak|hand (?:me )?over|transfer(?: me)?|switch|back)\s+(?:to|with)\s+(\w+)`)
	background  = regexp.MustCompile(`(?i)[\s,;]*\b(in the background|meanwhile|in the meantime|async(hronously)?|later\W*$|(and )?(do not|don't) wait( for (it|her|him|them))?)[\s,;]*`)
	asking      = regexp.MustCompile(`(?i)\b(?:ask|tell|have|get|let|send|order|delegate to)\s+(?:the\s+)?`)
	askedAgents = regexp.MustCompile(`\b(?i:ask|tell|have|send|delegate to)\s+([A-Z][\w-]*)(?:\s+(?:to|about|for|and|whether|if)\b|:)`)
	addressed   = regexp.MustCompile(`(?is)^\s*@?([\w-]+)\s*[,:]\s*(?:please\s+)?(.+)$`)
	timeAsked   = regexp.MustCompile(`(?i)\b(?:work|works|working|take|takes|taking|wait|sleep|for)\s+(?:for\s+|about\s+)?(\d+(?:\.\d+)?)\s*(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m)\b`)
)

// A demoRequest is a piece of work for one agent.
type demoRequest struct{ agent, task string }

func (t *demoTurn) calls(text string) []openai.ToolCall {
	if reminded.MatchString(text) {
		return nil
	}
	if name, arguments := t.understood(text); name != "" {
		if !t.offers(name) {
			return nil
		}
		return []openai.ToolCall{demoCall(name, arguments)}
	}
	tool := "call_agent"
	if background.MatchString(text) && t.offers("call_agent_async") || !t.offers(tool) {
		tool = "call_agent_async"
	}
	if !t.offers(tool) {
		return nil
	}
	var calls []openai.ToolCall
	for _, e := range t.requests(text) {
		calls = append(calls, demoCall(tool, map[string]string{"agent": e.agent, "task": e.task}))
	}
	return calls
}

func (t *demoTurn) understood(text string) (tool string, arguments map[string]string) {
	if len(t.requests(text)) > 0 {
		return "", nil
	}
	id := taskID.FindString(text)
	switch {
	case id != "" && killing.MatchString(text):
		return "kill_async_agent", map[string]string{"task_id": id, "reason": "the person asked for it"}
	case id != "":
		return "get_task", map[string]string{"task_id": id}
	case listing.MatchString(text):
		return "list_pending_async_agents", map[string]string{}
	}
	if m := remindingTo.FindStringSubmatch(text); m != nil {
		return "remind_me", map[string]string{"when": strings.TrimRight(m[2], ".! "), "text": m[1]}
	}
	if m := reminding.FindStringSubmatch(text); m != nil {
		return "remind_me", map[string]string{"when": m[1], "text": strings.TrimRight(m[2], ".! ")}
	}
	if name, arguments := lookupCall(text); name != "" && t.offers(name) && !isSubAgent.MatchString(t.system) {
		return name, arguments
	}
	if m := handover.FindStringSubmatch(text); m != nil && slices.Contains(t.agents, strings.ToLower(m[1])) {
		return "transfer_to_agent", map[string]string{"agent": strings.ToLower(m[1]), "reason": "the person asked for it"}
	}
	return "", nil
}

// requests are the pieces of work in text: "ask Sasha and Finn to X", "have
// Sasha X, then ask Finn to Y", "Sasha, please X". A request inside another's
// task ("ask Sasha to ask Finn to X") belongs to that task.
func (t *demoTurn) requests(text string) []demoRequest {
	type match struct {
		agents       []string
		begin, start int // of the request, of its task
	}
	var matches []match
	for _, m := range asking.FindAllStringIndex(text, -1) {
		agents, n := t.names(text[m[1]:])
		before := strings.ToLower(strings.TrimSpace(text[:m[0]]))
		nested := strings.HasSuffix(before, " to")
		if len(matches) > 0 {
			last := matches[len(matches)-1].start
			nested = nested || m[0] < last || strings.TrimSpace(text[last:m[0]]) == ""
		}
		if len(agents) > 0 && !nested {
			matches = append(matches, match{agents, m[0], m[1] + n})
		}
	}
	var out []demoRequest
	for i, m := range matches {
		until := len(text)
		if i+1 < len(matches) {
			until = matches[i+1].begin
		}
		for _, a := range m.agents {
			out = append(out, demoRequest{a, tidyTask(text[m.start:until])})
		}
	}
	if m := addressed.FindStringSubmatch(text); len(out) == 0 && m != nil {
		if agents, n := t.names(m[1]); n == len(m[1]) {
			for _, a := range agents {
				out = append(out, demoRequest{a, tidyTask(m[2])})
			}
		}
	}
	return slices.DeleteFunc(out, func(e demoRequest) bool { return e.task == "" })
}

// names reads the agents at the beginning of s ("Sasha, Finn and Priest to …"),
// and says how much of s they are.
func (t *demoTurn) names(s string) (agents []string, n int) {
	for {
		at := 0
		if len(agents) > 0 {
			sep := between.FindStringIndex(s[n:])
			if sep == nil {
				return agents, n
			}
			at = sep[1]
		}
		word := nameWord.FindString(s[n+at:])
		name := strings.ToLower(strings.TrimPrefix(word, "@"))
		if word == "" || !t.isAgent(word, name) {
			return agents, n
		}
		agents = append(agents, name)
		n += at + len(word)
	}
}

var (
	between  = regexp.MustCompile(`(?i)^(\s*,\s*(and\s+)?|\s+and\s+|\s*&\s*)`)
	nameWord = regexp.MustCompile(`^@?[\w-]+`)
	noName   = regexp.MustCompile(`(?i)^(me|us|him|her|them|it|you|a|an|the|my|your|this|that|to|no|some|any)$`)
)

// isAgent reports whether name, written as word, can be asked. Where the tools
// do not say who can, whatever is written like a name may.
func (t *demoTurn) isAgent(word, name string) bool {
	if len(t.agents) == 0 {
		return word[0] >= 'A' && word[0] <= 'Z' && !noName.MatchString(name)
	}
	return slices.Contains(t.agents, name)
}

func tidyTask(s string) string {
	s = background.ReplaceAllString(s, " ")
	for {
		tidied := strings.Trim(asWord.ReplaceAllString(s, ""), " \n\t,;:.!")
		if tidied == s {
			return s
		}
		s = tidied
	}
}

var asWord = regexp.MustCompile(`(?i)^(please|off to|to)\s+|\s+(and|then|also|please)$`)

// askedTime is the time that text asks for ("work 3s", "take 2 minutes"), at
// most an hour; 0 if it does not.
func askedTime(text string) time.Duration {
	m := timeAsked.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	unit := "s"
	switch {
	case strings.HasPrefix(m[2], "ms"), strings.HasPrefix(strings.ToLower(m[2]), "milli"):
		unit = "ms"
	case strings.HasPrefix(strings.ToLower(m[2]), "m"):
		unit = "m"
	}
	d, err := time.ParseDuration(m[1] + unit)
	if err != nil {
		return 0
	}
	return min(d, time.Hour)
}

// reply answers a message that no tool is called for.
func (t *demoTurn) reply(text string) string {
	if m := reminded.FindStringSubmatch(text); m != nil {
		return "It is time. You wanted to be reminded: " + strings.TrimSpace(m[1])
	}
	name, _ := t.understood(text)
	switch {
	case takenOver.MatchString(t.system):
		return t.tookOver("")
	case name == "remind_me":
		return "I cannot remind you: I have no tool for it here."
	case name != "":
		return fmt.Sprintf("I cannot do that here: the tool %s is not on offer.", name)
	case greeting.MatchString(text):
		if m := ownName.FindStringSubmatch(t.system); m != nil {
			return "Hello, " + m[1] + " here. " + t.examples()
		}
		return "Hello! " + t.examples()
	case thanks.MatchString(text):
		return "You are welcome."
	}
	if m := askedAgents.FindStringSubmatch(text); m != nil && !noName.MatchString(m[1]) {
		if !t.offers("call_agent") && !t.offers("call_agent_async") {
			return fmt.Sprintf("I cannot ask %s: there is nobody I can send on errands here.", m[1])
		}
		return fmt.Sprintf("I know nobody called %s. I can ask %s.", m[1], displayed(t.agents, " or "))
	}
	return fmt.Sprintf("You wrote %q. I am only the demonstration model, so I have no opinion on that. %s", cut(text, 80), t.examples())
}

func (t *demoTurn) examples() string {
	if len(t.agents) == 0 {
		return "A real model would answer it here."
	}
	who := errand.AgentName(t.agents[0]).Display()
	if !t.offers("call_agent") {
		return fmt.Sprintf(`Try "talk to %s".`, who)
	}
	return fmt.Sprintf(`Try "ask %s to compare night trains to Oslo", the same "in the background", "what is running?" or "cancel t-…".`, who)
}

func displayed(names []string, or string) string {
	var out []string
	for _, n := range names {
		out = append(out, errand.AgentName(n).Display())
	}
	if len(out) < 2 {
		return strings.Join(out, "")
	}
	return strings.Join(out[:len(out)-1], ", ") + or + out[len(out)-1]
}
