package errand

// A Briefing is what goes with a task that a person gave to an agent beside a
// conversation with another, or that a program gave for them: who asks, and messages of
// that conversation.
type Briefing struct {
	By     string      `json:"by,omitempty"`   // what the person is called
	With   AgentName   `json:"with,omitempty"` // who led the conversation; empty: a program had it
	Choice BriefingWay `json:"choice"`
	Of     int         `json:"of"`             // how many messages the conversation has
	Open   bool        `json:"open,omitempty"` // others read the conversation
	// Messages are those that go with the task, the oldest first.
	Messages []BriefingMessage `json:"messages,omitempty"`
	// Own are the last messages of the agent's own chat with the person, where its
	// answer will stand.
	Own []BriefingMessage `json:"own,omitempty"`
}

// A BriefingWay is how the messages of a Briefing were chosen.
type BriefingWay string

// The ways.
const (
	BriefingLast    BriefingWay = "last"    // the last of the conversation
	BriefingRanked  BriefingWay = "ranked"  // by full-text rank for the task
	BriefingGiven   BriefingWay = "given"   // the last of those that a program gave
	BriefingMissing BriefingWay = "missing" // none, for they could not be read
)

// A BriefingMessage is a message of a Briefing. Who is empty where Text says it, as in
// a conversation that several share.
type BriefingMessage struct {
	Who  string `json:"who,omitempty"`
	Text string `json:"text"`
	Cut  int    `json:"cut,omitempty" description:"characters that were left out at the end of text"`
}
