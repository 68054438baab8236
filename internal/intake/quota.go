package intake

import (
	"errand/internal/content"
	"errand/internal/store"
	"errand/internal/texts"
)

type bound struct {
	key   string // of the text that reports it
	why   string // the same for the agent
	limit int64  // as people know it
	left  int64  // what remains of limit
	daily bool   // resets the next day
}

// A quota has the limits for the files of one message.
type quota []bound

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

// forFile applies the platform's limit most to one file, in bytes; 0: unknown.
func (q quota) forFile(most int64) quota {
	q = append(quota(nil), q...)
	if most > 0 && most < q[0].limit {
		q[0].limit, q[0].left = most, most
	}
	return q
}

func (q quota) exceeded(size int64) *bound {
	for i := range q {
		if size > q[i].left {
			return &q[i]
		}
	}
	return nil
}

func (q quota) tightest() *bound {
	best := &q[0]
	for i := range q {
		if q[i].left < best.left {
			best = &q[i]
		}
	}
	return best
}

// subtract does not change the limit of a single file, which is the first.
func (q quota) subtract(size int64) {
	for i := range q[1:] {
		q[i+1].left -= size
	}
}

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
