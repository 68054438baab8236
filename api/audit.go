package api

import (
	"errand/internal/core"
	"errand/internal/rights"
)

type ListAuditInput struct {
	Person core.PersonID `query:"person" maxLength:"200" description:"who did it, by name or id"`
	Deed   string        `query:"deed" maxLength:"500" description:"one deed, or several separated by commas. The first part of a deed selects all of its kind: tokens selects tokens.make and tokens.revoke"`
	Of     string        `query:"of" maxLength:"200" description:"id of the person or thing that was changed; a person's id includes their things"`
	Since  DateOrTime    `query:"since" description:"since this time or date"`
	Before int           `query:"before" maximum:"9007199254740991" description:"only entries before the one with this id; pass the last id of a page to get the next page"`
	After
	Limit int `query:"limit" default:"100" maximum:"1000" description:"at most so many, 100 by default"`
}

var ListAudit = Op[ListAuditInput, List[core.AuditEntry]]{
	Name: "listAudit", Needs: rights.AuditRead, Route: "GET /api/audit",
	About: "List the audit log, newest first",
}
