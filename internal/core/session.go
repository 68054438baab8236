package core

import "time"

// A Session is one durable conversation.
type Session struct {
	ID      SessionID  `json:"id"`
	Key     SessionKey `json:"-"`
	Route   Route      `json:"route"`
	Person  PersonID   `json:"person"`
	Title   string     `json:"title,omitempty" description:"title of its chat; omitted if there are no messages yet, or if several people share the chat"`
	Agent   AgentName  `json:"agent"`
	State   string     `json:"state" enum:"active,suspended,ended"`
	Busy    string     `json:"busy,omitempty" description:"what happens to messages while an agent works: collect, steer, queue or interrupt"`
	Turns   int        `json:"turns"`
	Created time.Time  `json:"created"`
	Active  time.Time  `json:"active"` // last turn or message
	Ended   time.Time  `json:"ended,omitzero"`
	Reason  string     `json:"reason,omitempty" description:"why it ended"`
	Group   bool       `json:"-"` // others read the chat
	// StickyUntil is when the session returns to the primary agent; zero: it is already there, or
	// stays with its agent.
	StickyUntil time.Time `json:"sticky_until,omitzero" description:"when the conversation goes back to the primary agent"`
	// Plan is the latest plan of its agent; nil: none.
	Plan *Plan `json:"plan,omitempty" description:"the plan of its agent, if it keeps one, and its progress"`
}

// A WaitingMessage is a message of a person that no turn has taken yet.
type WaitingMessage struct {
	ID      string    `json:"message_id"`
	Text    string    `json:"text"`
	Created time.Time `json:"created"`
}

// A TurnCall is one tool call of a turn, for people to read.
type TurnCall struct {
	Step      int       `json:"step"`
	Index     int       `json:"index" description:"position in its step, from 1"`
	Tool      string    `json:"tool" description:"name of the tool, as the model called it"`
	About     string    `json:"about,omitempty" description:"the argument that says what the call is about"`
	Arguments string    `json:"arguments" description:"as the model wrote them, at most 4,000 characters"`
	Result    string    `json:"result,omitempty" description:"the result for the agent, at most 8,000 characters; empty: none yet"`
	Cut       bool      `json:"cut,omitempty" description:"true: arguments or result are cut"`
	Failed    bool      `json:"failed,omitempty" description:"the result is an error"`
	Sources   []Source  `json:"sources,omitempty" description:"the web page that the call read, or the pages that it found"`
	Words     int       `json:"words,omitempty" description:"number of words in the page or file that the call read"`
	Begun     time.Time `json:"begun" description:"when the agent made the call"`
	Ended     time.Time `json:"ended,omitzero"`
}

// An Outage is a period in which no worker of the installation ran.
type Outage struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// A TurnChange is a change that a turn made and a new answer does not undo: a call of a tool that is
// not read-only, or a task.
type TurnChange struct {
	Tool  string    `json:"tool" description:"name of the tool, as the model called it"`
	About string    `json:"about,omitempty" description:"the argument that says what the call is about"`
	Task  TaskID    `json:"task_id,omitempty" description:"the task that the call started"`
	State TaskState `json:"state,omitempty" description:"of the task"`
	Title string    `json:"title,omitempty" description:"title of the task"`
}

// A SearchHit is a message that matches a search. Turn, Step and Index locate it in the transcript.
type SearchHit struct {
	Session SessionID `json:"session_id"`
	Person  PersonID  `json:"person"`
	Channel string    `json:"channel"`
	Chat    string    `json:"chat"`
	Turn    int       `json:"turn"`
	Step    int       `json:"step"`
	Index   int       `json:"index"`
	Agent   AgentName `json:"agent,omitempty"` // that answered; empty: the person wrote it
	Speaker Speaker   `json:"speaker"`
	Excerpt string    `json:"excerpt"` // one line around the first match
	Created time.Time `json:"created"`
	// Event is where the page shows the message; 0: nowhere.
	Event int64 `json:"event,omitempty" description:"in web chats: id of the event that shows the message or ends its turn"`
}

// An Export is a session as a file for its person.
type Export struct {
	Version  int            `json:"version"`
	Session  Session        `json:"session"`
	Name     string         `json:"name,omitempty" description:"name of the person"`
	Messages []Message      `json:"messages"`
	Tasks    []ExportedTask `json:"tasks"`
	Notices  []Notice       `json:"notices,omitempty" description:"messages of errand itself, and results that it told without a turn"`
	// The store does not set Role and Tools.
	Role  Role     `json:"role,omitempty" description:"the current role of the person in that chat"`
	Tools []string `json:"tools,omitempty" description:"the tools that the agent may call for that role"`
	// Artifacts are listed without their data.
	Artifacts []Artifact `json:"artifacts,omitempty"`
	// Files are listed without their data. Empty if a later session of the chat has them.
	Files    []File    `json:"files,omitempty"`
	Exported time.Time `json:"exported"`
}

// A Notice is a message of errand itself to the person of a session.
type Notice struct {
	Event   EventType `json:"event"`
	Agent   AgentName `json:"agent,omitempty"`
	Task    TaskID    `json:"task,omitempty"`
	Text    string    `json:"text"`
	Created time.Time `json:"created"`
}

// An ExportedTask is a task with the reports of its agents.
type ExportedTask struct {
	Task
	Reports []Report `json:"reports,omitempty"`
}

// A Report is one agent's report on a task.
type Report struct {
	Agent   AgentName `json:"agent"`
	State   TaskState `json:"state"`
	Text    string    `json:"text"`
	Created time.Time `json:"created"`
}
