package service

import (
	"errand/internal/core"
	"errand/internal/texts"
)

var misfits = map[string]texts.Key{
	core.MisfitEmpty:   "misfit.empty",
	core.MisfitOptions: "misfit.options",
	core.MisfitNumber:  "misfit.number",
	core.MisfitWhole:   "misfit.integer",
	core.MisfitLeast:   "misfit.least",
	core.MisfitMost:    "misfit.most",
	core.MisfitYesNo:   "misfit.boolean",
	core.MisfitShort:   "misfit.short",
	core.MisfitLong:    "misfit.long",
	core.MisfitSeveral: "misfit.several",
	core.MisfitUnasked: "misfit.unasked",
	core.MisfitMissing: "misfit.missing",
	"email":            "misfit.email",
	"uri":              "misfit.uri",
	"date":             "misfit.date",
	"date-time":        "misfit.date_time",
}
