package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"

	"go.temporal.io/sdk/temporal"

	"errand/internal/core"
)

// ClaimID is the id of the Claim workflow. A namespace has at most one.
const ClaimID = "errand-store"

// ClaimMemo is the field of the Claim workflow's memo that contains the store's id.
const ClaimMemo = "store"

func ConnectionID(a core.Account) string {
	return "connection/" + url.PathEscape(a.Channel) + "/" + url.PathEscape(a.Name)
}

// The search attributes, shown as columns and filters in the Temporal Web UI.
var (
	AttrAgent   = temporal.NewSearchAttributeKeyKeyword("ErrandAgent")
	AttrChannel = temporal.NewSearchAttributeKeyKeyword("ErrandChannel")
	AttrSession = temporal.NewSearchAttributeKeyKeyword("ErrandSession")
	AttrState   = temporal.NewSearchAttributeKeyKeyword("ErrandState")
	AttrTitle   = temporal.NewSearchAttributeKeyKeyword("ErrandTitle")
	AttrDepth   = temporal.NewSearchAttributeKeyInt64("ErrandDepth")
)

// MaintenanceID is the id of the schedule of the Maintenance workflow, and the prefix of the ids of
// its runs.
const MaintenanceID = "errand-maintenance"

// BackupID is the id of the schedule of the Backup workflow, and the prefix of the ids of its runs.
const BackupID = "errand-backup"

// Priorities in Temporal: people first, then tasks, then maintenance.
const (
	PriorityPeople = 1
	PriorityTasks  = 3
	PriorityUpkeep = 5
)

// ForTask is the priority of a person's task. Everything that its workflow starts inherits the
// fairness key. If the server supports fairness (matching.enableFairness), the tasks of different
// people take turns on [SubAgentQueue], and so do their webhooks on [WebhookQueue]. Other servers
// ignore the key.
func ForTask(person core.PersonID) temporal.Priority {
	key := string(person)
	if len(key) > 64 { // Temporal's maximum
		sum := sha256.Sum256([]byte(key))
		key = hex.EncodeToString(sum[:16])
	}
	return temporal.Priority{PriorityKey: PriorityTasks, FairnessKey: key}
}

func OutboxID(r core.Route) string {
	parts := []string{"outbox", r.Channel, r.Account, r.Chat}
	if r.Thread != "" {
		parts = append(parts, r.Thread)
	}
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}
