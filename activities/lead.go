package activities

import (
	"slices"
	"strings"

	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/texts"
)

// decideLead decides which agent answers in a session. The agent stays unless the person has agreed
// to another one, its time is over, or the person may not use it any more. In the last two cases
// the primary agent takes over and says so.
func (t *Thinker) decideLead(here *agents.Roster, l store.Lead) store.LeadDecision {
	may := t.leaders(here, l.Role)
	stays := store.LeadDecision{Lead: l, Next: l.Agent}
	_, known := t.roster.Agent(l.Agent)
	key := ""
	switch {
	case l.Agreed != "" && (l.Agreed == may.Primary || slices.Contains(may.Others, l.Agreed)):
		return store.LeadDecision{Lead: l, Next: l.Agreed, Notice: t.text(l.Language, "handover.takes_over", "agent", l.Agreed.Display()), Cause: "consent"}
	case l.Agreed != "", l.Agent == may.Primary:
		return stays
	case !known:
		key = "handover.agent_gone"
	case !slices.Contains(may.Others, l.Agent):
		key = "handover.agent_closed"
	case l.Expired:
		key = "handover.expired"
	default:
		return stays
	}
	return store.LeadDecision{Lead: l, Next: may.Primary, Cause: strings.TrimPrefix(key, "handover."),
		Notice: t.text(l.Language, key, "agent", l.Agent.Display(), "primary", may.Primary.Display())}
}

func (t *Thinker) handedOver(b *store.StepInput, from, to core.AgentName, cause string) {
	t.metrics.HandOvers.Add(string(from), string(to), cause)
	t.logger.Info("conversation handed over", "session", b.Session, "from", from, "to", to, "cause", cause)
}

func consent(text string) store.Consent {
	yes, no := texts.Consent(text)
	return store.Consent{Text: text, Yes: yes, No: no}
}
