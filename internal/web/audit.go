package web

import (
	"net/http"
	"strings"

	"errand"
	"errand/internal/service"
)

type auditIn struct {
	Person errand.PersonID `query:"person" maxLength:"200" description:"who did it, by name or id"`
	Deed   string          `query:"deed" maxLength:"500" description:"what they did: one deed, or several with commas. What a deed begins with stands for all of its kind, as tokens for tokens.make and tokens.revoke"`
	Of     string          `query:"of" maxLength:"200" description:"to whom or what, by id; a person's id stands for what is theirs, too"`
	Since  dateOrTime      `query:"since" description:"since this time or date"`
	Before int             `query:"before" maximum:"9007199254740991" description:"the entries before this one, by id: the last of a list, for the next"`
	inPage
	Limit int `query:"limit" default:"100" maximum:"1000" description:"at most so many, 100 by default"`
}

// getAudit lists who has done what.
func (s *Server) getAudit(r *http.Request, in auditIn, p service.Page) ([]service.AuditEntry, error) {
	return s.Backend.Audit(r.Context(), actor(r), service.AuditFilter{Person: in.Person, Deeds: listed(in.Deed), Of: in.Of,
		Since: in.Since.Time, Before: int64(in.Before), After: p.After, Limit: p.Limit})
}

func listed(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}
