package whatsapp

import (
	"bytes"
	"slices"
)

// Hold keeps back what is for them; what it returns lets it go.
func (p *Person) Hold() (release func()) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.trouble.held = true
	return func() {
		p.s.mu.Lock()
		p.trouble.held = false
		p.s.mu.Unlock()
		p.change(func(d *Device) { d.flush(false) })
	}
}

// Shuffle turns the order round of what is held for them, or waits for their
// next connection.
func (p *Person) Shuffle() { p.change(func(d *Device) { slices.Reverse(d.queue) }) }

// Twice delivers the next n messages twice, both times the same bytes.
func (p *Person) Twice(n int) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.trouble.twice = n
}

// Repeat delivers messages again that were acknowledged last: an acknowledgement
// that got lost on the platform's side.
func (p *Person) Repeat(n int) {
	p.change(func(d *Device) {
		again := d.past[max(0, len(d.past)-n):]
		d.past = d.past[:len(d.past)-len(again)]
		for _, st := range again {
			d.queue = append(d.queue, &stanza{node: st.node, at: st.at})
		}
		d.flush(false)
	})
}

// Garble spoils the next n messages on their way, so that they cannot be opened
// and the client asks its sender for them again.
func (p *Person) Garble(n int) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.trouble.garbled = n
}

// garble returns a copy of a message with other bytes in it.
func garble(n node) node {
	content := slices.Clone(n.GetChildren())
	for i, child := range content {
		if child.Tag == "enc" {
			bad := bytes.Clone(bytesOf(child))
			bad[len(bad)-1] ^= 0xff
			content[i].Content = bad
		}
	}
	n.Content = content
	return n
}
