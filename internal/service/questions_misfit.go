package service

import (
	"errand"
	"errand/internal/texts"
)

var misfits = map[string]texts.Key{
	errand.MisfitEmpty:   "misfit.empty",
	errand.MisfitOptions: "misfit.options",
	errand.MisfitNumber:  "misfit.number",
	errand.MisfitWhole:   "misfit.integer",
	errand.MisfitLeast:   "misfit.least",
	errand.MisfitMost:    "misfit.most",
	errand.MisfitYesNo:   "misfit.boolean",
	errand.MisfitShort:   "misfit.short",
	errand.MisfitLong:    "misfit.long",
	errand.MisfitSeveral: "misfit.several",
	errand.MisfitUnasked: "misfit.unasked",
	errand.MisfitMissing: "misfit.missing",
	"email":              "misfit.email",
	"uri":                "misfit.uri",
	"date":               "misfit.date",
	"date-time":          "misfit.date_time",
}
