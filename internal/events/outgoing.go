package events

import "errand"

// mostOutgoing is how much may wait to be sent, in bytes. When there is more, all of it
// goes, and the others are told to begin anew.
const mostOutgoing = 1 << 20

// outgoing is what a process has to tell the others, in order. Pieces of one text become
// one while they wait.
type outgoing struct {
	messages []message
	latest   map[errand.SessionKey]int // the place of a conversation's latest message
	lists    map[errand.PersonID]int   // the place of what is to be said of a person's lists
	bytes    int
	urgent   bool // there is something that lasts, and is not to wait for more
	lost     bool // some were not sent
}

func (o *outgoing) add(m message) {
	if o.lost {
		return // what follows a Sync says it
	}
	if at, ok := o.lists[m.Person]; ok && m.Lists != 0 {
		o.messages[at].Lists |= m.Lists
		return
	}
	o.urgent = o.urgent || m.Event == nil && m.Lists == 0 || m.Event != nil && isDurable(*m.Event)
	o.bytes += m.size()
	if o.bytes > mostOutgoing {
		o.lose()
		return
	}
	if at, ok := o.latest[m.Key]; ok && m.Event != nil && o.messages[at].join(m) {
		return
	}
	if m.Lists != 0 {
		if o.lists == nil {
			o.lists = map[errand.PersonID]int{}
		}
		o.lists[m.Person] = len(o.messages)
		o.messages = append(o.messages, m)
		return
	}
	if o.latest == nil {
		o.latest = map[errand.SessionKey]int{}
	}
	o.latest[m.Key] = len(o.messages)
	o.messages = append(o.messages, m)
}

// lose forgets everything.
func (o *outgoing) lose() { *o = outgoing{lost: true} }

func (o *outgoing) idle() bool { return len(o.messages) == 0 && !o.lost }
