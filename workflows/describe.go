package workflows

import (
	"fmt"
	"strings"

	"go.temporal.io/sdk/temporal"

	"errand"
)

// The search attributes, shown as columns and filters in the Temporal Web UI.
var (
	attrAgent   = temporal.NewSearchAttributeKeyKeyword("ErrandAgent")
	attrChannel = temporal.NewSearchAttributeKeyKeyword("ErrandChannel")
	attrSession = temporal.NewSearchAttributeKeyKeyword("ErrandSession")
	attrState   = temporal.NewSearchAttributeKeyKeyword("ErrandState")
	attrDepth   = temporal.NewSearchAttributeKeyInt64("ErrandDepth")
)

func openTasksLine(open []errand.TaskID) string {
	if len(open) == 0 {
		return "no open tasks"
	}
	ids := make([]string, len(open))
	for i, id := range open {
		ids[i] = "`" + string(id) + "`"
	}
	return "open tasks: " + strings.Join(ids, ", ")
}

func spent(tokens int, cost float64) string {
	return fmt.Sprintf("%d tokens, %.4f USD so far", tokens, cost)
}
