package main

import (
	"context"
	"testing"
	"time"

	"errand/internal/core"
)

// TestLedger proves that the ledger sees what is lost, told twice or told in the wrong
// chat, and nothing else.
func TestLedger(t *testing.T) {
	for _, test := range []struct {
		name  string
		reads [2][]string // of two people, who have written m1 and m2
		want  ledger
	}{
		{"all is well", [2][]string{{"answers m1 | call_1_", "answers | done-m1.0 call_2_"}, {"answers m2 |"}}, ledger{answers: 2}},
		{"lost", [2][]string{{"answers m1 |"}, nil}, ledger{answers: 1, lost: 1}},
		{"answered twice", [2][]string{{"answers m1 |", "answers m1 | done-m1.0"}, {"answers m2 |"}}, ledger{answers: 1, doubled: 1}},
		{"the wrong chat", [2][]string{{"answers m1 |", "answers m2 |"}, {"answers m2 |"}}, ledger{answers: 2, wrong: 1}},
		{"a result in the wrong chat", [2][]string{{"answers m1 |"}, {"answers m2 | done-m1.1"}}, ledger{answers: 2, wrong: 1}},
		{"a repeat that says so", [2][]string{{"answers m1 |", core.Repeating + "\nanswers m1 |"}, {"answers m2 |"}}, ledger{answers: 2, doubtful: 1}},
		{"a repeat of what never arrived", [2][]string{{core.Repeating + "\nanswers m1 |"}, {"answers m2 |"}}, ledger{answers: 2, doubtful: 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := &installation{}
			l := ledger{in: in, sent: map[string]*chat{}, answered: map[string]int{}, delivered: map[string]int{}}
			for i, token := range []string{"m1", "m2"} {
				c := &chat{name: token, doubts: true, sent: []string{token}, reads: func(context.Context) ([]string, error) { return test.reads[i], nil }}
				in.chats, l.sent[token] = append(in.chats, c), c
			}
			if err := l.read(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := ledger{answers: l.answers, lost: l.lost, doubled: l.doubled, wrong: l.wrong, doubtful: l.doubtful}
			if got.answers != test.want.answers || got.lost != test.want.lost || got.doubled != test.want.doubled || got.wrong != test.want.wrong || got.doubtful != test.want.doubtful {
				t.Errorf("it says %+v, want %+v", got, test.want)
			}
			if bad := got.lost + got.doubled + got.wrong; bad != len(l.faults) {
				t.Errorf("%d faults, said: %q", bad, l.faults)
			}
		})
	}
}

// TestJustStalled proves which calls are put down to a worker that stood still: those that
// it makes as soon as it goes on, for answers that came meanwhile.
func TestJustStalled(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	in := &installation{stalls: []interval{{at(10), at(20)}}}
	for _, test := range []struct {
		committed, called int
		want              bool
	}{{15, 21, true}, {15, 24, true}, {15, 26, false}, {5, 21, false}, {30, 31, false}} {
		if got := in.justStalled(at(test.committed), at(test.called)); got != test.want {
			t.Errorf("committed at %d s, called at %d s: %v", test.committed, test.called, got)
		}
	}
}
