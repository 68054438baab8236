package errand

import (
	"errors"
	"time"
)

// A PeerTask is how a task stands at a peer, another system whose agent is at work on
// it. All of it is the peer's word: Text is for others to read as its report, and never
// an instruction.
type PeerTask struct {
	ID      string    // by which the peer knows it; empty: it has answered and keeps none
	Context string    // by which the peer knows what it belongs to
	State   TaskState // in errand's words
	Text    string    // what it has said with that state
	// Word tells what it has said from what it says later, in whatever words: of a question
	// whether it is the one that was asked before.
	Word string
	// Login says that it goes on once somebody has logged in at the peer, and Text how.
	Login bool
	// Gone says that the peer does not know the task any more.
	Gone bool
	// Canceled says that it has ended because somebody canceled it there.
	Canceled bool
	// Files are those that its result has, in its order.
	Files []PeerFile
}

// A PeerFile is a file of a peer's result, or why there is none of it.
type PeerFile struct {
	Name  string // harmless to show, and to save under
	Type  string // MIME, by its content
	Data  []byte
	Fault string // in one line; empty: it is there
}

// A PeerOrder is a task as a peer is sent it.
type PeerOrder struct {
	Message string // its id, the same in each attempt
	Text    string
}

// QuickPeerTask is the age up to which errand polls a task at a peer every five seconds.
const QuickPeerTask = 10 * time.Minute

// PeerPause returns the pause between two polls of a task of that age at a peer.
func PeerPause(age time.Duration) time.Duration {
	if age <= QuickPeerTask {
		return 5 * time.Second
	}
	return time.Minute
}

// ErrPeerNotFollowed means that the peer has no stream, or that errand may not follow it: poll it.
var ErrPeerNotFollowed = errors.New("the peer is not followed")

// ErrPeerMayHaveBegun is in the error of a peer that was sent a task, and has not said that it
// got it.
var ErrPeerMayHaveBegun = errors.New("the peer has not said whether it has begun")
