// Package agents holds the roster: who the agents are, what they are told,
// which model speaks for them and whom they may send on errands.
//
// It is data. A [Roster] is made once, by [New], checked as a
// whole, and never changes afterwards, so any number of goroutines may read it.
package agents
