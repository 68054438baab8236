package prompt

import "errand/internal/core"

// NoVerdict is the reasoning of an agent that gave no answer.
const NoVerdict = "(nothing)"

// VerdictMissing asks an agent again for its verdict.
func VerdictMissing(n core.Nonce, tool string) string {
	return n.Mark("your verdict is missing. Call " + tool + " now with YES, NO or ABSTAIN. Anything else counts as no verdict")
}

// VerdictUnclear is the result of a call without a clear verdict.
func VerdictUnclear(err error, tool string) string {
	return "error: " + err.Error() + ". Call " + tool + " again; that verdict is final."
}
