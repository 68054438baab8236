// Package agents is the roster: each agent's instructions, voice, model, tools and skills,
// and the agents that it may delegate to.
//
// [New] checks a [Roster] as a whole. A Roster never changes, so it is safe for concurrent
// use. Only the files of skills stay on disk, in a [SkillFolder].
package agents
