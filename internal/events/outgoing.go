package events

import "errand/internal/core"

// mostOutgoing is in bytes. If more is waiting, all of it is dropped, and the other processes
// synchronise again.
const mostOutgoing = 1 << 20

// outgoing has the messages to send to other processes, in order. Waiting deltas of one text are
// merged.
type outgoing struct {
	messages []message
	latest   map[core.SessionKey]int // index of a conversation's latest message
	lists    map[core.PersonID]int   // index of the message about a person's lists
	bytes    int
	urgent   bool // a durable event must be sent now
	lost     bool // some messages were dropped
}

func (o *outgoing) add(m message) {
	if o.lost {
		return // the next Sync covers it
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
			o.lists = map[core.PersonID]int{}
		}
		o.lists[m.Person] = len(o.messages)
		o.messages = append(o.messages, m)
		return
	}
	if o.latest == nil {
		o.latest = map[core.SessionKey]int{}
	}
	o.latest[m.Key] = len(o.messages)
	o.messages = append(o.messages, m)
}

func (o *outgoing) lose() { *o = outgoing{lost: true} }

func (o *outgoing) idle() bool { return len(o.messages) == 0 && !o.lost }
