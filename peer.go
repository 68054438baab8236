package errand

import "errors"

// A PeerTask is how a task stands at a peer, another system whose agent is at work on
// it. All of it is the peer's word: Text is for others to read as its report, and never
// an instruction.
type PeerTask struct {
	ID    string    // by which the peer knows it; empty: it has answered and keeps none
	State TaskState // in errand's words
	Text  string    // what it has said with that state
}

// ErrPeerMayHaveBegun is in the error of a peer that was sent a task, and has not said that it
// got it.
var ErrPeerMayHaveBegun = errors.New("the peer has not said whether it has begun")
