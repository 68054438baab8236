package prompt_test

import (
	"testing"

	"errand/internal/core"
	"errand/internal/prompt"
)

// TestNonceStaysInThePrompt proves that what a model wrote goes on without the nonce
// of its prompt, and what people read without any.
func TestNonceStaysInThePrompt(t *testing.T) {
	n := core.Nonce("§7k3m9q2x")
	for wrote, want := range map[string]string{
		"no mark": "no mark", "see [§7k3m9q2x attached: a]": "see [attached: a]", "the word is §7k3m9q2x": "the word is ", "it is 7k3m9q2x.": "it is .",
		`{"task": "\u00a77k3m9q2x report"}`: `{"task": "report"}`, "": "", "§ 7": "§ 7",
	} {
		if got := prompt.Without(n, wrote); got != want {
			t.Errorf("%q without it is %q", wrote, got)
		}
	}
	wrote := `[§7k3m9q2x a] §7k3m9q2 7k7k3m9q2x. §§7k3m9q2x \u00a77k3m9q2x b \u00a §7k3m9q2x`
	for cut := range wrote {
		for then := cut; then < len(wrote); then++ {
			f := prompt.Filter(n)
			if got, want := f.Next(wrote[:cut])+f.Next(wrote[cut:then])+f.Next(wrote[then:])+f.Rest(), "[a] §7k3m9q2 7k. §b \\u00a "; got != want {
				t.Fatalf("cut at %d and %d it is %q, want %q", cut, then, got, want)
			}
		}
	}
	if f := prompt.Filter(n); f.Next("hello §") != "hello " || f.Next(" 823") != "§ 823" || f.Rest() != "" {
		t.Error("more is held back than may be the beginning of it")
	}
	if got := prompt.Without("", "abc"); got != "abc" {
		t.Errorf("without none it is %q", got)
	}
	for text, want := range map[string]string{
		n.Mark("attached: a") + "\n" + n.Block("report", "x"): "[attached: a]\n<report>\nx\n</report>",
		"§ 823 BGB, §7k3m9q2x [§1] <§>":                       "§ 823 BGB, §7k3m9q2x [§1] <§>", "plain": "plain",
	} {
		if got := core.Unmarked(text); got != want {
			t.Errorf("people read %q", got)
		}
	}
}
