package texts

import (
	"testing"

	"errand/internal/core"
)

// TestDecisionInTheirLanguage proves that a decision is told in the language of whoever
// reads it: the answer, what was counted and what was not, and what follows; and that the
// reasons, which are others' words, stay as they are.
func TestDecisionInTheirLanguage(t *testing.T) {
	task := &core.Task{
		State: core.Completed, Agents: []core.AgentName{"finn", "priest", "vera", "sasha"}, Decision: core.AnswerNoQuorum, Policy: "majority",
		Result: "Decision: …", FollowedBy: "t-7k3m9q2x", Else: &core.Branch{Agents: []core.AgentName{"sasha"}, Task: "say why"},
		Verdicts: []core.GivenVerdict{
			{Agent: "finn", Standing: core.StandingCounted, Verdict: core.Yes, Confidence: 0.9, Reasoning: "it builds {answer}"},
			{Agent: "priest", Standing: core.StandingLate, Verdict: core.No, Reasoning: "no"},
			{Agent: "vera", Standing: core.StandingInvalid, Reasoning: "I like it"},
			{Agent: "sasha", Standing: core.StandingAbsent, Reasoning: core.ReasonNoReport.Text()},
		},
	}
	c := catalog(t, nil)
	for language, want := range map[string]string{
		"en": "Decision: NO_QUORUM, by the policy \"majority\".\n4 asked; 1 counted: 1 YES, 0 NO, 0 ABSTAIN; 1 invalid, 1 late, 1 absent.\n\n" +
			"## Finn: YES, confidence 0.9\nit builds {answer}\n\n## Priest: late, not counted (NO)\nno\n\n## Vera: invalid, not counted: the answer was not a verdict\nI like it\n\n" +
			"## Sasha: absent, not counted\n(no report)\n\nAs requested, t-7k3m9q2x has been started: sasha, say why",
		"es": "Decisión: SIN QUÓRUM, ni sí ni no, según la política «majority».\n4 preguntados; 1 contados: 1 SÍ, 0 NO, 0 abstenciones; 1 no válidos, 1 tarde, 1 ausentes.\n\n" +
			"## Finn: SÍ, confianza 0.9\nit builds {answer}\n\n## Priest: tarde, no cuenta (NO)\nno\n\n## Vera: no válido, no cuenta: su respuesta no era un veredicto\nI like it\n\n" +
			"## Sasha: ausente, no cuenta\n(sin informe)\n\nComo se pidió, se ha puesto en marcha t-7k3m9q2x: sasha, say why",
	} {
		words := c.For(language)
		if got := words.TaskResult(task); got != want {
			t.Errorf("%s: the decision reads\n%s\nwant\n%s", language, got, want)
		}
		if got := words.TaskError(task); got != "" {
			t.Errorf("%s: it went wrong: %s", language, got)
		}
	}
}
