package discord

import "testing"

// TestIsWithoutNonce proves what a message is taken for whose nonce Discord does
// not tell: ours by its words, unless it is known to be another's, the nonce of
// ours is still good, or it answers somebody else.
func TestIsWithoutNonce(t *testing.T) {
	n, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	n.done("another", []string{"7"})
	answering := message{Content: "done", Reference: &reference{MessageID: "3"}}
	reply := func(to string) postedMessage {
		p := postedMessage{ID: "8", Content: "done"}
		p.Reference = &struct {
			MessageID string `json:"message_id"`
		}{to}
		return p
	}
	tests := []struct {
		name  string
		there postedMessage
		m     message
		young bool
		want  bool
	}{
		{"the same words", postedMessage{ID: "8", Content: "done "}, message{Content: "done"}, false, true},
		{"with a mark", postedMessage{ID: "8", Content: mark + "done"}, message{Content: "done"}, false, true},
		{"other words", postedMessage{ID: "8", Content: "no"}, message{Content: "done"}, false, false},
		{"the nonce is good", postedMessage{ID: "8", Content: "done"}, message{Content: "done"}, true, false},
		{"another's", postedMessage{ID: "7", Content: "done"}, message{Content: "done"}, false, false},
		{"in reply to the same", reply("3"), answering, false, true},
		{"in reply to another", reply("4"), answering, false, false},
		{"in reply to somebody", reply("4"), message{Content: "done"}, false, false},
	}
	for _, tt := range tests {
		if got := n.is(tt.there, tt.m, "ours", tt.young); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
