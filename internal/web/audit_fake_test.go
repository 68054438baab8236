package web

import (
	"context"
	"fmt"
	"strings"

	"errand/internal/service"
)

func (m *memory) Audit(_ context.Context, by service.Actor, f service.AuditFilter) ([]service.AuditEntry, error) {
	m.note("Audit", fmt.Sprintf("%s|%s|%s|%d|%d|%d", f.Person, strings.Join(f.Deeds, " "), f.Of, f.Since.Unix(), f.Before, f.Limit))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asks = by
	return []service.AuditEntry{{ID: 7, Deed: "tasks.cancel", Kind: "task", Subject: "t-1"}}, nil
}
