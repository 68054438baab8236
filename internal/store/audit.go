package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// Values of Via and Door for actions that a person did not do directly.
const (
	viaProgram = "program"
	doorAgent  = "agent"
	doorCLI    = "cli"
)

// doerOf returns the actor of ctx for the audit log; nil: errand itself acts.
func doerOf(ctx context.Context) *core.Doer {
	by, ok := actor.FromContext(ctx)
	if !ok {
		return nil
	}
	d := &core.Doer{Person: by.Person, Via: by.Token(), Door: by.Door()}
	switch {
	case by.Tool() != "":
		d.Via, d.Door = string(by.Agent()), doorAgent
	case by.IsProgram():
		d.Via = cmp.Or(d.Via, viaProgram)
	}
	return d
}

type did struct {
	kind, subject string
	whose         core.PersonID
	detail        string
}

func (t *tx) audit(deed core.Deed, d did) error {
	if t.doer == nil {
		return nil
	}
	_, err := t.Exec(`INSERT INTO audit (at, person, via, door, what, kind, subject, whose, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		t.now, t.doer.Person, t.doer.Via, t.doer.Door, deed, d.kind, harmless(d.subject), d.whose, d.detail)
	return err
}

// personOf returns the owner of a conversation; empty: several people share it.
func personOf(key core.SessionKey) core.PersonID {
	_, person, err := key.Parse()
	if err != nil {
		return ""
	}
	return person
}

// An AuditFilter selects entries. Its zero value selects all.
type AuditFilter struct {
	Person core.PersonID
	Deeds  []string // names of deeds, or prefixes up to a dot
	Of     string   // the object: an id, or its owner
	Since  time.Time
	Before int64 // only entries before the entry with this id
	After  Position
	Limit  int // 0: 100
}

const mostAudit = 1000

// Audit returns the selected entries, newest first.
func (s *Store) Audit(ctx context.Context, f AuditFilter) ([]core.AuditEntry, error) {
	where, args := []string{`a.at >= ?`}, []any{micros(f.Since)}
	add := func(condition string, values ...any) {
		where, args = append(where, condition), append(args, values...)
	}
	if f.Person != "" {
		add(`a.person = ?`, f.Person)
	}
	if f.Of != "" {
		add(`(a.subject = ? OR a.whose = ?)`, harmless(f.Of), harmless(f.Of))
	}
	if f.Before > 0 {
		add(`a.id < ?`, f.Before)
	}
	if len(f.Deeds) > 0 {
		wanted := deedsOf(f.Deeds)
		if len(wanted) == 0 {
			return []core.AuditEntry{}, nil
		}
		add(`a.what IN (`+sqldb.Placeholders(len(wanted))+`)`, wanted...)
	}
	behind, values, err := auditOrder.behind(f.After)
	if err != nil {
		return nil, err
	}
	add(behind, values...)
	var rows []struct {
		ID, At                                                               int64
		Person, Via, Door, Name, ViaName, What, Kind, Subject, Whose, Detail string
	}
	err = s.read(ctx).All(&rows, `SELECT a.id, a.at, a.person, a.via, a.door, COALESCE(p.name, '') AS name, COALESCE(k.name, '') AS via_name, a.what, a.kind, a.subject, a.whose, a.detail
		FROM audit a LEFT JOIN people p ON p.id = a.person LEFT JOIN tokens k ON k.id = a.via WHERE `+strings.Join(where, ` AND `)+
		auditOrder.by()+" LIMIT ?", append(args, min(orDefault(f.Limit, 100), mostAudit))...)
	list := make([]core.AuditEntry, len(rows))
	for i, r := range rows {
		list[i] = core.AuditEntry{
			ID: r.ID, Time: at(r.At), Doer: core.Doer{Person: core.PersonID(r.Person), Via: r.Via, Door: r.Door},
			Name: r.Name, ViaName: r.ViaName, Deed: core.Deed(r.What), Kind: r.Kind, Subject: r.Subject, Whose: core.PersonID(r.Whose), Detail: r.Detail,
		}
	}
	return list, err
}

func deedsOf(words []string) (list []any) {
	for _, d := range core.Deeds() {
		if slices.ContainsFunc(words, d.Matches) {
			list = append(list, d)
		}
	}
	return list
}
