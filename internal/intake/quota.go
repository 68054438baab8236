package intake

import (
	"errand/internal/content"
	"errand/internal/store"
	"errand/internal/texts"
)

// A bound is how much of what people send is taken, in bytes.
type bound struct {
	key   string // of the text that says so
	why   string // likewise, for the agent
	limit int64  // as people know it
	left  int64  // of it
	daily bool   // it is used up for the rest of the day
}

// A quota is what bounds the files of one message, the bound that is easiest to
// keep first.
type quota []bound

// quotaFor is the quota that a message has; day is what is left of the day.
func (i *Intake) quotaFor(day store.FilesLeft, limits store.FileLimits) quota {
	q := quota{
		{key: "attachment.large", why: "it is too large", limit: i.options.AttachmentBytes, left: i.options.AttachmentBytes},
		{key: "attachment.together", why: "with those before it it is too much", limit: i.options.AttachmentBytes, left: i.options.AttachmentBytes},
	}
	if day.Person >= 0 {
		q = append(q, personDay(limits, day.Person))
	}
	if day.All >= 0 {
		q = append(q, everybodysDay(limits, day.All))
	}
	return q
}

func personDay(l store.FileLimits, left int64) bound {
	return bound{key: "attachment.day", why: "it is more than they may send in a day", limit: l.PersonDay, left: left, daily: true}
}

func everybodysDay(l store.FileLimits, left int64) bound {
	return bound{key: "attachment.full", why: "it is more than is taken here in a day", limit: l.Day, left: left, daily: true}
}

// forFile is the quota for one file, of a platform that hands over no more than most
// bytes of any; 0: it does not say.
func (q quota) forFile(most int64) quota {
	q = append(quota(nil), q...)
	if most > 0 && most < q[0].limit {
		q[0].limit, q[0].left = most, most
	}
	return q
}

// exceeded is the first bound that so many bytes exceed; nil: none.
func (q quota) exceeded(size int64) *bound {
	for i := range q {
		if size > q[i].left {
			return &q[i]
		}
	}
	return nil
}

// tightest is the bound that so few bytes as possible exceed.
func (q quota) tightest() *bound {
	best := &q[0]
	for i := range q {
		if q[i].left < best.left {
			best = &q[i]
		}
	}
	return best
}

// subtract makes the quota smaller by a file that is taken. How large one alone may be
// stays.
func (q quota) subtract(size int64) {
	for i := range q[1:] {
		q[i+1].left -= size
	}
}

// refuseFor notes that a file is not taken for a bound.
func (f *fetchResult) refuseFor(b *bound, name string, t texts.Texts) {
	limit := content.Size(b.limit)
	f.note = append(f.note, refusalNote(name, b.why+": at most "+limit))
	notice := t.Localize(b.key, "name", name, "limit", limit)
	if b.daily {
		f.quotaNotices = append(f.quotaNotices, notice)
	} else {
		f.notices = append(f.notices, notice)
	}
}
