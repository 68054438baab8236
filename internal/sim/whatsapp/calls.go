package whatsapp

import "go.mau.fi/whatsmeow/types"

// Ring is the person calling somebody, who sees it on all devices; it returns
// the id of the call. Nothing is ever heard.
func (p *Person) Ring(to types.JID) string {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	id := "call" + p.s.stanza()
	p.call(to, id, "offer")
	return id
}

// HangUp is the person ending the call.
func (p *Person) HangUp(to types.JID, id string) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.call(to, id, "terminate")
}

func (p *Person) call(to types.JID, id, what string) {
	other := p.s.person(to)
	if other == nil || other.blocked[p] {
		return
	}
	for _, d := range other.inOrder() {
		d.deliver(node{Tag: "call", Attrs: attrs{"from": p.LID(), "id": p.s.stanza(), "platform": "local", "version": "2"},
			Content: []node{{Tag: what, Attrs: attrs{"call-id": id, "call-creator": p.LID(), "caller_pn": p.JID()}}}})
	}
	p.s.happened()
}
