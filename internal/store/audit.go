package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"errand"
	"errand/internal/store/sqldb"
)

// A Deed is what somebody has done that the audit log keeps. Its name begins with what it is
// done to, and a list of them can be asked for by that alone.
type Deed string

// The deeds. Their details are enums and ids, and nothing that anybody said.
const (
	DeedRole           Deed = "people.role"   // detail: the new one
	DeedPersonChange   Deed = "people.change" // detail: name, language or time_zone
	DeedPersonRemove   Deed = "people.remove"
	DeedLink           Deed = "identities.add"
	DeedUnlink         Deed = "identities.remove"
	DeedTokenMake      Deed = "tokens.make"      // detail: its kind
	DeedTokenRevoke    Deed = "tokens.revoke"    // likewise
	DeedWebhookSecret  Deed = "webhooks.secret"  // another was drawn
	DeedPairingApprove Deed = "pairings.approve" // detail: who they are now
	DeedPairingDeny    Deed = "pairings.deny"
	DeedAnswer         Deed = "questions.answer"
	DeedDecline        Deed = "questions.decline"
	DeedApprove        Deed = "approvals.approve" // detail: yes, or session where it is good for all of it
	DeedDisapprove     Deed = "approvals.decline"
	DeedWithdraw       Deed = "approvals.withdraw" // all that waited in a session
	DeedTaskCancel     Deed = "tasks.cancel"       // with all that was delegated below it
	DeedStop           Deed = "sessions.stop"      // the turn that ran, with the tasks it waited for
	DeedSessionDelete  Deed = "sessions.delete"
	DeedNoteForget     Deed = "notes.forget" // detail: the agent
	DeedRetry          Deed = "deliveries.retry"
	DeedDismiss        Deed = "deliveries.dismiss"
	DeedPause          Deed = "installation.pause"
	DeedResume         Deed = "installation.resume"
)

// Deeds are all that there are.
func Deeds() []Deed {
	return []Deed{DeedRole, DeedPersonChange, DeedPersonRemove, DeedLink, DeedUnlink, DeedTokenMake, DeedTokenRevoke, DeedWebhookSecret,
		DeedPairingApprove, DeedPairingDeny, DeedAnswer, DeedDecline, DeedApprove, DeedDisapprove, DeedWithdraw, DeedTaskCancel, DeedStop,
		DeedSessionDelete, DeedNoteForget, DeedRetry, DeedDismiss, DeedPause, DeedResume}
}

// Matches reports whether a word asks for a deed: its name, or what that begins with.
func (d Deed) Matches(word string) bool {
	return string(d) == word || strings.HasPrefix(string(d), word+".")
}

// A Doer is who does something, as the audit log has them.
type Doer struct {
	Person errand.PersonID `json:"person" description:"who did it, or for whom it was done"`
	// Via is what acted for them; empty: they did themselves.
	Via string `json:"via,omitempty" description:"what acted for them: the id of a token, program for one that shows no token of a person's, or an agent; left out: they did it themselves"`
	// Door is by which way they came in.
	Door string `json:"door,omitempty" description:"by which way: page, cli, api, mcp, a2a, openai, agent (a tool that it has called), or a platform. cli is what a program calls itself"`
}

type doerKey struct{}

// WithDoer is ctx for what somebody does: what the store changes under it that is a [Deed] is
// noted as theirs, in the transaction that changes it. Under any other context it is errand
// itself that acts, and nothing is noted.
func WithDoer(ctx context.Context, d Doer) context.Context {
	return context.WithValue(ctx, doerKey{}, d)
}

func doerOf(ctx context.Context) *Doer {
	d, ok := ctx.Value(doerKey{}).(Doer)
	if !ok {
		return nil
	}
	return &d
}

// An AuditEntry is one thing that somebody has done.
type AuditEntry struct {
	ID   int64     `json:"id"`
	Time time.Time `json:"time"`
	Doer
	Name    string          `json:"name,omitempty" description:"what the person is called now; left out: they have no name, or are not there any more"`
	ViaName string          `json:"via_name,omitempty" description:"likewise of a token"`
	Deed    Deed            `json:"deed"`
	Kind    string          `json:"kind" description:"what it was done to: person, identity, token, task …"`
	Subject string          `json:"subject" description:"its id"`
	Whose   errand.PersonID `json:"whose,omitempty" description:"whose that is, where it is somebody's"`
	Detail  string          `json:"detail,omitempty" description:"more of what was done: the role that was given, the kind of a token …"`
}

// A did is what a transaction has done of a deed.
type did struct {
	kind, subject string
	whose         errand.PersonID
	detail        string
}

// audit notes a deed of whoever the transaction is for. Where that is errand itself, it
// notes nothing.
func (t *tx) audit(deed Deed, d did) error {
	if t.doer == nil {
		return nil
	}
	_, err := t.Exec(`INSERT INTO audit (at, person, via, door, what, kind, subject, whose, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		t.now, t.doer.Person, t.doer.Via, t.doer.Door, deed, d.kind, harmless(d.subject), d.whose, d.detail)
	return err
}

// personOf is whose a conversation is; empty: several people's.
func personOf(key errand.SessionKey) errand.PersonID {
	_, person, err := key.Parse()
	if err != nil {
		return ""
	}
	return person
}

// An AuditFilter says which entries are asked for; its zero value says all.
type AuditFilter struct {
	Person errand.PersonID // who did it
	Deeds  []string        // what they did: names of deeds, or beginnings up to a dot
	Of     string          // to whom or what: an id, or whose it was
	Since  time.Time
	Before int64    // an entry; the ones before it
	After  Position // in the list, which is the same
	Limit  int      // 0: 100
}

// mostAudit is how many entries are returned at once.
const mostAudit = 1000

// Audit returns what was done, the newest first.
func (s *Store) Audit(ctx context.Context, f AuditFilter) ([]AuditEntry, error) {
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
			return []AuditEntry{}, nil
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
	list := make([]AuditEntry, len(rows))
	for i, r := range rows {
		list[i] = AuditEntry{ID: r.ID, Time: at(r.At), Doer: Doer{errand.PersonID(r.Person), r.Via, r.Door}, Name: r.Name, ViaName: r.ViaName,
			Deed: Deed(r.What), Kind: r.Kind, Subject: r.Subject, Whose: errand.PersonID(r.Whose), Detail: r.Detail}
	}
	return list, err
}

func deedsOf(words []string) (list []any) {
	for _, d := range Deeds() {
		if slices.ContainsFunc(words, d.Matches) {
			list = append(list, d)
		}
	}
	return list
}
