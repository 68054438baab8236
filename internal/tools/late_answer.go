package tools

import (
	"context"
	"fmt"
	"strings"

	"errand/internal/core"
	"errand/internal/store"
)

// index lists notifications that the person got without this agent, and late answers of peers.
func (m memoryTools) index(ctx context.Context, call store.Call) (string, error) {
	if call.Task != nil {
		return "Nothing was delivered without you: you work on a task.", nil
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
	listed := map[core.TaskID]bool{}
	for _, t := range append(unread, late...) {
		if listed[t.ID] {
			continue
		}
		listed[t.ID] = true
		fmt.Fprintf(&b, "%s%s: %s, %s: %s\n", store.NotificationsPrefix, t.MemoryKey(), t.AgentList(), t.State, t.Title)
	}
	if b.Len() == 0 {
		return "Nothing was delivered without you, and nothing came late.", nil
	}
	return b.String(), nil
}

const maxIndexed = 20

// lateAnswer returns the late answers of a task and kind, and marks the task as read.
func (m memoryTools) lateAnswer(ctx context.Context, call store.Call, key string) (string, error) {
	id, kind, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(key), "/"), "/")
	filter := call.Sees()
	filter.Late, filter.LateOf, filter.Kind = true, core.TaskID(strings.ToLower(id)), core.LateKind(kind)
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
		return fmt.Sprintf("Nothing came late under %q; %sindex lists what has come.", store.NotificationsPrefix+"a2a/"+key, store.NotificationsPrefix), nil
	}
	return strings.Join(parts, "\n\n"), nil
}
