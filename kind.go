package errand

// An AgentKind says where an agent works, and so which workflow is at work on what is
// delegated to it.
type AgentKind string

// The kinds. A local agent is one whose model errand calls itself: it is the kind of an
// agent of which nothing is said. A remote one works in another system, a peer. A coding
// one is a program in a folder of a worker's machine.
const (
	LocalAgent  AgentKind = "local"
	RemoteAgent AgentKind = "remote"
	CodingAgent AgentKind = "coding"
)

// IsRemote reports whether an agent of the kind is errand's only to send on errands.
func (k AgentKind) IsRemote() bool { return k == RemoteAgent || k == CodingAgent }
