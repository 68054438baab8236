package scripted

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"errand/internal/core"
)

var (
	anything = regexp.MustCompile(`(?s).*`)
	failed   = regexp.MustCompile(`(?s)^error: (.*)`)
	killing  = regexp.MustCompile(`(?is)` + kill + `.*?(` + taskIDPattern + `)|(` + taskIDPattern + `).*?` + kill)
	listing  = regexp.MustCompile(`(?i)\b(what|what's|who|who's|anything|something)\b.*\b(running|pending|going on|working|open)\b` +
		`|\b(list|show)\b.*\b(tasks?|errands?|agents?|pending|running)\b|^\W*(tasks|pending|running)\W*$`)
	wantsTool = regexp.MustCompile(taskID.String() + "|" + listing.String())
	asked     = regexp.MustCompile(`\b(?i:ask|tell|have|send|delegate to)\s+([A-Z][\w-]*)(?:\s+(?:to|about|for|and|whether|if)\b|:)`)
	ownName   = regexp.MustCompile(`\bYou are ([A-Z]\w*)`)
	web       = regexp.MustCompile(`^web_(search|fetch)$`)
)

const kill = `\b(?:cancel|stop|kill|abort)\b`

var talk = Script{
	{Said: anything, Do: handedOver},
	{Said: regexp.MustCompile(`(?s)^\[reminder r-[0-9a-z]+[^\]]*\]\s*(.+)$`), Text: "It is time. You wanted to be reminded: $1"},
	{Said: anything, Do: func(t *Turn, m Match) (Answer, bool) {
		calls := delegations(t, m.Text)
		return Answer{Calls: calls}, len(calls) > 0
	}},
	{Said: killing, Tool: "kill_async_agent", Args: map[string]string{"task_id": "$1$2", "reason": "the user asked for it"}},
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

	// The person who stopped it needs no report.
	{Result: anything, Said: regexp.MustCompile(`^` + core.StoppedByPerson + `$`)},
	// Its own notes are not worth reporting.
	{Result: regexp.MustCompile(`^(list_working_memory|recall|write_file|plan)$`)},
	{Result: regexp.MustCompile(`^call_agent_async$`), Said: taskID, Text: "I sent ${agent} off: $0; I will tell you when it is done."},
	{Result: regexp.MustCompile(`^call_agent_async$`), Text: "I could not send ${agent} off: $0"},
	{Result: regexp.MustCompile(`^list_pending_async_agents$`), Text: "This is what I see running:\n$0"},
	{Result: regexp.MustCompile(`^kill_async_agent$`), Text: "I asked for ${task_id} to be stopped: $0"},
	{Result: regexp.MustCompile(`^transfer_to_agent$`), Said: failed, Text: "I cannot hand you over: $1"},
	{Result: regexp.MustCompile(`^transfer_to_agent$`), Do: tookOver},
	{Result: regexp.MustCompile(`^remind_me$`), Said: failed, Text: "I cannot remind you then: $1"},
	{Result: regexp.MustCompile(`^remind_me$`), Text: "$0"},
	{Result: web, Said: failed, Text: "That did not work: $1"},
	{Result: web, Said: webPage, Do: func(_ *Turn, m Match) (Answer, bool) {
		return Answer{Text: fmt.Sprintf("%s (%s) begins:\n\n%s", m.Groups[1], m.Groups[2], Cut(m.Groups[4], 600))}, true
	}},
	{Result: web, Said: regexp.MustCompile(`(?s)<web>\n(.*)\n</web>`), Text: "$1"},
	{Result: anything, Said: reportHead, Do: tell},
	{Result: regexp.MustCompile(`^get_task$`), Text: "About ${task_id}: $0"},
	{Result: regexp.MustCompile(`^call_agent$`), Text: "${agent}: $0"},
	{Result: anything, Text: "${tool} answered: $0"},
}

// handedOver returns an empty answer, because the agent that took over answers.
func handedOver(t *Turn, m Match) (Answer, bool) {
	for _, later := range t.Since[m.At+1:] {
		if later.Speaker == core.FromPerson {
			break
		}
		if slices.ContainsFunc(later.Calls, func(c core.ToolCall) bool { return c.Name == "transfer_to_agent" }) {
			return Answer{}, true
		}
	}
	return Answer{}, false
}

func handOver(t *Turn, m Match) (Answer, bool) {
	agent := strings.ToLower(m.Groups[1])
	call := Call("transfer_to_agent", map[string]string{"agent": agent, "reason": "the user asked for it"})
	return Answer{Calls: []core.ToolCall{call}}, slices.Contains(agentsOf(t), agent)
}

func tookOver(t *Turn, _ Match) (Answer, bool) {
	name := "I am"
	if m := ownName.FindStringSubmatch(t.System); m != nil {
		name = m[1] + " here: I am"
	}
	return Answer{Text: name + " the one you are talking with now."}, true
}

func greet(t *Turn, _ Match) (Answer, bool) {
	hello := "Hello! "
	if m := ownName.FindStringSubmatch(t.System); m != nil {
		hello = "Hello, " + m[1] + " here. "
	}
	return Answer{Text: hello + examples(t)}, true
}

func unknownAgent(t *Turn, m Match) (Answer, bool) {
	name := m.Groups[1]
	text := fmt.Sprintf("I don't know an agent called %s. I can ask %s.", name, displayed(agentsOf(t), " or "))
	if !t.Offers("call_agent") && !t.Offers("call_agent_async") {
		text = fmt.Sprintf("I can't ask %s: I have no agents to ask here.", name)
	}
	return Answer{Text: text}, !noName.MatchString(name)
}

func noOpinion(t *Turn, m Match) (Answer, bool) {
	return Answer{Takes: askedTime(m.Text), Text: fmt.Sprintf("You wrote %q. I am only the demonstration model, so I can't answer that. %s",
		Cut(m.Text, 80), examples(t))}, true
}

func examples(t *Turn) string {
	agents := agentsOf(t)
	if len(agents) == 0 {
		return "A real model would answer it here."
	}
	name := core.AgentName(agents[0]).Display()
	if !t.Offers("call_agent") {
		return fmt.Sprintf(`Try "talk to %s".`, name)
	}
	return fmt.Sprintf(`Try "ask %s to compare night trains to Oslo", the same "in the background", "what is running?" or "cancel t-…".`, name)
}

func agentsOf(t *Turn) (agents []string) {
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
		out = append(out, core.AgentName(n).Display())
	}
	if len(out) < 2 {
		return strings.Join(out, "")
	}
	return strings.Join(out[:len(out)-1], ", ") + or + out[len(out)-1]
}

var timeAsked = regexp.MustCompile(`(?i)\b(?:work|works|working|take|takes|taking|wait|sleep|for)\s+(?:for\s+|about\s+)?` +
	`(\d+(?:\.\d+)?)\s*(?:(ms|milliseconds?)|(m|mins?|minutes?)|s|secs?|seconds?)\b`)

// askedTime parses "work 3s" or "take 2 minutes", up to an hour. It returns 0 if text has
// neither.
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
