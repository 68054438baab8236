package tools

import (
	"context"
	"fmt"
	"strings"

	"errand"
	"errand/internal/store"
)

// index lists what the person was told without this agent and it has not looked at, and the
// late answers of peers, by their keys.
func (m memoryTools) index(ctx context.Context, call store.Call) (string, error) {
	if call.Task != nil {
		return "Nothing was told without you: you work on a task.", nil
	}
	unread, err := m.store.Unread(ctx, call)
	if err != nil {
		return "", err
	}
	filter := call.Sees()
	filter.Late, filter.Limit = true, maxIndexed
	late, err := m.store.Tasks(ctx, filter)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	listed := map[errand.TaskID]bool{}
	for _, t := range append(unread, late...) {
		if listed[t.ID] {
			continue
		}
		listed[t.ID] = true
		fmt.Fprintf(&b, "%s%s: %s, %s: %s\n", store.NotificationsPrefix, t.MemoryKey(), t.AgentList(), t.State, t.Title)
	}
	if b.Len() == 0 {
		return "Nothing was told without you, and nothing came late.", nil
	}
	return b.String(), nil
}

const maxIndexed = 20

// lateAnswer reads what peers have said late of a task: key is the task and the kind. It is
// read from then on.
func (m memoryTools) lateAnswer(ctx context.Context, call store.Call, key string) (string, error) {
	id, kind, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(key), "/"), "/")
	filter := call.Sees()
	filter.Late, filter.LateOf, filter.Kind = true, errand.TaskID(strings.ToLower(id)), errand.LateKind(kind)
	list, err := m.store.Tasks(ctx, filter)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, t := range list {
		parts = append(parts, t.Report(call.Nonce))
		if err := m.store.MarkRead(ctx, t.ID); err != nil {
			return "", err
		}
	}
	if len(parts) == 0 {
		return fmt.Sprintf("Nothing came late under %q; what has come is in %sindex.", store.NotificationsPrefix+"a2a/"+key, store.NotificationsPrefix), nil
	}
	return strings.Join(parts, "\n\n"), nil
}
