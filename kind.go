package errand

// An AgentKind says where an agent works, and so which workflow is at work on what is
// delegated to it.
type AgentKind string

// LocalAgent is an agent whose model errand calls itself. It is the kind of an agent
// of which nothing is said.
const LocalAgent AgentKind = "local"
