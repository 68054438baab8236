package prompt

import (
	"fmt"

	"errand/internal/core"
)

// ToolGone is the result of a call of a tool that no worker has.
const ToolGone = "error: this tool no longer exists"

// ToolNotAllowed is the result of a call that the person no longer has the right to make.
func ToolNotAllowed(tool string) string {
	return fmt.Sprintf("error: this user may no longer use %s; it was not run", tool)
}

// OutcomeUnknown is the result of a call that may have had its effect. once means that the tool
// must not run twice.
func OutcomeUnknown(cause error, once bool) string {
	next := "errand will not run it again. Check whether it took effect before you call it again."
	if once {
		next = "It may have taken effect, and must not run twice. Call it again only if you have checked that it did not. If you cannot check, tell the user."
	}
	return fmt.Sprintf("error: outcome unknown: %v. %s", cause, next)
}

// ToolGivenUp is the result of a call during which errand stopped at every start.
func ToolGivenUp(tool string, starts int) string {
	const says = "error: %s was started %d times, and errand stopped each time before it finished. It will not be started again. Tell the user why."
	return fmt.Sprintf(says, tool, starts)
}

// ResultCut follows a result that was shortened.
func ResultCut(bytes, kept int) string {
	return fmt.Sprintf("\n(cut: the result had %d bytes; %d are kept)", bytes, kept)
}

// NotApproved is the result of a call that needs an approval and has none.
func NotApproved(tool string) string {
	return fmt.Sprintf("error: %s needs an approval and was not run. Call it again to request one.", tool)
}

// ApprovedFilesChanged is the result of a call whose files have changed since the approval.
func ApprovedFilesChanged(tool string, approval core.QuestionID) string {
	return fmt.Sprintf("error: %s was not run: its files have changed since the approval (%s). Call it again to request an approval for the new files.", tool, approval)
}

// ApproverGone is the result of a call whose approver no longer has the right to approve it.
func ApproverGone(tool string, approval core.QuestionID) string {
	return fmt.Sprintf("error: the person who approved %s may no longer approve this call; %s was not run. Call it again to request another approval.", approval, tool)
}
