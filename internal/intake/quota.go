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

// A room is what bounds the files of one message, the bound that is easiest to
// keep first.
type room []bound

// roomFor is the room that a message has; left is that of the day.
func (i *Intake) roomFor(left store.FilesLeft, limits store.FileLimits) room {
	r := room{
		{key: "attachment.large", why: "it is too large", limit: i.options.AttachmentBytes, left: i.options.AttachmentBytes},
		{key: "attachment.together", why: "with those before it it is too much", limit: i.options.AttachmentBytes, left: i.options.AttachmentBytes},
	}
	if left.Person >= 0 {
		r = append(r, personDay(limits, left.Person))
	}
	if left.All >= 0 {
		r = append(r, everybodysDay(limits, left.All))
	}
	return r
}

func personDay(l store.FileLimits, left int64) bound {
	return bound{key: "attachment.day", why: "it is more than they may send in a day", limit: l.PersonDay, left: left, daily: true}
}

func everybodysDay(l store.FileLimits, left int64) bound {
	return bound{key: "attachment.full", why: "it is more than is taken here in a day", limit: l.Day, left: left, daily: true}
}

// of is the room for one file, of a platform that hands over no more than most
// bytes of any; 0: it does not say.
func (r room) of(most int64) room {
	r = append(room(nil), r...)
	if most > 0 && most < r[0].limit {
		r[0].limit, r[0].left = most, most
	}
	return r
}

// exceeded is the first bound that so many bytes exceed; nil: none.
func (r room) exceeded(size int64) *bound {
	for i := range r {
		if size > r[i].left {
			return &r[i]
		}
	}
	return nil
}

// tightest is the bound that so few bytes as possible exceed.
func (r room) tightest() *bound {
	best := &r[0]
	for i := range r {
		if r[i].left < best.left {
			best = &r[i]
		}
	}
	return best
}

// take makes the room smaller by a file that is taken. How large one alone may be
// stays.
func (r room) take(size int64) {
	for i := range r[1:] {
		r[i+1].left -= size
	}
}

// refuseFor notes that a file is not taken for a bound.
func (f *fetched) refuseFor(b *bound, name string, t texts.Texts) {
	limit := content.Size(b.limit)
	f.note = append(f.note, notTaken(name, b.why+": at most "+limit))
	told := t.Say(b.key, "name", name, "limit", limit)
	if b.daily {
		f.spent = append(f.spent, told)
	} else {
		f.told = append(f.told, told)
	}
}
