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
	bytes    int
	urgent   bool // there is something that lasts, and is not to wait for more
	lost     bool // some were not sent
}

func (o *outgoing) add(m message) {
	if o.lost {
		return // what follows a Sync says it
	}
	o.urgent = o.urgent || m.Event == nil || isDurable(*m.Event)
	o.bytes += m.size()
	if o.bytes > mostOutgoing {
		o.lose()
		return
	}
	if at, ok := o.latest[m.Key]; ok && m.Event != nil && o.messages[at].join(m) {
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
