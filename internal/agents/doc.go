// Package agents is the roster: each agent's instructions, voice, model and tools,
// and the agents that it may delegate to.
//
// It is data. A [Roster] is made once, by [New], checked as a
// whole, and never changes afterwards, so any number of goroutines may read it.
package agents
