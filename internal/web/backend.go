package web

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"errand"
	"errand/internal/metrics"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/texts"
)

// Backend is what the pages and the API need; a service with an intake is the one in
// production.
type Backend interface {
	Logins
	People
	Sessions
	Files
	Notes
	Reminders
	Questions
	Upkeep
	Channels

	// May fails where somebody's role is not enough for a route. What they may do
	// and see is for each method to check: a person that is asked for is another
	// than the actor, or "*" for everybody, and may be empty.
	MayUse(by service.Actor, k rights.Kind, name string) error

	// TextsFor are errand's words in the first of some languages that it speaks.
	TextsFor(languages ...string) texts.Texts

	// AllowMessage fails where somebody is too fast; Accept sees to it itself.
	AllowMessage(by service.Actor, at errand.Account) error
	// CheckRate is AllowMessage, and counts nothing.
	CheckRate(by service.Actor, at errand.Account) error

	Converse(ctx context.Context, by service.Actor, route errand.Route, m service.Message) (*service.Conversation, error)
	WaitingMessages(ctx context.Context, by service.Actor, route errand.Route) ([]service.WaitingMessage, error)
	EditMessage(ctx context.Context, by service.Actor, route errand.Route, id, text string) error
	WithdrawMessage(ctx context.Context, by service.Actor, route errand.Route, id string) error
	Follow(ctx context.Context, by service.Actor, key errand.SessionKey, r service.Reading, send func(errand.Event) error) error
	EventsBefore(ctx context.Context, by service.Actor, key errand.SessionKey, before int64, n int) ([]errand.Event, error)

	Tasks(ctx context.Context, by service.Actor, f service.TaskFilter) ([]errand.Task, error)
	TaskTrees(ctx context.Context, by service.Actor, f service.TaskFilter) ([]service.TreeTask, error)
	TaskTimeline(ctx context.Context, by service.Actor, prefix string, person errand.PersonID, steps bool) (service.Timeline, error)
	TaskDetails(ctx context.Context, by service.Actor, prefix string, person errand.PersonID) (service.TaskDetails, error)
	CountTasks(ctx context.Context, by service.Actor, f service.TaskFilter) (map[errand.TaskState]int, error)
	CancelTasks(ctx context.Context, by service.Actor, ids []string, person errand.PersonID, reason string) ([]service.BulkTask, error)
	RetryTasks(ctx context.Context, by service.Actor, ids []string, person errand.PersonID, allow func() error) ([]service.BulkTask, error)
	FindTask(ctx context.Context, by service.Actor, prefix string, person errand.PersonID) (errand.Task, error)
	AwaitTask(ctx context.Context, by service.Actor, prefix string, person errand.PersonID, atMost time.Duration, before func(events int) error) (errand.Task, error)
	Delegate(context.Context, service.Actor, service.Delegation) (errand.Task, error)
	ListWebhooks(ctx context.Context, by service.Actor, person errand.PersonID, p service.Page) ([]service.Webhook, error)
	TryWebhook(ctx context.Context, by service.Actor, address string) (service.Tried, error)
	WebhookSecret(ctx context.Context, by service.Actor, renew bool) (string, error)
	CancelTask(ctx context.Context, by service.Actor, id errand.TaskID, reason string) (errand.Task, error)
	RetryTask(ctx context.Context, by service.Actor, id errand.TaskID) (errand.Task, error)
	SteerTask(ctx context.Context, by service.Actor, id errand.TaskID, in service.Steering) (service.Steered, error)
	ContinueTask(ctx context.Context, by service.Actor, id errand.TaskID, in service.Steering) (errand.Task, error)

	Outbox(ctx context.Context, by service.Actor, states []errand.OutboxState, p service.Page) ([]errand.Notification, error)
	RetryOutbox(ctx context.Context, by service.Actor, id int64) error
	DismissOutbox(ctx context.Context, by service.Actor, id int64) error

	NewSession(ctx context.Context, by service.Actor, key errand.SessionKey, agent errand.AgentName, messageID string) (errand.SessionID, error)
	AgentsFor(ctx context.Context, by service.Actor, key errand.SessionKey) ([]service.AgentView, error)
	Pause(context.Context, service.Actor) error
	Resume(context.Context, service.Actor) error
	Paused(context.Context, service.Actor) (bool, error)
	Numbers(context.Context, service.Actor) (metrics.Installation, error)
	Ready(context.Context) error

	// ModelStates are as the models did when they were last called; CheckModels
	// calls them.
	ModelStates(ctx context.Context, by service.Actor) ([]errand.ModelState, error)
	CheckModels(ctx context.Context, by service.Actor) ([]errand.ModelState, error)
	CheckRemoteAgents(ctx context.Context, by service.Actor) ([]errand.RemoteAgentState, error)

	// MCPServers are the MCP servers; TryMCPTool calls a tool of one.
	MCPServers(ctx context.Context, by service.Actor) ([]service.MCPServer, error)
	TryMCPTool(ctx context.Context, by service.Actor, server, tool string, args json.RawMessage) (string, error)
}

// Logins say who a request is. What is not valid is a *service.Error with status
// 401.
type Logins interface {
	Login(ctx context.Context, token string) (service.Actor, error)
	ActorOf(context.Context, errand.PersonID) (service.Actor, error)
	// NewLogin makes a token for a browser, Logout revokes it.
	NewLogin(ctx context.Context, by service.Actor, name string, validFor time.Duration) (string, error)
	Logout(ctx context.Context, token string) error
	// NewLink makes a link that logs a browser in once, RedeemLink a token for it.
	NewLink(ctx context.Context, by service.Actor) (link string, expires time.Time, err error)
	RedeemLink(ctx context.Context, link, name string, validFor time.Duration) (string, error)
	AskLogin(ctx context.Context, name, language, address string) (service.Pairing, string, error)
	LoginState(ctx context.Context, secret string) (string, service.Actor, error)
}

// People are who may talk to errand, and who asks to.
type People interface {
	People(ctx context.Context, by service.Actor, p service.Page) ([]service.PersonView, error)
	FindPerson(ctx context.Context, by service.Actor, nameOrID string) (service.Person, error)
	SetRole(ctx context.Context, by service.Actor, id errand.PersonID, role errand.Role) (service.Person, error)
	SetTimeZone(ctx context.Context, by service.Actor, id errand.PersonID, zone string) (service.Person, error)
	SetLanguage(ctx context.Context, by service.Actor, id errand.PersonID, language string) error
	SetName(ctx context.Context, by service.Actor, id errand.PersonID, name string) error
	RemovePerson(ctx context.Context, by service.Actor, id errand.PersonID) error
	Link(ctx context.Context, by service.Actor, id errand.PersonID, channel, account, externalID string) error
	Unlink(ctx context.Context, by service.Actor, id errand.PersonID, channel, account, externalID string) error
	PushKey(by service.Actor) (string, error)
	PushSubscriptions(ctx context.Context, by service.Actor) ([]service.PushSubscription, error)
	SetPushSubscription(ctx context.Context, by service.Actor, p service.PushSubscription, r service.PushRenewal) (service.PushSubscription, error)
	DeletePushSubscription(ctx context.Context, by service.Actor, id string) error
	Tokens(ctx context.Context, by service.Actor, id errand.PersonID) ([]service.Token, error)
	CreateToken(ctx context.Context, by service.Actor, id errand.PersonID, in service.NewToken) (string, service.Token, error)
	RevokeOwnToken(ctx context.Context, by service.Actor, id string) error
	RevokeToken(ctx context.Context, by service.Actor, id string) error
	Pairings(ctx context.Context, by service.Actor, waiting bool) ([]service.Pairing, error)
	Approve(ctx context.Context, by service.Actor, code string, role errand.Role, as errand.PersonID) (service.Pairing, service.Person, error)
	Deny(ctx context.Context, by service.Actor, code string) error
	Refusals(ctx context.Context, by service.Actor) ([]service.Refusal, error)
}

// Sessions are conversations, those that are over too.
type Sessions interface {
	Sessions(ctx context.Context, by service.Actor, f service.SessionFilter) ([]service.Session, error)
	Search(ctx context.Context, by service.Actor, text string, f service.SessionFilter) ([]service.Hit, error)
	Export(ctx context.Context, by service.Actor, id errand.SessionID) (service.Export, error)
	TurnCalls(ctx context.Context, by service.Actor, id errand.SessionID, turn int) ([]service.TurnCall, error)
	Chats(ctx context.Context, by service.Actor, p service.Page) ([]service.Chat, error)
	ChangeChat(ctx context.Context, by service.Actor, id errand.SessionID, to service.ChatChange) error
	DeleteSession(ctx context.Context, by service.Actor, id errand.SessionID, force bool) (service.Deleted, error)
	Artifact(ctx context.Context, by service.Actor, id errand.ArtifactID) (service.Artifact, []byte, error)
}

// Files are those that agents keep in the workspaces of conversations.
type Files interface {
	Workspaces(ctx context.Context, by service.Actor, person errand.PersonID, p service.Page) ([]service.Workspace, error)
	Files(ctx context.Context, by service.Actor, of string, f service.FileFilter) ([]service.File, error)
	OpenFile(ctx context.Context, by service.Actor, of, path string, version int) (service.File, io.Reader, error)
	OpenFileVersion(ctx context.Context, by service.Actor, id int64) (service.File, io.Reader, error)
	PutFile(ctx context.Context, by service.Actor, of, path string, data []byte) (service.FileChanged, error)
	RemoveFile(ctx context.Context, by service.Actor, of, path string) (service.File, error)
}

// Notes are what agents keep in mind about people.
type Notes interface {
	Notes(ctx context.Context, by service.Actor, f service.NoteFilter) ([]service.Note, error)
	ForgetNote(ctx context.Context, by service.Actor, person errand.PersonID, agent errand.AgentName, key string) error
}

// Questions wait for a person, who looks at them beside their tasks.
type Questions interface {
	FollowLists(ctx context.Context, by service.Actor, person errand.PersonID, r service.ListReading) error
	ListQuestions(ctx context.Context, by service.Actor, f service.QuestionFilter) ([]errand.Question, error)
	Question(ctx context.Context, by service.Actor, prefix string) (errand.Question, error)
	Deciders(ctx context.Context, by service.Actor, q errand.Question) ([]string, error)
	MayAnswer(by service.Actor, q errand.Question) error
	AnswerQuestion(ctx context.Context, by service.Actor, prefix string, in service.Answer) (errand.Question, error)
}

// Reminders wake a conversation when their time comes.
type Reminders interface {
	Reminders(ctx context.Context, by service.Actor, all bool, p service.Page) ([]service.Reminder, error)
	Remind(ctx context.Context, by service.Actor, key errand.SessionKey, when, text string) (service.Reminder, error)
	CancelReminder(ctx context.Context, by service.Actor, prefix string) (service.Reminder, error)
}

// Upkeep is what the installation did for itself, and what it used.
type Upkeep interface {
	Maintenance(ctx context.Context, by service.Actor, limit int) ([]service.UpkeepRun, error)
	RunMaintenance(ctx context.Context, by service.Actor) error
	Usage(ctx context.Context, by service.Actor, person errand.PersonID, since time.Time) ([]service.UsageSum, error)
	UsageGroups(ctx context.Context, by service.Actor, person errand.PersonID, since time.Time, sums service.UsageBy, limit int) ([]service.UsageGroup, error)
	Audit(ctx context.Context, by service.Actor, f service.AuditFilter) ([]service.AuditEntry, error)
}

// Channels are our accounts on platforms.
type Channels interface {
	Connections(ctx context.Context, by service.Actor) ([]service.ConnectionView, error)
	LinkCode(ctx context.Context, by service.Actor, a errand.Account, phone string) (string, error)
}
