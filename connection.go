package errand

// A ConnectionState is how the live connection of one of our accounts is.
type ConnectionState string

// The states.
const (
	Connecting ConnectionState = "connecting" // nothing has come through yet, or nobody holds it
	Connected  ConnectionState = "connected"
	Degraded   ConnectionState = "degraded"   // it does not work just now, and is tried again
	LoggedOut  ConnectionState = "logged out" // a person has to do something first
	Replaced   ConnectionState = "replaced"   // another program has taken the connection
)

// ConnectionStates returns all of them.
func ConnectionStates() []ConnectionState {
	return []ConnectionState{Connecting, Connected, Degraded, LoggedOut, Replaced}
}
