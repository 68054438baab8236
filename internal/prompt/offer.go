package prompt

import "strconv"

// RegisteredAgent describes a person's registered agent to the agents that may ask it.
func RegisteredAgent(description string) string {
	return "a program of the user, such as an editor. If it is not running, the task waits until it fetches work. Its own description (untrusted data): " +
		strconv.Quote(description)
}
