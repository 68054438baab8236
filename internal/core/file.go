package core

import "time"

// MaxFile is the largest file of a workspace, in bytes.
const MaxFile = 20_000_000

// A File is one version of a file of a workspace. A version never changes.
type File struct {
	ID       int64     `json:"-"` // of the version
	Row      int64     `json:"-"` // of the file in the store
	Path     string    `json:"path"`
	Version  int       `json:"version"`
	Latest   bool      `json:"latest"`
	Restores int       `json:"restores,omitempty" description:"the version whose content it has again"`
	Size     int64     `json:"size" description:"bytes"`
	Type     string    `json:"type"`
	SHA256   string    `json:"sha256"`
	Agent    AgentName `json:"agent,omitempty" description:"who wrote it; empty: the person did"`
	Person   PersonID  `json:"person,omitempty" description:"who wrote it, or the person that an agent wrote it for"`
	Owner    Owner     `json:"-"` // of the turn that wrote it; empty: a person wrote it
	Created  time.Time `json:"created" description:"of the version"`
}

// A FileChanged is the result of a change.
type FileChanged struct {
	File
	Before   int `json:"before"`             // the previous latest version; 0: the file is new
	Replaced int `json:"replaced,omitempty"` // number of replacements
	Undone   int `json:"undone,omitempty"`   // the version that was undone
}

// A Workspace has the files of a conversation. Its session, everything delegated from it, and later
// sessions of the chat share them. They are deleted with the last session.
type Workspace struct {
	ID      int64     `json:"-"`
	Session SessionID `json:"session_id,omitempty"`
	Task    TaskID    `json:"task_id,omitempty" description:"the root of a tree of tasks that was asked for in no chat"`
	Route   Route     `json:"route,omitzero"`
	Person  PersonID  `json:"person"`
	Files   int       `json:"files"`
	Bytes   int64     `json:"bytes" description:"of all versions"`
	Changed time.Time `json:"changed"`
}

// A FileDelivery is the result of sending a file by an agent.
type FileDelivery struct {
	File  SentFile `json:"file"`
	Path  string   `json:"path"`
	Route Route    `json:"route"`
	// Queued means that a platform will be called to deliver it.
	Queued bool `json:"queued"`
}

// An Artifact is a file that a person sent, a tool's result that is too long for a model, or a
// remote agent's file. The first belongs to the session that took the message, the others to the
// session or the task tree of their call.
type Artifact struct {
	ID      ArtifactID `json:"id"`
	Key     SessionKey `json:"-"`                    // of the conversation to which it was sent
	Session SessionID  `json:"session_id,omitempty"` // empty: no turn has taken the message
	Person  PersonID   `json:"person" description:"who sent it; for a tool's result: the person that the tool ran for"`
	Tool    string     `json:"tool,omitempty" description:"the tool or remote agent whose result it is; absent: a person sent it"`
	Root    string     `json:"-"` // of a tool's result without a session: the root of the call's origin
	Name    string     `json:"name"`
	Type    string     `json:"type"`
	Size    int64      `json:"size" description:"bytes"`
	SHA256  string     `json:"sha256"`
	Voice   bool       `json:"voice,omitempty"`
	Created time.Time  `json:"created"`
}

// Within reports whether the artifact belongs to the conversation of o or, if o has none, to its
// task tree.
func (a Artifact) Within(o Origin) bool {
	if a.Root != "" {
		return a.Root == o.Root
	}
	return a.Key != "" && a.Key == o.SessionKey
}
