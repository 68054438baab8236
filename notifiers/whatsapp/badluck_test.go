package whatsapp_test

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestHardTexts proves what a person reads of texts that are hard to show.
func TestHardTexts(t *testing.T) {
	code := "```go\n" + strings.Repeat("x := y * z // **not bold** _nor this_\n", 140) + "```"
	tests := []struct {
		name, text string
		has        []string
		lacks      []string
	}{
		{"5,000 characters with code", "Look:\n\n" + code + "\n\nThat is it.", []string{"x := y * z // **not bold** _nor this_", "That is it."}, nil},
		{"right to left", "שלום **עולם**, مرحبا", []string{"שלום *עולם*, مرحبا"}, []string{"**"}},
		{"joined emoji", "👨\u200d👩\u200d👧\u200d👦 and 🏳️\u200d🌈", []string{"👨\u200d👩\u200d👧\u200d👦 and 🏳️\u200d🌈"}, nil},
		{"control characters", "a\x00b\x07c", nil, []string{"\x00", "\x07"}},
		{"everybody", "@everyone and @here, **now**", []string{"everyone", "*now*"}, nil},
	}
	r := newRig(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := len(r.lines())
			receipt, err := r.Notify(t.Context(), r.note("k"+tt.name, tt.text))
			if err != nil {
				t.Fatal(err)
			}
			r.until("it is there", func() bool { return len(r.lines()) == before+len(receipt.IDs) })
			for _, l := range r.lines()[before:] {
				if !utf8.ValidString(l.Text) || strings.Count(l.Text, "```")%2 != 0 {
					t.Errorf("Ana reads %q", l.Text)
				}
				for _, want := range tt.has {
					if !strings.Contains(l.Text, want) {
						t.Errorf("%q is not in %q", want, l.Text)
					}
				}
				for _, no := range tt.lacks {
					if strings.Contains(l.Text, no) {
						t.Errorf("%q is in %q", no, l.Text)
					}
				}
			}
		})
	}
}
