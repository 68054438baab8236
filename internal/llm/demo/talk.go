package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"errand"
	"errand/internal/llm/scripted"
)

// patterns of what people write and tools answer.
var (
	anything = regexp.MustCompile(`(?s).*`)
	failed   = regexp.MustCompile(`(?s)^error: (.*)`)
	taskID   = regexp.MustCompile(id)
	killing  = regexp.MustCompile(`(?is)` + kill + `.*?(` + id + `)|(` + id + `).*?` + kill)
	listing  = regexp.MustCompile(`(?i)\b(what|what's|who|who's|anything|something)\b.*\b(running|pending|going on|working|open)\b` +
		`|\b(list|show)\b.*\b(tasks?|errands?|agents?|pending|running)\b|^\W*(tasks|pending|running)\W*$`)
	wantsTool = regexp.MustCompile(taskID.String() + "|" + listing.String())
	asked     = regexp.MustCompile(`\b(?i:ask|tell|have|send|delegate to)\s+([A-Z][\w-]*)(?:\s+(?:to|about|for|and|whether|if)\b|:)`)
	ownName   = regexp.MustCompile(`\bYou are ([A-Z]\w*)`)
	web       = regexp.MustCompile(`^web_(search|fetch)$`)
)

const (
	id   = `\bt-[2-9a-hjkmnp-tw-z]{1,8}\b` // the letters of NewTaskID: a t-shirt is no task
	kill = `\b(?:cancel|stop|kill|abort)\b`
)

// talk is the demonstration model when it talks with a person.
var talk = scripted.Script{
	{Said: anything, Do: handedOver},
	{Said: regexp.MustCompile(`(?s)^\[reminder r-[0-9a-z]+[^\]]*\]\s*(.+)$`), Text: "It is time. You wanted to be reminded: $1"},
	{Said: anything, Do: func(t *scripted.Turn, m scripted.Match) (scripted.Answer, bool) {
		calls := delegations(t, m.Text)
		return scripted.Answer{Calls: calls}, len(calls) > 0
	}},
	{Said: killing, Tool: "kill_async_agent", Args: map[string]string{"task_id": "$1$2", "reason": "the person asked for it"}},
	{Said: taskID, Tool: "get_task", Args: map[string]string{"task_id": "$0"}},
	{Said: listing, Tool: "list_pending_async_agents"},
	{Said: regexp.MustCompile(`(?i)\bremind me\s+(?:to|that|about)\s+(.+?)\s+((?:in|at|on|every|tomorrow|tonight|next)\b.*?)[.! ]*$`),
		Tool: "remind_me", Args: map[string]string{"when": "$2", "text": "$1"}},
	{Said: regexp.MustCompile(`(?i)\bremind me\s+(.+?)\s+(?:to|that|about)\s+(.+?)[.! ]*$`),
		Tool: "remind_me", Args: map[string]string{"when": "$1", "text": "$2"}},
	{Said: regexp.MustCompile(`(?i)\b(?:read|open|fetch|summari[sz]e)\b.*?(https?://\S*[^\s.,;:!?)])`), Tool: "web_fetch", Args: map[string]string{"url": "$1"}},
	{Said: regexp.MustCompile(`(?is)^\W*(?:please\s+)?(?:look up|search(?:\s+the\s+web)?(?:\s+for)?|find out|research)\s+(.{1,200}?)[.!? ]*$`),
		Tool: "web_search", Args: map[string]string{"query": "$1"}},
	{Said: regexp.MustCompile(`(?i)\b(?:talk|speak|hand (?:me )?over|transfer(?: me)?|switch|back)\s+(?:to|with)\s+(\w+)`), Needs: "transfer_to_agent", Do: handOver},

	{Said: anything, System: regexp.MustCompile(`(?m)^You have just taken this conversation over from `), Do: tookOver},
	{Said: regexp.MustCompile(`(?i)\bremind me\b`), Text: "I cannot remind you: I have no tool for it here."},
	{Said: wantsTool, Text: "I cannot do that here: the tool for it is not on offer."},
	{Said: regexp.MustCompile(`(?i)^\W*(hi|hello|hey|good (morning|day|evening|afternoon)|moin|servus)\b`), Do: greet},
	{Said: regexp.MustCompile(`(?i)^\W*(thanks|thank you|cheers|great|perfect|ok(ay)?)\b`), Text: "You are welcome."},
	{Said: asked, Do: unknownAgent},
	{Said: anything, Do: noOpinion},

	{Result: anything, Said: regexp.MustCompile(`^` + errand.StoppedByPerson + `$`)}, // who stopped it knows
	{Result: regexp.MustCompile(`^(list_working_memory|recall|write_file|plan)$`)},   // its own notes are no news
	{Result: regexp.MustCompile(`^call_agent_async$`), Said: taskID, Text: "I sent ${agent} off: $0; I will tell you when it is done."},
	{Result: regexp.MustCompile(`^call_agent_async$`), Text: "I could not send ${agent} off: $0"},
	{Result: regexp.MustCompile(`^list_pending_async_agents$`), Text: "This is what I see running:\n$0"},
	{Result: regexp.MustCompile(`^kill_async_agent$`), Text: "I asked for ${task_id} to be stopped: $0"},
	{Result: regexp.MustCompile(`^transfer_to_agent$`), Said: failed, Text: "I cannot hand you over: $1"},
	{Result: regexp.MustCompile(`^transfer_to_agent$`), Do: tookOver},
	{Result: regexp.MustCompile(`^remind_me$`), Said: failed, Text: "I cannot remind you then: $1"},
	{Result: regexp.MustCompile(`^remind_me$`), Text: "$0"},
	{Result: web, Said: failed, Text: "That did not work: $1"},
	{Result: web, Said: webPage, Do: func(_ *scripted.Turn, m scripted.Match) (scripted.Answer, bool) {
		return scripted.Answer{Text: fmt.Sprintf("%s (%s) begins:\n\n%s", m.Groups[1], m.Groups[2], scripted.Cut(m.Groups[4], 600))}, true
	}},
	{Result: web, Said: regexp.MustCompile(`(?s)<web>\n(.*)\n</web>`), Text: "$1"},
	{Result: anything, Said: reportHead, Do: tell},
	{Result: regexp.MustCompile(`^get_task$`), Text: "About ${task_id}: $0"},
	{Result: regexp.MustCompile(`^call_agent$`), Text: "${agent}: $0"},
	{Result: anything, Text: "${tool} answered: $0"},
}

// handedOver answers nothing to a message that led to a hand-over: the agent who took over
// says that it is there.
func handedOver(t *scripted.Turn, m scripted.Match) (scripted.Answer, bool) {
	for _, later := range t.Since[m.At+1:] {
		if later.Speaker == errand.FromPerson {
			break
		}
		if slices.ContainsFunc(later.Calls, func(c errand.ToolCall) bool { return c.Name == "transfer_to_agent" }) {
			return scripted.Answer{}, true
		}
	}
	return scripted.Answer{}, false
}

func handOver(t *scripted.Turn, m scripted.Match) (scripted.Answer, bool) {
	agent := strings.ToLower(m.Groups[1])
	call := scripted.Call("transfer_to_agent", map[string]string{"agent": agent, "reason": "the person asked for it"})
	return scripted.Answer{Calls: []errand.ToolCall{call}}, slices.Contains(agentsOf(t), agent)
}

func tookOver(t *scripted.Turn, _ scripted.Match) (scripted.Answer, bool) {
	name := "I am"
	if m := ownName.FindStringSubmatch(t.System); m != nil {
		name = m[1] + " here: I am"
	}
	return scripted.Answer{Text: name + " the one you are talking with now."}, true
}

func greet(t *scripted.Turn, _ scripted.Match) (scripted.Answer, bool) {
	hello := "Hello! "
	if m := ownName.FindStringSubmatch(t.System); m != nil {
		hello = "Hello, " + m[1] + " here. "
	}
	return scripted.Answer{Text: hello + examples(t)}, true
}

func unknownAgent(t *scripted.Turn, m scripted.Match) (scripted.Answer, bool) {
	name := m.Groups[1]
	text := fmt.Sprintf("I know nobody called %s. I can ask %s.", name, displayed(agentsOf(t), " or "))
	if !t.Offers("call_agent") && !t.Offers("call_agent_async") {
		text = fmt.Sprintf("I cannot ask %s: there is nobody I can send on errands here.", name)
	}
	return scripted.Answer{Text: text}, !noName.MatchString(name)
}

func noOpinion(t *scripted.Turn, m scripted.Match) (scripted.Answer, bool) {
	return scripted.Answer{Takes: askedTime(m.Text), Text: fmt.Sprintf("You wrote %q. I am only the demonstration model, so I have no opinion on that. %s",
		scripted.Cut(m.Text, 80), examples(t))}, true
}

func examples(t *scripted.Turn) string {
	agents := agentsOf(t)
	if len(agents) == 0 {
		return "A real model would answer it here."
	}
	name := errand.AgentName(agents[0]).Display()
	if !t.Offers("call_agent") {
		return fmt.Sprintf(`Try "talk to %s".`, name)
	}
	return fmt.Sprintf(`Try "ask %s to compare night trains to Oslo", the same "in the background", "what is running?" or "cancel t-…".`, name)
}

// agentsOf are the agents whom the tools on offer can send on errands or hand over to.
func agentsOf(t *scripted.Turn) (agents []string) {
	for _, tool := range t.Request.Tools {
		var s struct {
			Properties struct {
				Agent struct {
					Enum []string `json:"enum"`
				} `json:"agent"`
			} `json:"properties"`
		}
		if !slices.Contains([]string{"call_agent", "call_agent_async", "transfer_to_agent"}, tool.Name) || json.Unmarshal(tool.Parameters, &s) != nil {
			continue
		}
		for _, name := range s.Properties.Agent.Enum {
			if name = strings.ToLower(name); !slices.Contains(agents, name) {
				agents = append(agents, name)
			}
		}
	}
	return agents
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

var timeAsked = regexp.MustCompile(`(?i)\b(?:work|works|working|take|takes|taking|wait|sleep|for)\s+(?:for\s+|about\s+)?` +
	`(\d+(?:\.\d+)?)\s*(?:(ms|milliseconds?)|(m|mins?|minutes?)|s|secs?|seconds?)\b`)

// askedTime is the time that text asks for ("work 3s", "take 2 minutes"), at
// most an hour; 0 if it does not.
func askedTime(text string) time.Duration {
	m := timeAsked.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	unit := "s"
	switch {
	case m[2] != "":
		unit = "ms"
	case m[3] != "":
		unit = "m"
	}
	d, err := time.ParseDuration(m[1] + unit)
	if err != nil {
		return 0
	}
	return min(d, time.Hour)
}
