package api

import (
	"time"

	"errand/internal/core"
	"errand/internal/rights"
)

type ListChatsInput struct {
	After
	Limit int `query:"limit" default:"200" maximum:"1000" description:"at most so many, 200 by default"`
}

var ListChats = Op[ListChatsInput, List[core.Chat]]{
	Name: "listChats", Needs: rights.SessionsRead, Route: "GET /api/chats",
	About: "List your chats on all channels: pinned chats first, then the last active",
}

type ChangeChatInput struct {
	ID   core.SessionID `path:"id" id:"session" description:"session_id of the chat"`
	Body struct {
		Name     *string `json:"name" description:"at most 80 characters; empty: the first words of the chat"`
		Pinned   *bool   `json:"pinned"`
		Archived *bool   `json:"archived"`
		Seen     *int64  `json:"seen" description:"id of the last event that you have seen; an earlier id changes nothing"`
	}
}

type ChangedChat struct {
	Session core.SessionID `json:"session_id"`
}

var ChangeChat = Op[ChangeChatInput, ChangedChat]{
	Name: "changeChat", Needs: rights.ChatsChange, Route: "POST /api/chats/{id}",
	About:  "Name, pin or archive a chat in your list, or mark it as read; omitted fields stay unchanged",
	Answer: "changed",
}

type ResetChatInput struct {
	ChatName
	ConversationKey // replaces Chat
	Body            struct {
		Agent     string `json:"agent" description:"the agent that leads the new session; default: the primary agent"`
		MessageID string `json:"message_id" description:"a repeated request with the same id has no effect"`
	}
}

// A NewSession is the session that a reset began.
type NewSession struct {
	Session core.SessionID `json:"session_id"`
}

var ResetChat = Op[ResetChatInput, NewSession]{
	Name: "resetChat", Needs: rights.SessionsReset, Also: []string{rights.OthersChange}, Route: "POST /api/sessions/{chat}/reset", Rate: RateMessage,
	About: "End the session and begin a new one, with an agent if you name one; running tasks continue", Answer: "the new session",
}

// An Amount is the usage of models.
type Amount struct {
	Calls  int
	Tokens int
	Cost   float64 // USD
	Cached int     // of Tokens: those from providers' caches
}

// A ChatStatus describes the activity and the cost of a conversation.
type ChatStatus struct {
	Session     core.SessionID // empty: none has begun
	State       string
	Agent       core.AgentName
	Model       string // as its provider calls it
	StickyUntil time.Time
	Plan        *core.Plan // nil: none is shown
	Busy        string     // the busy mode
	Turns       int
	OpenTasks   []core.Task
	Waiting     []WaitingQuestion // the oldest first
	Spent       Amount            // in the session
	Today       Amount            // by the person in all their chats, since midnight UTC
}

// A WaitingQuestion is a question with the name of the person who has to answer it.
type WaitingQuestion struct {
	core.Question
	Name string
}

var GetChatStatus = Op[ConversationKey, ChatStatus]{
	Name: "getChatStatus", Needs: rights.SessionsStatus, Also: []string{rights.OthersRead},
	About: "Get the status and the cost of a conversation",
}

type ChatHistoryInput struct {
	ConversationKey
	Agent core.AgentName `wire:"-"` // its messages only; empty: all
	Limit int            `wire:"-"`
}

// A ChatHistory has the last messages of a session, and how many each author wrote.
type ChatHistory struct {
	Counts []AgentCount
	Last   []core.Message
}

// An AgentCount is how many messages an agent wrote in a session.
type AgentCount struct {
	Agent    core.AgentName // empty: a person
	Messages int
}

var GetChatHistory = Op[ChatHistoryInput, ChatHistory]{
	Name: "getChatHistory", Needs: rights.SessionsCount, Also: []string{rights.OthersRead},
	About: "Get the last messages of a conversation, and how many each author wrote",
}

type StopChatInput struct {
	ConversationKey
	All bool `wire:"-"` // also every open task and approval
}

type StoppedChat struct {
	Any  bool // at least one thing ended
	Left bool // nothing ended, and the conversation has open tasks
}

// StopChat ends the running turn of a conversation and the tasks that it waits for. In a shared
// conversation, actors who may not end others' work end only their own.
var StopChat = Op[StopChatInput, StoppedChat]{
	Name: "stopChat", Needs: rights.SessionsStop, Also: []string{rights.OthersChange},
	Deeds: []core.Deed{core.DeedStop, core.DeedTaskCancel, core.DeedWithdraw},
	About: "End the running turn of a conversation",
}

var GetBusyMode = Op[ConversationKey, string]{
	Name: "getBusyMode", Needs: rights.SessionsBusy, Also: []string{rights.OthersRead},
	About: "Get what happens to messages that arrive while an agent works",
}

type SetBusyModeInput struct {
	ConversationKey
	ID   string `wire:"-"` // calls with the same id set it once
	Mode string `wire:"-"` // collect, steer, queue or interrupt
}

var SetBusyMode = Op[SetBusyModeInput, None]{
	Name: "setBusyMode", Needs: rights.SessionsBusy, Also: []string{rights.OthersChange},
	About: "Set what happens to messages that arrive while an agent works",
}
