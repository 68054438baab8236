// Code generated from the API's OpenAPI document. DO NOT EDIT.

package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"errand"
)

// AddIdentity: Say who else somebody is
//
//	POST /api/people/{id}/identities
func (c *Client) AddIdentity(ctx context.Context, id string, body IdentityIn) (Answer[Person], error) {
	r := request{method: "POST", path: "/api/people/" + url.PathEscape(id) + "/identities", body: body}
	return answer[Person](ctx, c, r)
}

// AnswerQuestionBody is what [Client.AnswerQuestion] sends.
type AnswerQuestionBody struct {
	// true: you do not want to answer; without text
	Decline *bool `json:"decline,omitempty"`
	// of an approval: the hash of the arguments, from where all of them are shown; a yes to arguments that
	// chats cut needs it
	Hash *string `json:"hash,omitempty"`
	// the answer: one of the options, or its number, where there are some; what the schema asks for; else
	// any text
	Text *string `json:"text,omitempty"`
}

// AnswerQuestion: Answer a question, or decline it
//
//	POST /api/questions/{id}/answer
func (c *Client) AnswerQuestion(ctx context.Context, id string, body AnswerQuestionBody) (Answer[Question], error) {
	r := request{method: "POST", path: "/api/questions/" + url.PathEscape(id) + "/answer", body: body}
	return answer[Question](ctx, c, r)
}

// ApprovePairingBody is what [Client.ApprovePairing] sends.
type ApprovePairingBody struct {
	// who they are, if they are known already
	Person *string `json:"person,omitempty"`
	// member by default
	Role *string `json:"role,omitempty"`
}

// ApprovePairing: Let somebody in
//
//	POST /api/pairings/{code}/approve
func (c *Client) ApprovePairing(ctx context.Context, code string, body ApprovePairingBody) (Answer[Approve], error) {
	r := request{method: "POST", path: "/api/pairings/" + url.PathEscape(code) + "/approve", body: body}
	return answer[Approve](ctx, c, r)
}

// CancelReminder: Cancel a reminder
//
//	DELETE /api/reminders/{id}
func (c *Client) CancelReminder(ctx context.Context, id string) (Answer[Reminder], error) {
	r := request{method: "DELETE", path: "/api/reminders/" + url.PathEscape(id)}
	return answer[Reminder](ctx, c, r)
}

// CancelTaskBody is what [Client.CancelTask] sends.
type CancelTaskBody struct {
	Reason *string `json:"reason,omitempty"`
}

// CancelTaskParams are what may be said to [Client.CancelTask]; what is zero is left out.
type CancelTaskParams struct {
	// whose, for a master_admin: another's id, or * for anybody's
	Person string
}

// CancelTask: Cancel a task and everything it delegated; final
//
//	POST /api/tasks/{id}/cancel
func (c *Client) CancelTask(ctx context.Context, id string, body CancelTaskBody, p *CancelTaskParams) (Answer[Task], error) {
	r := request{method: "POST", path: "/api/tasks/" + url.PathEscape(id) + "/cancel", body: body}
	if p != nil {
		add(&r.query, "person", p.Person)
	}
	return answer[Task](ctx, c, r)
}

// CancelTasksBody is what [Client.CancelTasks] sends.
type CancelTasksBody struct {
	// the ids of tasks, or their unique beginnings; at most 100
	IDs    []string `json:"ids"`
	Reason *string  `json:"reason,omitempty"`
}

// CancelTasksParams are what may be said to [Client.CancelTasks]; what is zero is left out.
type CancelTasksParams struct {
	// whose, for a master_admin: another's id, or * for anybody's
	Person string
}

// CancelTasks: Cancel several tasks, each with everything it delegated; final
//
//	POST /api/tasks/cancel
func (c *Client) CancelTasks(ctx context.Context, body CancelTasksBody, p *CancelTasksParams) (Answer[[]BulkTask], error) {
	r := request{method: "POST", path: "/api/tasks/cancel", body: body}
	if p != nil {
		add(&r.query, "person", p.Person)
	}
	return answer[[]BulkTask](ctx, c, r)
}

// ChangeChatBody is what [Client.ChangeChat] sends.
type ChangeChatBody struct {
	Archived *bool `json:"archived,omitempty"`
	// 80 characters at most; empty: its first words again
	Name   *string `json:"name,omitempty"`
	Pinned *bool   `json:"pinned,omitempty"`
	// id of the last event that was seen; an earlier one changes nothing
	Seen *int `json:"seen,omitempty"`
}

// ChangeChat: Name, pin or archive a chat in your list, or say what you have seen of it; omitted
// fields stay unchanged
//
//	POST /api/chats/{id}
func (c *Client) ChangeChat(ctx context.Context, id string, body ChangeChatBody) (Answer[ChatOut], error) {
	r := request{method: "POST", path: "/api/chats/" + url.PathEscape(id), body: body}
	return answer[ChatOut](ctx, c, r)
}

// ChangeMeBody is what [Client.ChangeMe] sends.
type ChangeMeBody struct {
	// BCP 47
	Language *string `json:"language,omitempty"`
	Name     *string `json:"name,omitempty"`
	// IANA time zone of the person's times, such as Europe/Oslo; empty: the installation's
	TimeZone *string `json:"time_zone,omitempty"`
}

// ChangeMe: Change your own name, language or time zone; omitted fields stay unchanged
//
//	POST /api/me
func (c *Client) ChangeMe(ctx context.Context, body ChangeMeBody) (Answer[MeChanged], error) {
	r := request{method: "POST", path: "/api/me", body: body}
	return answer[MeChanged](ctx, c, r)
}

// ChangePersonBody is what [Client.ChangePerson] sends.
type ChangePersonBody struct {
	// BCP 47
	Language *string `json:"language,omitempty"`
	Name     *string `json:"name,omitempty"`
	// of errand's roles, or by this installation's name for it
	Role *string `json:"role,omitempty"`
	// IANA time zone of the person's times, such as Europe/Oslo; empty: the installation's
	TimeZone *string `json:"time_zone,omitempty"`
}

// ChangePerson: Change somebody's role, language, name or time zone; omitted fields stay unchanged
//
//	POST /api/people/{id}
func (c *Client) ChangePerson(ctx context.Context, id string, body ChangePersonBody) (Answer[Person], error) {
	r := request{method: "POST", path: "/api/people/" + url.PathEscape(id), body: body}
	return answer[Person](ctx, c, r)
}

// CheckModels: Call every model once, to see whether it answers; each call is paid for
//
//	POST /api/models/check
func (c *Client) CheckModels(ctx context.Context) (Answer[[]errand.ModelState], error) {
	r := request{method: "POST", path: "/api/models/check"}
	return answer[[]errand.ModelState](ctx, c, r)
}

// CheckRemoteAgents: Check whether remote agents can take tasks: read the cards of peers, and start
// coding agents without giving them work
//
//	POST /api/agents/check
func (c *Client) CheckRemoteAgents(ctx context.Context) (Answer[[]errand.RemoteAgentState], error) {
	r := request{method: "POST", path: "/api/agents/check"}
	return answer[[]errand.RemoteAgentState](ctx, c, r)
}

// ContinueTaskBody is what [Client.ContinueTask] sends.
type ContinueTaskBody struct {
	// where the result is told; nowhere when left out
	Chat *string `json:"chat,omitempty"`
	Text string  `json:"text"`
}

// ContinueTaskParams are what may be said to [Client.ContinueTask]; what is zero is left out.
type ContinueTaskParams struct {
	// whose, for a master_admin: another's id, or * for anybody's
	Person string
}

// ContinueTask: A new task that goes on with one that has ended
//
//	POST /api/tasks/{id}/continue
func (c *Client) ContinueTask(ctx context.Context, id string, body ContinueTaskBody, p *ContinueTaskParams) (Answer[Task], error) {
	r := request{method: "POST", path: "/api/tasks/" + url.PathEscape(id) + "/continue", body: body}
	if p != nil {
		add(&r.query, "person", p.Person)
	}
	return answer[Task](ctx, c, r)
}

// CountTasksParams are what may be said to [Client.CountTasks]; what is zero is left out.
type CountTasksParams struct {
	// of one chat
	Chat string
	// of which this is an agent
	Agent string
	// in which this stands, in any case: in what is to be done, in what became of it, or in the id
	Q string
	// of the conversation that this session, by its id or its unique beginning, is of
	Session string
	// begun at this time or date, or later
	Since string
	// begun before this time
	Before string
	// whose: the caller's own by default; a partner or master_admin may name another, or * for everybody's
	Person string
}

// CountTasks: How many tasks are in each state
//
//	GET /api/tasks/counts
func (c *Client) CountTasks(ctx context.Context, p *CountTasksParams) (Answer[Counts], error) {
	r := request{method: "GET", path: "/api/tasks/counts"}
	if p != nil {
		add(&r.query, "chat", p.Chat)
		add(&r.query, "agent", p.Agent)
		add(&r.query, "q", p.Q)
		add(&r.query, "session", p.Session)
		add(&r.query, "since", p.Since)
		add(&r.query, "before", p.Before)
		add(&r.query, "person", p.Person)
	}
	return answer[Counts](ctx, c, r)
}

// CreateChannelCodeBody is what [Client.CreateChannelCode] sends.
type CreateChannelCodeBody struct {
	// the number of the phone, with its country code
	Phone string `json:"phone"`
}

// CreateChannelCode: A code to type into a phone to link an account, instead of scanning
//
//	POST /api/channels/{channel}/{account}/code
func (c *Client) CreateChannelCode(ctx context.Context, channel string, account string, body CreateChannelCodeBody) (Answer[Code], error) {
	r := request{method: "POST", path: "/api/channels/" + url.PathEscape(channel) + "/" + url.PathEscape(account) + "/code", body: body}
	return answer[Code](ctx, c, r)
}

// CreateLoginLink: Create a one-time link that logs a browser in as you
//
//	POST /api/me/link
func (c *Client) CreateLoginLink(ctx context.Context) (Answer[Link], error) {
	r := request{method: "POST", path: "/api/me/link"}
	return answer[Link](ctx, c, r)
}

// CreateOwnToken: Make a token of yours; only this answer shows it
//
//	POST /api/me/tokens
func (c *Client) CreateOwnToken(ctx context.Context, body NewToken) (Answer[TokenOut], error) {
	r := request{method: "POST", path: "/api/me/tokens", body: body}
	return answer[TokenOut](ctx, c, r)
}

// CreateReminderBody is what [Client.CreateReminder] sends.
type CreateReminderBody struct {
	// where it wakes the session; main by default
	Chat *string `json:"chat,omitempty"`
	Text string  `json:"text"`
	// "tomorrow at 9", "every monday at 8:00", an RFC 3339 time or an RRULE
	When string `json:"when"`
}

// CreateReminder: Set a reminder
//
//	POST /api/reminders
func (c *Client) CreateReminder(ctx context.Context, body CreateReminderBody) (Answer[Reminder], error) {
	r := request{method: "POST", path: "/api/reminders", body: body}
	return answer[Reminder](ctx, c, r)
}

// CreateTaskBody is what [Client.CreateTask] sends.
type CreateTaskBody struct {
	// one agent, or several with commas
	Agent  *string  `json:"agent,omitempty"`
	Agents []string `json:"agents,omitempty"`
	// where the result is told, by its name on the page; nowhere when left out
	Chat *string `json:"chat,omitempty"`
	// a conversation of yours whose last messages the task needs
	Context *Context `json:"context,omitempty"`
	// seconds after which it ends with what is there; never when left out
	Deadline *int `json:"deadline,omitempty"`
	// where it is told instead: a chat of yours on any channel, as telegram/finn (your private chat on
	// that account), telegram, telegram/finn/42, the name of an agent that has an account of its own, or a
	// session id
	DeliverTo *string `json:"deliver_to,omitempty"`
	// the task that follows any other answer
	Else *errand.Branch `json:"else,omitempty"`
	// decision: each agent gives its verdict, YES, NO or ABSTAIN, and the policy says what they come to;
	// one of report, decision
	Expect *string `json:"expect,omitempty"`
	// of a decision: all, any, majority (the default) or quorum:3, and behind it weights:finn=2,
	// veto:priest, rest:finish
	Policy *string `json:"policy,omitempty"`
	// one that errand.yaml names: it says who is asked, for what, and what follows
	Procedure *string `json:"procedure,omitempty"`
	// what is to be done; with a procedure, what is said to it
	Text string `json:"text"`
	// the task that follows a yes
	Then *errand.Branch `json:"then,omitempty"`
}

// CreateTask: Give a task to agents
//
//	POST /api/tasks
func (c *Client) CreateTask(ctx context.Context, body CreateTaskBody) (Answer[Task], error) {
	r := request{method: "POST", path: "/api/tasks", body: body}
	return answer[Task](ctx, c, r)
}

// CreateToken: Make a token for somebody; only this answer shows it
//
//	POST /api/people/{id}/tokens
func (c *Client) CreateToken(ctx context.Context, id string, body NewToken) (Answer[TokenOut], error) {
	r := request{method: "POST", path: "/api/people/" + url.PathEscape(id) + "/tokens", body: body}
	return answer[TokenOut](ctx, c, r)
}

// DeleteFileParams are what may be said to [Client.DeleteFile]; what is zero is left out.
type DeleteFileParams struct {
	// of the file, such as notes/plan.md
	Path string
}

// DeleteFile: Delete a file with its versions
//
//	DELETE /api/files/{of}/content
func (c *Client) DeleteFile(ctx context.Context, of string, p *DeleteFileParams) (Answer[File], error) {
	r := request{method: "DELETE", path: "/api/files/" + url.PathEscape(of) + "/content"}
	if p != nil {
		add(&r.query, "path", p.Path)
	}
	return answer[File](ctx, c, r)
}

// DeleteNoteParams are what may be said to [Client.DeleteNote]; what is zero is left out.
type DeleteNoteParams struct {
	// about whom, for a master_admin
	Person string
}

// DeleteNote: Have a note forgotten
//
//	DELETE /api/memory/{agent}/{key}
func (c *Client) DeleteNote(ctx context.Context, agent string, key string, p *DeleteNoteParams) (Answer[Note], error) {
	r := request{method: "DELETE", path: "/api/memory/" + url.PathEscape(agent) + "/" + url.PathEscape(key)}
	if p != nil {
		add(&r.query, "person", p.Person)
	}
	return answer[Note](ctx, c, r)
}

// DeletePerson: Remove somebody, with identities and tokens
//
//	DELETE /api/people/{id}
func (c *Client) DeletePerson(ctx context.Context, id string) (Answer[Person], error) {
	r := request{method: "DELETE", path: "/api/people/" + url.PathEscape(id)}
	return answer[Person](ctx, c, r)
}

// DeletePushSubscription: Have a browser told no more
//
//	DELETE /api/me/push/{id}
func (c *Client) DeletePushSubscription(ctx context.Context, id string) (Answer[PushID], error) {
	r := request{method: "DELETE", path: "/api/me/push/" + url.PathEscape(id)}
	return answer[PushID](ctx, c, r)
}

// DeleteSessionParams are what may be said to [Client.DeleteSession]; what is zero is left out.
type DeleteSessionParams struct {
	// true: also with tasks at work, which are cancelled
	Force bool
}

// DeleteSession: Delete a session for good: rows, notes, and the histories of its workflows
//
//	DELETE /api/sessions/{id}
func (c *Client) DeleteSession(ctx context.Context, id string, p *DeleteSessionParams) (Answer[DeleteSession], error) {
	r := request{method: "DELETE", path: "/api/sessions/" + url.PathEscape(id)}
	if p != nil {
		add(&r.query, "force", p.Force)
	}
	return answer[DeleteSession](ctx, c, r)
}

// DenyPairing: Do not let somebody in
//
//	POST /api/pairings/{code}/deny
func (c *Client) DenyPairing(ctx context.Context, code string) (Answer[Deny], error) {
	r := request{method: "POST", path: "/api/pairings/" + url.PathEscape(code) + "/deny"}
	return answer[Deny](ctx, c, r)
}

// DismissDelivery: Give a delivery up
//
//	POST /api/outbox/{id}/dismiss
func (c *Client) DismissDelivery(ctx context.Context, id int64) (Answer[Delivery], error) {
	r := request{method: "POST", path: "/api/outbox/" + strconv.FormatInt(id, 10) + "/dismiss"}
	return answer[Delivery](ctx, c, r)
}

// EditMessageBody is what [Client.EditMessage] sends.
type EditMessageBody struct {
	// no command
	Text string `json:"text"`
}

// EditMessage: Give a message of yours other words, as long as no turn has taken it
//
//	PUT /api/sessions/{chat}/messages/{message}
func (c *Client) EditMessage(ctx context.Context, chat string, message string, body EditMessageBody) (Answer[MessageChanged], error) {
	r := request{method: "PUT", path: "/api/sessions/" + url.PathEscape(chat) + "/messages/" + url.PathEscape(message), body: body}
	return answer[MessageChanged](ctx, c, r)
}

// ExportSessionParams are what may be said to [Client.ExportSession]; what is zero is left out.
type ExportSessionParams struct {
	// markdown by default
	Format string
}

// ExportSession: A session as a file
//
// The answer is application/json or text/markdown; whoever calls closes its body.
//
//	GET /api/sessions/{id}/export
func (c *Client) ExportSession(ctx context.Context, id string, p *ExportSessionParams, accept string) (*http.Response, error) {
	r := request{method: "GET", path: "/api/sessions/" + url.PathEscape(id) + "/export", accept: accept}
	if p != nil {
		add(&r.query, "format", p.Format)
	}
	return c.open(ctx, r)
}

// GetAbout: The installation
//
//	GET /api/about
func (c *Client) GetAbout(ctx context.Context) (Answer[About], error) {
	r := request{method: "GET", path: "/api/about"}
	return answer[About](ctx, c, r)
}

// GetArtifactPath is where [Client.GetArtifact] gets it from, behind the address of errand.
func GetArtifactPath(id string) string {
	return "/api/artifacts/" + url.PathEscape(id)
}

// GetArtifact: A file that somebody sent
//
// For whoever sent it, and for partners and above; for others it is not there. It comes as an
// attachment, with the type that its content has. The artifacts of a session are in GET
// /api/sessions/{id}.
//
// The answer is application/octet-stream; whoever calls closes its body.
//
//	GET /api/artifacts/{id}
func (c *Client) GetArtifact(ctx context.Context, id string) (*http.Response, error) {
	r := request{method: "GET", path: GetArtifactPath(id)}
	return c.open(ctx, r)
}

// GetChannelQRPath is where [Client.GetChannelQR] gets it from, behind the address of errand.
func GetChannelQRPath(channel string, account string) string {
	return "/api/channels/" + url.PathEscape(channel) + "/" + url.PathEscape(account) + "/qr"
}

// GetChannelQR: What a phone scans to link an account
//
// The answer is image/png; whoever calls closes its body.
//
//	GET /api/channels/{channel}/{account}/qr
func (c *Client) GetChannelQR(ctx context.Context, channel string, account string) (*http.Response, error) {
	r := request{method: "GET", path: GetChannelQRPath(channel, account)}
	return c.open(ctx, r)
}

// GetEventsParams are what may be said to [Client.GetEvents]; what is zero is left out.
type GetEventsParams struct {
	// id of the last event that was seen
	After *int64
	// instead of the stream: the latest events before the one with this id, as a JSON list, oldest first
	Before *int64
	// of the list: at most so many, 200 by default
	Limit int
	// whose chat, for a partner or master_admin
	Person string
	// id of the last event that was seen; before after
	LastEventID *int64
}

// GetEvents: The event log as a stream (text/event-stream), from Last-Event-ID, ?after=, or the latest
// 200. With ?before= it is a list of what came before.
//
// The answer is application/json or text/event-stream; whoever calls closes its body.
//
//	GET /api/sessions/{chat}/events
func (c *Client) GetEvents(ctx context.Context, chat string, p *GetEventsParams, accept string) (*http.Response, error) {
	r := request{method: "GET", path: "/api/sessions/" + url.PathEscape(chat) + "/events", accept: accept}
	if p != nil {
		addGiven(&r.query, "after", p.After)
		addGiven(&r.query, "before", p.Before)
		add(&r.query, "limit", p.Limit)
		add(&r.query, "person", p.Person)
		addGiven(&r.header, "Last-Event-ID", p.LastEventID)
	}
	return c.open(ctx, r)
}

// GetFileParams are what may be said to [Client.GetFile]; what is zero is left out.
type GetFileParams struct {
	// of the file, such as notes/plan.md
	Path string
	// an earlier version; the latest when left out
	Version int
}

// GetFile: One file
//
// It comes as an attachment, with the type that its content has. For whoever may read the
// conversation; for others it is not there.
//
// The answer is application/octet-stream; whoever calls closes its body.
//
//	GET /api/files/{of}/content
func (c *Client) GetFile(ctx context.Context, of string, p *GetFileParams) (*http.Response, error) {
	r := request{method: "GET", path: "/api/files/" + url.PathEscape(of) + "/content"}
	if p != nil {
		add(&r.query, "path", p.Path)
		add(&r.query, "version", p.Version)
	}
	return c.open(ctx, r)
}

// GetFileVersionPath is where [Client.GetFileVersion] gets it from, behind the address of errand.
func GetFileVersionPath(id int64) string {
	return "/api/file-versions/" + strconv.FormatInt(id, 10)
}

// GetFileVersion: A file as an agent has sent it
//
// It comes as an attachment, with the type that its content has. For whoever may read the
// conversation; for others it is not there.
//
// The answer is application/octet-stream; whoever calls closes its body.
//
//	GET /api/file-versions/{id}
func (c *Client) GetFileVersion(ctx context.Context, id int64) (*http.Response, error) {
	r := request{method: "GET", path: GetFileVersionPath(id)}
	return c.open(ctx, r)
}

// GetHookSecretBody is what [Client.GetHookSecret] sends.
type GetHookSecretBody struct {
	// draw another one: what is sent from now on is signed with it
	Renew *bool `json:"renew,omitempty"`
}

// GetHookSecret: What your webhooks are signed with
//
//	POST /api/hooks/secret
func (c *Client) GetHookSecret(ctx context.Context, body GetHookSecretBody) (Answer[HookSecret], error) {
	r := request{method: "POST", path: "/api/hooks/secret", body: body}
	return answer[HookSecret](ctx, c, r)
}

// GetMe: Who the request is, and the routes they may use
//
//	GET /api/me
func (c *Client) GetMe(ctx context.Context) (Answer[Me], error) {
	r := request{method: "GET", path: "/api/me"}
	return answer[Me](ctx, c, r)
}

// GetPush: Your browsers that are told of results while no page is open, and the key to subscribe with
//
//	GET /api/me/push
func (c *Client) GetPush(ctx context.Context) (Answer[Push], error) {
	r := request{method: "GET", path: "/api/me/push"}
	return answer[Push](ctx, c, r)
}

// GetQuestion: One question, and who may answer it
//
//	GET /api/questions/{id}
func (c *Client) GetQuestion(ctx context.Context, id string) (Answer[ShownQuestion], error) {
	r := request{method: "GET", path: "/api/questions/" + url.PathEscape(id)}
	return answer[ShownQuestion](ctx, c, r)
}

// GetSession: One session with its transcript
//
//	GET /api/sessions/{id}
func (c *Client) GetSession(ctx context.Context, id string) (Answer[Export], error) {
	r := request{method: "GET", path: "/api/sessions/" + url.PathEscape(id)}
	return answer[Export](ctx, c, r)
}

// GetTaskParams are what may be said to [Client.GetTask]; what is zero is left out.
type GetTaskParams struct {
	// whose: the caller's own by default; a partner or master_admin may name another, or * for everybody's
	Person string
	// answer when the task has ended, or after so many seconds
	Wait int
}

// GetTask: One task
//
//	GET /api/tasks/{id}
func (c *Client) GetTask(ctx context.Context, id string, p *GetTaskParams) (Answer[Task], error) {
	r := request{method: "GET", path: "/api/tasks/" + url.PathEscape(id)}
	if p != nil {
		add(&r.query, "person", p.Person)
		add(&r.query, "wait", p.Wait)
	}
	return answer[Task](ctx, c, r)
}

// GetTaskDetailsParams are what may be said to [Client.GetTaskDetails]; what is zero is left out.
type GetTaskDetailsParams struct {
	// whose: the caller's own by default; a partner or master_admin may name another, or * for everybody's
	Person string
}

// GetTaskDetails: What belongs to a task: its tree, questions, deliveries and files
//
//	GET /api/tasks/{id}/details
func (c *Client) GetTaskDetails(ctx context.Context, id string, p *GetTaskDetailsParams) (Answer[TaskDetails], error) {
	r := request{method: "GET", path: "/api/tasks/" + url.PathEscape(id) + "/details"}
	if p != nil {
		add(&r.query, "person", p.Person)
	}
	return answer[TaskDetails](ctx, c, r)
}

// GetTimelineParams are what may be said to [Client.GetTimeline]; what is zero is left out.
type GetTimelineParams struct {
	// whose: the caller's own by default; a partner or master_admin may name another, or * for everybody's
	Person string
	// true: with the model calls of each row, and what they have called
	Steps bool
}

// GetTimeline: Who was at work when, for a task and all that was delegated below it
//
//	GET /api/tasks/{id}/timeline
func (c *Client) GetTimeline(ctx context.Context, id string, p *GetTimelineParams) (Answer[Timeline], error) {
	r := request{method: "GET", path: "/api/tasks/" + url.PathEscape(id) + "/timeline"}
	if p != nil {
		add(&r.query, "person", p.Person)
		add(&r.query, "steps", p.Steps)
	}
	return answer[Timeline](ctx, c, r)
}

// GetUsageParams are what may be said to [Client.GetUsage]; what is zero is left out.
type GetUsageParams struct {
	// in the last so many days, 1 by default
	Days int
	// whose: the caller's own by default; a partner or master_admin may name another, or * for everybody's
	Person string
	// also sums by day, agent, person, model or tree; several with commas. A tree is what one message or one task has set to work
	By []UsageBy
}

// GetUsage: What was used
//
//	GET /api/usage
func (c *Client) GetUsage(ctx context.Context, p *GetUsageParams) (Answer[Usage], error) {
	r := request{method: "GET", path: "/api/usage"}
	if p != nil {
		add(&r.query, "days", p.Days)
		add(&r.query, "person", p.Person)
		add(&r.query, "by", p.By...)
	}
	return answer[Usage](ctx, c, r)
}

// ListAgentsParams are what may be said to [Client.ListAgents]; what is zero is left out.
type ListAgentsParams struct {
	// also say which of them this chat is with
	Chat string
}

// ListAgents: The agents that the person may talk with
//
//	GET /api/agents
func (c *Client) ListAgents(ctx context.Context, p *ListAgentsParams) (Answer[[]Agent], error) {
	r := request{method: "GET", path: "/api/agents"}
	if p != nil {
		add(&r.query, "chat", p.Chat)
	}
	return answer[[]Agent](ctx, c, r)
}

// ListAuditParams are what may be said to [Client.ListAudit]; what is zero is left out.
type ListAuditParams struct {
	// who did it, by name or id
	Person string
	// what they did: one deed, or several with commas. What a deed begins with stands for all of its kind, as tokens for tokens.make and tokens.revoke
	Deed string
	// to whom or what, by id; a person's id stands for what is theirs, too
	Of string
	// since this time or date
	Since string
	// the entries before this one, by id: the last of a list, for the next
	Before int64
	// what comes behind: as the Link of the page before says it (rel="next"), which is there if the page is full. It means nothing else, and stays true when other entries come and go
	After string
	// at most so many, 100 by default
	Limit int
}

// ListAudit: Who has done what, the newest first
//
//	GET /api/audit
func (c *Client) ListAudit(ctx context.Context, p *ListAuditParams) (Answer[[]AuditEntry], error) {
	r := request{method: "GET", path: "/api/audit"}
	if p != nil {
		add(&r.query, "person", p.Person)
		add(&r.query, "deed", p.Deed)
		add(&r.query, "of", p.Of)
		add(&r.query, "since", p.Since)
		add(&r.query, "before", p.Before)
		add(&r.query, "after", p.After)
		add(&r.query, "limit", p.Limit)
	}
	return answer[[]AuditEntry](ctx, c, r)
}

// ListCallsParams are what may be said to [Client.ListCalls]; what is zero is left out.
type ListCallsParams struct {
	// number of the turn, as events have it
	Turn int
}

// ListCalls: What tools an agent has called in a turn, with what it gave and got
//
//	GET /api/sessions/{id}/calls
func (c *Client) ListCalls(ctx context.Context, id string, p *ListCallsParams) (Answer[[]TurnCall], error) {
	r := request{method: "GET", path: "/api/sessions/" + url.PathEscape(id) + "/calls"}
	if p != nil {
		add(&r.query, "turn", p.Turn)
	}
	return answer[[]TurnCall](ctx, c, r)
}

// ListChannels: Our accounts on platforms, and how they are connected
//
//	GET /api/channels
func (c *Client) ListChannels(ctx context.Context) (Answer[[]Connection], error) {
	r := request{method: "GET", path: "/api/channels"}
	return answer[[]Connection](ctx, c, r)
}

// ListChatsParams are what may be said to [Client.ListChats]; what is zero is left out.
type ListChatsParams struct {
	// what comes behind: as the Link of the page before says it (rel="next"), which is there if the page is full. It means nothing else, and stays true when other entries come and go
	After string
	// at most so many, 200 by default
	Limit int
}

// ListChats: Your chats on all channels: those that you have pinned, then the last active ones
//
//	GET /api/chats
func (c *Client) ListChats(ctx context.Context, p *ListChatsParams) (Answer[[]Chat], error) {
	r := request{method: "GET", path: "/api/chats"}
	if p != nil {
		add(&r.query, "after", p.After)
		add(&r.query, "limit", p.Limit)
	}
	return answer[[]Chat](ctx, c, r)
}

// ListCleanUpsParams are what may be said to [Client.ListCleanUps]; what is zero is left out.
type ListCleanUpsParams struct {
	// at most so many, 10 by default
	Limit int
}

// ListCleanUps: What the clean-ups did, the newest first
//
//	GET /api/maintenance
func (c *Client) ListCleanUps(ctx context.Context, p *ListCleanUpsParams) (Answer[[]CleanUp], error) {
	r := request{method: "GET", path: "/api/maintenance"}
	if p != nil {
		add(&r.query, "limit", p.Limit)
	}
	return answer[[]CleanUp](ctx, c, r)
}

// ListCommands: The commands that the person may type in a chat
//
//	GET /api/commands
func (c *Client) ListCommands(ctx context.Context) (Answer[[]Command], error) {
	r := request{method: "GET", path: "/api/commands"}
	return answer[[]Command](ctx, c, r)
}

// ListDeliveriesParams are what may be said to [Client.ListDeliveries]; what is zero is left out.
type ListDeliveriesParams struct {
	// one state, or several with commas; may be repeated
	State []errand.OutboxState
	// at most so many, 200 by default
	Limit int
	// what comes behind: as the Link of the page before says it (rel="next"), which is there if the page is full. It means nothing else, and stays true when other entries come and go
	After string
}

// ListDeliveries: Deliveries, the newest first
//
//	GET /api/outbox
func (c *Client) ListDeliveries(ctx context.Context, p *ListDeliveriesParams) (Answer[[]errand.Notification], error) {
	r := request{method: "GET", path: "/api/outbox"}
	if p != nil {
		add(&r.query, "state", p.State...)
		add(&r.query, "limit", p.Limit)
		add(&r.query, "after", p.After)
	}
	return answer[[]errand.Notification](ctx, c, r)
}

// ListFilesParams are what may be said to [Client.ListFiles]; what is zero is left out.
type ListFilesParams struct {
	// only what is in this folder
	Folder string
	// only what is behind this path: for the next page
	After string
	// at most so many, 1000 by default
	Limit int
}

// ListFiles: The files of a session or task, by path
//
// A session and all tasks that are delegated from it share their files, and so does the next session
// of the chat. The id may be shortened.
//
//	GET /api/files/{of}
func (c *Client) ListFiles(ctx context.Context, of string, p *ListFilesParams) (Answer[[]File], error) {
	r := request{method: "GET", path: "/api/files/" + url.PathEscape(of)}
	if p != nil {
		add(&r.query, "folder", p.Folder)
		add(&r.query, "after", p.After)
		add(&r.query, "limit", p.Limit)
	}
	return answer[[]File](ctx, c, r)
}

// ListHooksParams are what may be said to [Client.ListHooks]; what is zero is left out.
type ListHooksParams struct {
	// at most so many, 100 by default
	Limit int
	// what comes behind: as the Link of the page before says it (rel="next"), which is there if the page is full. It means nothing else, and stays true when other entries come and go
	After string
	// whose: the caller's own by default; a partner or master_admin may name another, or * for everybody's
	Person string
}

// ListHooks: What programs were told of the ends of tasks, or are to be, the newest first
//
//	GET /api/hooks
func (c *Client) ListHooks(ctx context.Context, p *ListHooksParams) (Answer[[]Webhook], error) {
	r := request{method: "GET", path: "/api/hooks"}
	if p != nil {
		add(&r.query, "limit", p.Limit)
		add(&r.query, "after", p.After)
		add(&r.query, "person", p.Person)
	}
	return answer[[]Webhook](ctx, c, r)
}

// ListMCPServers: The MCP servers whose tools agents can call, as the worker that answers sees them
//
//	GET /api/mcp
func (c *Client) ListMCPServers(ctx context.Context) (Answer[[]MCPServer], error) {
	r := request{method: "GET", path: "/api/mcp"}
	return answer[[]MCPServer](ctx, c, r)
}

// ListNotesParams are what may be said to [Client.ListNotes]; what is zero is left out.
type ListNotesParams struct {
	// of one agent
	Agent string
	// of the key
	Prefix string
	// whose: the caller's own by default; a partner or master_admin may name another, or * for everybody's
	Person string
	// what comes behind: as the Link of the page before says it (rel="next"), which is there if the page is full. It means nothing else, and stays true when other entries come and go
	After string
	// at most so many, 1000 by default
	Limit int
}

// ListNotes: What agents have noted
//
//	GET /api/memory
func (c *Client) ListNotes(ctx context.Context, p *ListNotesParams) (Answer[[]PersonNote], error) {
	r := request{method: "GET", path: "/api/memory"}
	if p != nil {
		add(&r.query, "agent", p.Agent)
		add(&r.query, "prefix", p.Prefix)
		add(&r.query, "person", p.Person)
		add(&r.query, "after", p.After)
		add(&r.query, "limit", p.Limit)
	}
	return answer[[]PersonNote](ctx, c, r)
}

// ListOwnTokens: Your tokens; never what they are
//
//	GET /api/me/tokens
func (c *Client) ListOwnTokens(ctx context.Context) (Answer[[]Token], error) {
	r := request{method: "GET", path: "/api/me/tokens"}
	return answer[[]Token](ctx, c, r)
}

// ListPairingsParams are what may be said to [Client.ListPairings]; what is zero is left out.
type ListPairingsParams struct {
	// true: only those about whom nobody has decided yet
	Waiting bool
}

// ListPairings: Who asks to be let in
//
//	GET /api/pairings
func (c *Client) ListPairings(ctx context.Context, p *ListPairingsParams) (Answer[[]Pairing], error) {
	r := request{method: "GET", path: "/api/pairings"}
	if p != nil {
		add(&r.query, "waiting", p.Waiting)
	}
	return answer[[]Pairing](ctx, c, r)
}

// ListPeopleParams are what may be said to [Client.ListPeople]; what is zero is left out.
type ListPeopleParams struct {
	// what comes behind: as the Link of the page before says it (rel="next"), which is there if the page is full. It means nothing else, and stays true when other entries come and go
	After string
	// at most so many; everybody when left out
	Limit int
}

// ListPeople: People with identities and tokens; the tokens themselves are never shown
//
//	GET /api/people
func (c *Client) ListPeople(ctx context.Context, p *ListPeopleParams) (Answer[[]PersonView], error) {
	r := request{method: "GET", path: "/api/people"}
	if p != nil {
		add(&r.query, "after", p.After)
		add(&r.query, "limit", p.Limit)
	}
	return answer[[]PersonView](ctx, c, r)
}

// ListQuestionsParams are what may be said to [Client.ListQuestions]; what is zero is left out.
type ListQuestionsParams struct {
	// asked in one chat, whoever of its people is asked
	Chat string
	// whom they ask; you by default, * is everybody
	Person string
	// true: those that are over too
	All bool
	// what comes behind: as the Link of the page before says it (rel="next"), which is there if the page is full. It means nothing else, and stays true when other entries come and go
	After string
	// at most so many, the newest; 100 by default
	Limit int
}

// ListQuestions: What waits for an answer
//
//	GET /api/questions
func (c *Client) ListQuestions(ctx context.Context, p *ListQuestionsParams) (Answer[[]Question], error) {
	r := request{method: "GET", path: "/api/questions"}
	if p != nil {
		add(&r.query, "chat", p.Chat)
		add(&r.query, "person", p.Person)
		add(&r.query, "all", p.All)
		add(&r.query, "after", p.After)
		add(&r.query, "limit", p.Limit)
	}
	return answer[[]Question](ctx, c, r)
}

// ListRefusals: Senders that were turned away
//
//	GET /api/refusals
func (c *Client) ListRefusals(ctx context.Context) (Answer[[]Refusal], error) {
	r := request{method: "GET", path: "/api/refusals"}
	return answer[[]Refusal](ctx, c, r)
}

// ListRemindersParams are what may be said to [Client.ListReminders]; what is zero is left out.
type ListRemindersParams struct {
	// true: those that are over too
	All bool
	// what comes behind: as the Link of the page before says it (rel="next"), which is there if the page is full. It means nothing else, and stays true when other entries come and go
	After string
	// at most so many, 1000 by default
	Limit int
}

// ListReminders: Reminders
//
//	GET /api/reminders
func (c *Client) ListReminders(ctx context.Context, p *ListRemindersParams) (Answer[[]Reminder], error) {
	r := request{method: "GET", path: "/api/reminders"}
	if p != nil {
		add(&r.query, "all", p.All)
		add(&r.query, "after", p.After)
		add(&r.query, "limit", p.Limit)
	}
	return answer[[]Reminder](ctx, c, r)
}

// ListSessionsParams are what may be said to [Client.ListSessions]; what is zero is left out.
type ListSessionsParams struct {
	// whose: the caller's own by default; a partner or master_admin may name another, or * for everybody's
	Person string
	// of one chat by page and API
	Chat string
	// of one channel
	Channel string
	// of one agent
	Agent string
	// of one state
	State SessionState
	// what comes behind: as the Link of the page before says it (rel="next"), which is there if the page is full. It means nothing else, and stays true when other entries come and go
	After string
	// last active before this time or date
	Before string
	// at most so many, 100 by default
	Limit int
}

// ListSessions: Sessions, the last active first
//
//	GET /api/sessions
func (c *Client) ListSessions(ctx context.Context, p *ListSessionsParams) (Answer[[]Session], error) {
	r := request{method: "GET", path: "/api/sessions"}
	if p != nil {
		add(&r.query, "person", p.Person)
		add(&r.query, "chat", p.Chat)
		add(&r.query, "channel", p.Channel)
		add(&r.query, "agent", p.Agent)
		add(&r.query, "state", p.State)
		add(&r.query, "after", p.After)
		add(&r.query, "before", p.Before)
		add(&r.query, "limit", p.Limit)
	}
	return answer[[]Session](ctx, c, r)
}

// ListTasksParams are what may be said to [Client.ListTasks]; what is zero is left out.
type ListTasksParams struct {
	// of one chat
	Chat string
	// of which this is an agent
	Agent string
	// in which this stands, in any case: in what is to be done, in what became of it, or in the id
	Q string
	// of the conversation that this session, by its id or its unique beginning, is of
	Session string
	// begun at this time or date, or later
	Since string
	// begun before this time
	Before string
	// whose: the caller's own by default; a partner or master_admin may name another, or * for everybody's
	Person string
	// one state, or several with commas; may be repeated
	State []errand.TaskState
	// at most so many, 100 by default
	Limit int
	// what comes behind: as the Link of the page before says it (rel="next"), which is there if the page is full. It means nothing else, and stays true when other entries come and go
	After string
	// true: whole trees, each task below the one that delegated it, with level, branch and matches; long texts are cut, GET /api/tasks/{id} has all of them
	Tree bool
}

// ListTasks: Tasks, the newest first
//
//	GET /api/tasks
func (c *Client) ListTasks(ctx context.Context, p *ListTasksParams) (Answer[[]Task], error) {
	r := request{method: "GET", path: "/api/tasks"}
	if p != nil {
		add(&r.query, "chat", p.Chat)
		add(&r.query, "agent", p.Agent)
		add(&r.query, "q", p.Q)
		add(&r.query, "session", p.Session)
		add(&r.query, "since", p.Since)
		add(&r.query, "before", p.Before)
		add(&r.query, "person", p.Person)
		add(&r.query, "state", p.State...)
		add(&r.query, "limit", p.Limit)
		add(&r.query, "after", p.After)
		add(&r.query, "tree", p.Tree)
	}
	return answer[[]Task](ctx, c, r)
}

// ListTokens: Somebody's tokens
//
//	GET /api/people/{id}/tokens
func (c *Client) ListTokens(ctx context.Context, id string) (Answer[[]Token], error) {
	r := request{method: "GET", path: "/api/people/" + url.PathEscape(id) + "/tokens"}
	return answer[[]Token](ctx, c, r)
}

// ListWaiting: Your messages that no turn has taken yet
//
//	GET /api/sessions/{chat}/waiting
func (c *Client) ListWaiting(ctx context.Context, chat string) (Answer[[]WaitingMessage], error) {
	r := request{method: "GET", path: "/api/sessions/" + url.PathEscape(chat) + "/waiting"}
	return answer[[]WaitingMessage](ctx, c, r)
}

// ListWorkspacesParams are what may be said to [Client.ListWorkspaces]; what is zero is left out.
type ListWorkspacesParams struct {
	// whose: the caller's own by default; a partner or master_admin may name another, or * for everybody's
	Person string
	// what comes behind: as the Link of the page before says it (rel="next"), which is there if the page is full. It means nothing else, and stays true when other entries come and go
	After string
	// at most so many, 100 by default
	Limit int
}

// ListWorkspaces: The conversations whose agents keep files, those that were changed last first
//
//	GET /api/files
func (c *Client) ListWorkspaces(ctx context.Context, p *ListWorkspacesParams) (Answer[[]Workspace], error) {
	r := request{method: "GET", path: "/api/files"}
	if p != nil {
		add(&r.query, "person", p.Person)
		add(&r.query, "after", p.After)
		add(&r.query, "limit", p.Limit)
	}
	return answer[[]Workspace](ctx, c, r)
}

// OpenChat: What a page begins with that shows a chat of yours, in one answer
//
//	GET /api/sessions/{chat}/opening
func (c *Client) OpenChat(ctx context.Context, chat string) (Answer[Opening], error) {
	r := request{method: "GET", path: "/api/sessions/" + url.PathEscape(chat) + "/opening"}
	return answer[Opening](ctx, c, r)
}

// Pause: No model call begins until resume
//
//	POST /api/pause
func (c *Client) Pause(ctx context.Context) (Answer[Paused], error) {
	r := request{method: "POST", path: "/api/pause"}
	return answer[Paused](ctx, c, r)
}

// PutFileParams are what may be said to [Client.PutFile]; what is zero is left out.
type PutFileParams struct {
	// of the file, such as notes/plan.md
	Path string
}

// PutFile: Write a file: the body is what is in it. What was there stays an earlier version
//
//	PUT /api/files/{of}/content
func (c *Client) PutFile(ctx context.Context, of string, body io.Reader, p *PutFileParams) (Answer[FileChanged], error) {
	r := request{method: "PUT", path: "/api/files/" + url.PathEscape(of) + "/content", body: body}
	if p != nil {
		add(&r.query, "path", p.Path)
	}
	return answer[FileChanged](ctx, c, r)
}

// RemoveIdentityParams are what may be said to [Client.RemoveIdentity]; what is zero is left out.
type RemoveIdentityParams struct {
	// channel
	Channel string
	// account
	Account string
	// how the channel knows them
	ExternalID string
}

// RemoveIdentity: Say that somebody is not who it was said they were
//
//	DELETE /api/people/{id}/identities
func (c *Client) RemoveIdentity(ctx context.Context, id string, p *RemoveIdentityParams) (Answer[Person], error) {
	r := request{method: "DELETE", path: "/api/people/" + url.PathEscape(id) + "/identities"}
	if p != nil {
		add(&r.query, "channel", p.Channel)
		add(&r.query, "account", p.Account)
		add(&r.query, "external_id", p.ExternalID)
	}
	return answer[Person](ctx, c, r)
}

// ResetChatBody is what [Client.ResetChat] sends.
type ResetChatBody struct {
	// with whom it begins; the primary agent when left out
	Agent *string `json:"agent,omitempty"`
	// sent again with the same id, it is done once
	MessageID *string `json:"message_id,omitempty"`
}

// ResetChat: End the session and begin another, with an agent if one is named; tasks at work go on
//
//	POST /api/sessions/{chat}/reset
func (c *Client) ResetChat(ctx context.Context, chat string, body ResetChatBody) (Answer[Reset], error) {
	r := request{method: "POST", path: "/api/sessions/" + url.PathEscape(chat) + "/reset", body: body}
	return answer[Reset](ctx, c, r)
}

// Resume: Model calls may begin again
//
//	POST /api/resume
func (c *Client) Resume(ctx context.Context) (Answer[Paused], error) {
	r := request{method: "POST", path: "/api/resume"}
	return answer[Paused](ctx, c, r)
}

// RetryDelivery: Deliver again what is blocked
//
//	POST /api/outbox/{id}/retry
func (c *Client) RetryDelivery(ctx context.Context, id int64) (Answer[Delivery], error) {
	r := request{method: "POST", path: "/api/outbox/" + strconv.FormatInt(id, 10) + "/retry"}
	return answer[Delivery](ctx, c, r)
}

// RetryTaskParams are what may be said to [Client.RetryTask]; what is zero is left out.
type RetryTaskParams struct {
	// whose, for a master_admin: another's id, or * for anybody's
	Person string
}

// RetryTask: A new task like one that has ended
//
//	POST /api/tasks/{id}/retry
func (c *Client) RetryTask(ctx context.Context, id string, p *RetryTaskParams) (Answer[Task], error) {
	r := request{method: "POST", path: "/api/tasks/" + url.PathEscape(id) + "/retry"}
	if p != nil {
		add(&r.query, "person", p.Person)
	}
	return answer[Task](ctx, c, r)
}

// RetryTasksBody is what [Client.RetryTasks] sends.
type RetryTasksBody struct {
	// the ids of tasks, or their unique beginnings; at most 100
	IDs []string `json:"ids"`
}

// RetryTasksParams are what may be said to [Client.RetryTasks]; what is zero is left out.
type RetryTasksParams struct {
	// whose, for a master_admin: another's id, or * for anybody's
	Person string
}

// RetryTasks: New tasks like several that have ended; each counts at the rate of messages
//
//	POST /api/tasks/retry
func (c *Client) RetryTasks(ctx context.Context, body RetryTasksBody, p *RetryTasksParams) (Answer[[]BulkTask], error) {
	r := request{method: "POST", path: "/api/tasks/retry", body: body}
	if p != nil {
		add(&r.query, "person", p.Person)
	}
	return answer[[]BulkTask](ctx, c, r)
}

// RevokeOwnToken: Revoke a token of yours
//
//	DELETE /api/me/tokens/{id}
func (c *Client) RevokeOwnToken(ctx context.Context, id string) (Answer[Revoke], error) {
	r := request{method: "DELETE", path: "/api/me/tokens/" + url.PathEscape(id)}
	return answer[Revoke](ctx, c, r)
}

// RevokeToken: Revoke a token
//
//	DELETE /api/tokens/{id}
func (c *Client) RevokeToken(ctx context.Context, id string) (Answer[Revoke], error) {
	r := request{method: "DELETE", path: "/api/tokens/" + url.PathEscape(id)}
	return answer[Revoke](ctx, c, r)
}

// SearchSessionsParams are what may be said to [Client.SearchSessions]; what is zero is left out.
type SearchSessionsParams struct {
	// words, all of them
	Q string
	// whose: the caller's own by default; a partner or master_admin may name another, or * for everybody's
	Person string
	// at most so many, 50 by default, 200 at most
	Limit int
}

// SearchSessions: What was said, by words
//
//	GET /api/sessions/search
func (c *Client) SearchSessions(ctx context.Context, p *SearchSessionsParams) (Answer[[]Hit], error) {
	r := request{method: "GET", path: "/api/sessions/search"}
	if p != nil {
		add(&r.query, "q", p.Q)
		add(&r.query, "person", p.Person)
		add(&r.query, "limit", p.Limit)
	}
	return answer[[]Hit](ctx, c, r)
}

// SendMessageBody is what [Client.SendMessage] sends.
type SendMessageBody struct {
	// that the message brings, 10 at most: pictures, which a model with vision sees, and others, which
	// agents read if they are text
	Files []FileSent `json:"files,omitempty"`
	// sent again with the same id, a message is accepted once
	MessageID *string `json:"message_id,omitempty"`
	// may be empty where there are files
	Text *string `json:"text,omitempty"`
}

// SendMessageParams are what may be said to [Client.SendMessage]; what is zero is left out.
type SendMessageParams struct {
	// false: answer as soon as the message is durably accepted
	Wait string
}

// SendMessage: Send a message and wait for its reply. With Accept: text/event-stream the answer is a
// stream of events until the reply.
//
// The answer is application/json or text/event-stream; whoever calls closes its body.
//
//	POST /api/sessions/{chat}/messages
func (c *Client) SendMessage(ctx context.Context, chat string, body SendMessageBody, p *SendMessageParams, accept string) (*http.Response, error) {
	r := request{method: "POST", path: "/api/sessions/" + url.PathEscape(chat) + "/messages", body: body, accept: accept}
	if p != nil {
		add(&r.query, "wait", p.Wait)
	}
	return c.open(ctx, r)
}

// SetPushSubscriptionBody is what [Client.SetPushSubscription] sends.
type SetPushSubscriptionBody struct {
	// its secret, in base64url
	Auth *string `json:"auth,omitempty"`
	// of a PushSubscription: an address of the public internet, by https
	Endpoint *string `json:"endpoint,omitempty"`
	// its key, in base64url
	P256dh *string `json:"p256dh,omitempty"`
	// endpoint of a subscription of yours that is over, which this one takes the place of
	Replaces *string `json:"replaces,omitempty"`
	// tell what a result says; otherwise only that it is there. Left out: as before, and of a new browser
	// no
	Words *bool `json:"words,omitempty"`
}

// SetPushSubscription: Have a browser told of results while no page is open; the same endpoint is the
// same browser
//
//	PUT /api/me/push
func (c *Client) SetPushSubscription(ctx context.Context, body SetPushSubscriptionBody) (Answer[PushSubscription], error) {
	r := request{method: "PUT", path: "/api/me/push", body: body}
	return answer[PushSubscription](ctx, c, r)
}

// StartCleanUp: Clean up now
//
//	POST /api/maintenance/run
func (c *Client) StartCleanUp(ctx context.Context) (Answer[Maintenance], error) {
	r := request{method: "POST", path: "/api/maintenance/run"}
	return answer[Maintenance](ctx, c, r)
}

// SteerTaskBody is what [Client.SteerTask] sends.
type SteerTaskBody struct {
	Text string `json:"text"`
}

// SteerTaskParams are what may be said to [Client.SteerTask]; what is zero is left out.
type SteerTaskParams struct {
	// whose, for a master_admin: another's id, or * for anybody's
	Person string
}

// SteerTask: Add to a task that is at work: its agents read it before their next step
//
//	POST /api/tasks/{id}/steer
func (c *Client) SteerTask(ctx context.Context, id string, body SteerTaskBody, p *SteerTaskParams) (Answer[Task], error) {
	r := request{method: "POST", path: "/api/tasks/" + url.PathEscape(id) + "/steer", body: body}
	if p != nil {
		add(&r.query, "person", p.Person)
	}
	return answer[Task](ctx, c, r)
}

// TriggerTaskParams are what may be said to [Client.TriggerTask]; what is zero is left out.
type TriggerTaskParams struct {
	// a request that comes again with the same key is the same task; with another body it is refused
	IdempotencyKey string
}

// TriggerTask: Give a task to agents, and have a program told of its end
//
//	POST /trigger-bot
func (c *Client) TriggerTask(ctx context.Context, body TriggerBody, p *TriggerTaskParams) (Answer[Triggered], error) {
	r := request{method: "POST", path: "/trigger-bot", body: body}
	if p != nil {
		add(&r.header, "Idempotency-Key", p.IdempotencyKey)
	}
	return answer[Triggered](ctx, c, r)
}

// TryHookBody is what [Client.TryHook] sends.
type TryHookBody struct {
	URL string `json:"url"`
}

// TryHook: Send a signed webhook of type test to an address, once
//
//	POST /api/hooks/try
func (c *Client) TryHook(ctx context.Context, body TryHookBody) (Answer[Tried], error) {
	r := request{method: "POST", path: "/api/hooks/try", body: body}
	return answer[Tried](ctx, c, r)
}

// TryMCPTool: Call a tool of an MCP server outside any conversation: it has its effects
//
//	POST /api/mcp/{server}/try
func (c *Client) TryMCPTool(ctx context.Context, server string, body MCPCall) (Answer[MCPTry], error) {
	r := request{method: "POST", path: "/api/mcp/" + url.PathEscape(server) + "/try", body: body}
	return answer[MCPTry](ctx, c, r)
}

// WatchChangesParams are what may be said to [Client.WatchChanges]; what is zero is left out.
type WatchChangesParams struct {
	// whose: the caller's own by default; a partner or master_admin may name another, or * for everybody's
	Person string
}

// WatchChanges: Word of each change of what GET /api/tasks, GET /api/questions and GET /api/outbox
// list, as a stream (text/event-stream)
//
// The answer is text/event-stream; whoever calls closes its body.
//
//	GET /api/changes
func (c *Client) WatchChanges(ctx context.Context, p *WatchChangesParams) (*http.Response, error) {
	r := request{method: "GET", path: "/api/changes"}
	if p != nil {
		add(&r.query, "person", p.Person)
	}
	return c.open(ctx, r)
}

// WithdrawMessage: Take a message of yours back, as long as no turn has taken it
//
//	DELETE /api/sessions/{chat}/messages/{message}
func (c *Client) WithdrawMessage(ctx context.Context, chat string, message string) (Answer[MessageChanged], error) {
	r := request{method: "DELETE", path: "/api/sessions/" + url.PathEscape(chat) + "/messages/" + url.PathEscape(message)}
	return answer[MessageChanged](ctx, c, r)
}

type About struct {
	// agents that have more tools than their models accept; tools of the last MCP servers are left out
	Crowded []errand.CrowdedAgent `json:"crowded"`
	Demo    bool                  `json:"demo"`
	Models  []errand.ModelState   `json:"models"`
	Paused  bool                  `json:"paused"`
	// what runs agents' programs on this worker, and their languages, for people; empty: it does not say
	Programs string `json:"programs"`
	// from the least to the most
	Roles   []RoleView `json:"roles"`
	Version string     `json:"version"`
	WebUI   string     `json:"web_ui"`
}

type Accepted struct {
	Accepted  bool   `json:"accepted"`
	Duplicate bool   `json:"duplicate"`
	MessageID string `json:"message_id"`
}

type Agent struct {
	Active      bool             `json:"active"`
	Description string           `json:"description"`
	LastUsed    bool             `json:"last_used"`
	Name        errand.AgentName `json:"name"`
	Primary     bool             `json:"primary"`
	// the chat can be switched to it
	Talks bool `json:"talks"`
}

type Approve struct {
	Pairing Pairing `json:"pairing"`
	Person  Person  `json:"person"`
}

type Artifact struct {
	Created time.Time         `json:"created"`
	ID      errand.ArtifactID `json:"id"`
	Name    string            `json:"name"`
	// who sent it; of a tool's result, for whom it ran
	Person    errand.PersonID  `json:"person"`
	SessionID errand.SessionID `json:"session_id"`
	SHA256    string           `json:"sha256"`
	// bytes
	Size int64 `json:"size"`
	// the tool or remote agent whose result it is; a person sent it where there is none
	Tool  string `json:"tool"`
	Type  string `json:"type"`
	Voice bool   `json:"voice"`
}

type AuditEntry struct {
	Deed string `json:"deed"`
	// more of what was done: the role that was given, the kind of a token …
	Detail string `json:"detail"`
	// by which way: page, cli, api, mcp, a2a, openai, agent (a tool that it has called), or a platform.
	// cli is what a program calls itself
	Door string `json:"door"`
	ID   int64  `json:"id"`
	// what it was done to: person, identity, token, task …
	Kind string `json:"kind"`
	// what the person is called now; left out: they have no name, or are not there any more
	Name string `json:"name"`
	// who did it, or for whom it was done
	Person errand.PersonID `json:"person"`
	// its id
	Subject string    `json:"subject"`
	Time    time.Time `json:"time"`
	// what acted for them: the id of a token, program for one that shows no token of a person's, or an
	// agent; left out: they did it themselves
	Via string `json:"via"`
	// likewise of a token
	ViaName string `json:"via_name"`
	// whose that is, where it is somebody's
	Whose errand.PersonID `json:"whose"`
}

type BulkTask struct {
	// why nothing was done with this one
	Error ProblemError `json:"error"`
	// as it was asked for
	ID string `json:"id"`
	// the task as it is now; of a retry, the new one
	Task Task `json:"task"`
}

type Change struct {
	// those to read again; empty: the stream is there, and what changes from now on is told; one of tasks,
	// questions, deliveries
	Lists []string `json:"lists"`
}

type Chat struct {
	// last turn or message
	Active   time.Time        `json:"active"`
	Agent    errand.AgentName `json:"agent"`
	Archived bool             `json:"archived"`
	// the person has named it
	Named bool `json:"named"`
	// the latest of it that is no answer: a late result, a reminder or a question
	News   News         `json:"news"`
	Pinned bool         `json:"pinned"`
	Route  errand.Route `json:"route"`
	// the one that is not over; what changes the chat names it by this
	SessionID errand.SessionID `json:"session_id"`
	// its name, or what a model has called it, or the first words that are left of it; empty where there
	// are none
	Title string `json:"title"`
	// what agents have said since the person has seen the chat on the page, at most 99; 0 for chats that
	// the page has not shown
	Unread int `json:"unread"`
}

type ChatOut struct {
	SessionID errand.SessionID `json:"session_id"`
}

type CleanUp struct {
	// what could not be finished; the next run does
	Failed []string `json:"failed"`
	// not there: it is at work, or was lost
	Finished time.Time `json:"finished"`
	ID       string    `json:"id"`
	// how many, by what was done
	Report  map[string]int `json:"report"`
	Started time.Time      `json:"started"`
}

type Code struct {
	Code string `json:"code"`
}

type Command struct {
	// what it does, in the person's language
	About string `json:"about"`
	Name  string `json:"name"`
	// words stand behind it
	Takes bool `json:"takes"`
	// how it is typed
	Usage string `json:"usage"`
}

type Connection struct {
	Account string `json:"account"`
	// what to do
	Advice string `json:"advice"`
	// that sessions on the account begin with
	Agent   errand.AgentName `json:"agent"`
	Channel string           `json:"channel"`
	// what is wrong, or as whom it is connected
	Detail string `json:"detail"`
	// what a phone has to scan, for master_admins: a secret for as long as it is valid
	Link string `json:"link"`
	// the worker that holds the connection
	Owner string                 `json:"owner"`
	Since time.Time              `json:"since"`
	State errand.ConnectionState `json:"state"`
}

type Context struct {
	// how many of its last messages; 10 by default, at most 20
	N *int `json:"n,omitempty"`
	// its id, or the unique beginning of it
	Session string `json:"session"`
}

type Counts struct {
	States TaskNumbers `json:"states"`
	Total  int         `json:"total"`
}

type DeleteSession struct {
	// how many of what
	Removed   map[string]int   `json:"removed"`
	SessionID errand.SessionID `json:"session_id"`
}

type Delivery struct {
	ID int64 `json:"id"`
}

type Deny struct {
	Code  string `json:"code"`
	State string `json:"state"`
}

// Error: problem details (RFC 9457)
type Error struct {
	// for people: what is wrong, and what to do
	Detail string       `json:"detail"`
	Error  ProblemError `json:"error"`
	// that of the answer
	Status int `json:"status"`
	// of the status
	Title string `json:"title"`
	// urn:errand:problem: and the code
	Type string `json:"type"`
}

type Export struct {
	Artifacts []Artifact       `json:"artifacts"`
	Exported  time.Time        `json:"exported"`
	Files     []File           `json:"files"`
	Messages  []errand.Message `json:"messages"`
	// of the person
	Name string `json:"name"`
	// what errand itself said there, and results that it told without a turn
	Notices []Notice `json:"notices"`
	// the one in force there now
	Role    errand.Role    `json:"role"`
	Session Session        `json:"session"`
	Tasks   []ExportedTask `json:"tasks"`
	// what the agent may call with it
	Tools   []string `json:"tools"`
	Version int      `json:"version"`
}

type ExportedTask struct {
	errand.Task

	Reports []Report `json:"reports"`
}

type File struct {
	// who wrote it; empty: the person did
	Agent errand.AgentName `json:"agent"`
	// of the version
	Created time.Time `json:"created"`
	Latest  bool      `json:"latest"`
	Path    string    `json:"path"`
	// who wrote it, or for whom
	Person errand.PersonID `json:"person"`
	// the version whose content it has again
	Restores int    `json:"restores"`
	SHA256   string `json:"sha256"`
	// bytes
	Size    int64  `json:"size"`
	Type    string `json:"type"`
	Version int    `json:"version"`
}

type FileChanged struct {
	// who wrote it; empty: the person did
	Agent  errand.AgentName `json:"agent"`
	Before int              `json:"before"`
	// of the version
	Created time.Time `json:"created"`
	Latest  bool      `json:"latest"`
	Path    string    `json:"path"`
	// who wrote it, or for whom
	Person   errand.PersonID `json:"person"`
	Replaced int             `json:"replaced"`
	// the version whose content it has again
	Restores int    `json:"restores"`
	SHA256   string `json:"sha256"`
	// bytes
	Size    int64  `json:"size"`
	Type    string `json:"type"`
	Undone  int    `json:"undone"`
	Version int    `json:"version"`
}

type FileSent struct {
	// in base64
	Data []byte `json:"data"`
	Name string `json:"name"`
}

type Hit struct {
	Agent     errand.AgentName `json:"agent"`
	Channel   string           `json:"channel"`
	Chat      string           `json:"chat"`
	Created   time.Time        `json:"created"`
	Excerpt   string           `json:"excerpt"`
	Index     int              `json:"index"`
	Person    errand.PersonID  `json:"person"`
	SessionID errand.SessionID `json:"session_id"`
	Speaker   errand.Speaker   `json:"speaker"`
	Step      int              `json:"step"`
	Turn      int              `json:"turn"`
}

type HookSecret struct {
	Secret string `json:"secret"`
}

type Identity struct {
	Account    string          `json:"account"`
	Channel    string          `json:"channel"`
	Created    time.Time       `json:"created"`
	ExternalID string          `json:"external_id"`
	Name       string          `json:"name"`
	Person     errand.PersonID `json:"person"`
}

type IdentityIn struct {
	Account    *string `json:"account,omitempty"`
	Channel    string  `json:"channel"`
	ExternalID string  `json:"external_id"`
}

type Link struct {
	Addresses []string  `json:"addresses"`
	Expires   time.Time `json:"expires"`
	Path      string    `json:"path"`
	PublicURL string    `json:"public_url"`
}

type MCPFailure struct {
	At     time.Time `json:"at"`
	Reason string    `json:"reason"`
	Tool   string    `json:"tool"`
	// that called
	Worker string `json:"worker"`
}

type MCPServer struct {
	// why none of its tools runs
	Blocked string `json:"blocked"`
	// the latest calls that brought no result, the latest first
	Failures []MCPFailure `json:"failures"`
	// which of its tools are not offered, and why
	LeftOut  []string `json:"left_out"`
	Name     string   `json:"name"`
	Protocol string   `json:"protocol"`
	// why it is down
	Reason string `json:"reason"`
	// where it is elsewhere: its state at the worker that runs it
	RemoteState string `json:"remote_state"`
	// name and version that it gives itself
	Says  string    `json:"says"`
	Since time.Time `json:"since"`
	// one worker of the installation runs it
	Single bool `json:"single"`
	// connecting, connected, down, or elsewhere: another worker runs it
	State string    `json:"state"`
	Tools []MCPTool `json:"tools"`
	// names and patterns in errand.yaml that match none of its tools
	Unmatched []string `json:"unmatched"`
	// stdio or http
	Wire string `json:"wire"`
	// that runs it, or is connected to it
	Worker string `json:"worker"`
}

type MCPTool struct {
	// the agents that may call it
	Agents []errand.AgentName `json:"agents"`
	// when a call needs approval: always, first or never
	Approval errand.ApprovalRule `json:"approval"`
	// the server's own words
	Description string `json:"description"`
	Effect      string `json:"effect"`
	Name        string `json:"name"`
	// the lowest role of people who may use it
	Role errand.Role `json:"role"`
}

type Maintenance struct {
	Started bool `json:"started"`
}

type MCPCall struct {
	Arguments map[string]any `json:"arguments,omitempty"`
	// by the server's own name, or by the one that agents know it by
	Tool string `json:"tool"`
}

type MCPTry struct {
	// what an agent would read
	Text string `json:"text"`
}

type MeChanged struct {
	ID errand.PersonID `json:"id"`
}

type Me struct {
	// why this login approves nothing, though the role does
	ApprovesNothing string          `json:"approves_nothing"`
	ID              errand.PersonID `json:"id"`
	Language        string          `json:"language"`
	// what says so; one of token, cookie
	Login string      `json:"login"`
	May   []string    `json:"may"`
	Name  string      `json:"name"`
	Role  errand.Role `json:"role"`
	// what this installation calls the role
	RoleName string `json:"role_name"`
	// IANA time zone of the person's times, such as Europe/Oslo; empty: the installation's
	TimeZone string `json:"time_zone"`
}

type MessageChanged struct {
	MessageID string `json:"message_id"`
}

type NewToken struct {
	// how long it is valid; 0: for good. One that a token makes for its own person ends with that token at
	// the latest
	Days *int    `json:"days,omitempty"`
	Name *string `json:"name,omitempty"`
	// what it is for: read, chat, delegate, admin, with spaces between them; left out: all that its person
	// may do, and no more than the token that makes it
	Scope *string `json:"scope,omitempty"`
}

type News struct {
	ID   int64            `json:"id"`
	Type errand.EventType `json:"type"`
}

type Note struct {
	Agent string `json:"agent"`
	Key   string `json:"key"`
}

type Notice struct {
	Agent   errand.AgentName `json:"agent"`
	Created time.Time        `json:"created"`
	Event   errand.EventType `json:"event"`
	Task    errand.TaskID    `json:"task"`
	Text    string           `json:"text"`
}

type Opening struct {
	About About `json:"about"`
	// who may be talked with, and which of them the chat is with
	Agents []Agent `json:"agents"`
	// the latest 200, as GET /api/chats lists them
	Chats []Chat `json:"chats"`
	// the latest 200 of the log, oldest first
	Events []errand.Event `json:"events"`
	Me     Me             `json:"me"`
	// the latest 200 of the chat, those that are over too
	Questions []Question `json:"questions"`
	// the session of the chat that was active last
	Session Session `json:"session"`
	// questions of the chat that wait for an answer
	Waiting []Question `json:"waiting"`
}

type Pairing struct {
	Account string `json:"account"`
	// from which a browser asks
	Address    string          `json:"address"`
	Channel    string          `json:"channel"`
	Code       string          `json:"code"`
	Created    time.Time       `json:"created"`
	Decided    time.Time       `json:"decided"`
	DecidedBy  errand.PersonID `json:"decided_by"`
	Expires    time.Time       `json:"expires"`
	ExternalID string          `json:"external_id"`
	Language   string          `json:"language"`
	Name       string          `json:"name"`
	OtherIDs   []string        `json:"other_ids"`
	Person     errand.PersonID `json:"person"`
	// one of pending, approved, denied, expired
	State string `json:"state"`
}

type Paused struct {
	Paused bool `json:"paused"`
}

type Person struct {
	Created   time.Time        `json:"created"`
	ID        errand.PersonID  `json:"id"`
	Language  string           `json:"language"`
	LastAgent errand.AgentName `json:"last_agent"`
	Name      string           `json:"name"`
	Role      errand.Role      `json:"role"`
	// IANA time zone of the person's times, such as Europe/Oslo; empty: the installation's
	TimeZone string `json:"time_zone"`
}

type PersonNote struct {
	Agent   errand.AgentName `json:"agent"`
	Expires time.Time        `json:"expires"`
	Key     string           `json:"key"`
	Person  errand.PersonID  `json:"person"`
	Updated time.Time        `json:"updated"`
	Value   string           `json:"value"`
}

type PersonView struct {
	Created    time.Time        `json:"created"`
	ID         errand.PersonID  `json:"id"`
	Identities []Identity       `json:"identities"`
	Language   string           `json:"language"`
	LastAgent  errand.AgentName `json:"last_agent"`
	Name       string           `json:"name"`
	Role       errand.Role      `json:"role"`
	// IANA time zone of the person's times, such as Europe/Oslo; empty: the installation's
	TimeZone string  `json:"time_zone"`
	Tokens   []Token `json:"tokens"`
}

type ProblemError struct {
	// for programs
	Code string `json:"code"`
	// the detail
	Message string `json:"message"`
}

type PushID struct {
	ID string `json:"id"`
}

type Push struct {
	// applicationServerKey, in base64url: what a browser subscribes with
	Key string `json:"key"`
	// the oldest first
	Subscriptions []PushSubscription `json:"subscriptions"`
}

type PushSubscription struct {
	Created time.Time `json:"created"`
	// why, the last time
	Error string `json:"error"`
	// failed attempts since its push service last took something
	Failures int    `json:"failures"`
	ID       string `json:"id"`
	// what the browser calls itself
	Label string `json:"label"`
	// when its push service last took something
	Sent time.Time `json:"sent"`
	// it is told what a result says; otherwise only that it is there
	Words bool `json:"words"`
}

type Question struct {
	errand.Question

	// on which it is asked; empty: it is shown in no chat
	Channel string `json:"channel"`
	// likewise
	Chat string `json:"chat"`
}

type Refusal struct {
	Account    string    `json:"account"`
	Channel    string    `json:"channel"`
	ExternalID string    `json:"external_id"`
	First      time.Time `json:"first"`
	Last       time.Time `json:"last"`
	Name       string    `json:"name"`
	Reason     string    `json:"reason"`
	Times      int       `json:"times"`
}

type Reminder struct {
	Agent   errand.AgentName  `json:"agent"`
	Channel string            `json:"channel"`
	Chat    string            `json:"chat"`
	Created time.Time         `json:"created"`
	ID      errand.ReminderID `json:"id"`
	Last    time.Time         `json:"last"`
	Next    time.Time         `json:"next"`
	Person  errand.PersonID   `json:"person"`
	// one of active, done, canceled
	State string `json:"state"`
	Text  string `json:"text"`
	Times int    `json:"times"`
	// in words
	When string `json:"when"`
}

type Reply struct {
	// a command was answered; no agent saw it
	Command bool `json:"command"`
	// why there is no reply
	Error     ProblemError     `json:"error"`
	Reply     ReplyText        `json:"reply"`
	SessionID errand.SessionID `json:"session_id"`
	// that were delegated on the way
	Tasks []errand.TaskID `json:"tasks"`
	Turn  int             `json:"turn"`
}

type ReplyText struct {
	Agent errand.AgentName `json:"agent"`
	// what a question offers as answers; others are taken too
	Options []string `json:"options"`
	Text    string   `json:"text"`
}

type Report struct {
	Agent   errand.AgentName `json:"agent"`
	Created time.Time        `json:"created"`
	State   errand.TaskState `json:"state"`
	Text    string           `json:"text"`
}

type Reset struct {
	SessionID errand.SessionID `json:"session_id"`
}

type Revoke struct {
	ID string `json:"id"`
}

type RoleView struct {
	// what this installation calls it
	Name string      `json:"name"`
	Role errand.Role `json:"role"`
}

type SaidMessage struct {
	// instead of text, as other APIs call it
	Content *string `json:"content,omitempty"`
	// who said it, as "user" or a name
	Role *string `json:"role,omitempty"`
	Text *string `json:"text,omitempty"`
}

type Session struct {
	Active time.Time        `json:"active"`
	Agent  errand.AgentName `json:"agent"`
	// what becomes of messages while an agent works: collect, steer, queue or interrupt
	Busy    string           `json:"busy"`
	Created time.Time        `json:"created"`
	Ended   time.Time        `json:"ended"`
	ID      errand.SessionID `json:"id"`
	Person  errand.PersonID  `json:"person"`
	// what its agent means to do, where it keeps a list, and how far it is
	Plan errand.Plan `json:"plan"`
	// why it ended
	Reason string       `json:"reason"`
	Route  errand.Route `json:"route"`
	// one of active, suspended, ended
	State string `json:"state"`
	// when it goes back to the primary agent
	StickyUntil time.Time `json:"sticky_until"`
	// what its chat is called; left out where there are no words yet, and where several share it
	Title string `json:"title"`
	Turns int    `json:"turns"`
}

type SessionState string

const (
	SessionStateActive    SessionState = "active"
	SessionStateSuspended SessionState = "suspended"
	SessionStateEnded     SessionState = "ended"
)

type ShownQuestion struct {
	// who asks
	Agent  errand.AgentName `json:"agent"`
	Answer string           `json:"answer"`
	// when it left the state open
	Answered time.Time `json:"answered"`
	// the agent that gave the answer for them, from what they had said
	AnsweredAs errand.AgentName `json:"answered_as"`
	// the person who answered or declined
	AnsweredBy errand.PersonID `json:"answered_by"`
	// the channel on which it was answered
	AnsweredIn string `json:"answered_in"`
	// of an approval: what will be run
	Approval errand.Approval `json:"approval"`
	// on which it is asked; empty: it is shown in no chat
	Channel string `json:"channel"`
	// likewise
	Chat    string    `json:"chat"`
	Created time.Time `json:"created"`
	// the names of those who may answer it
	Deciders []string            `json:"deciders"`
	Expires  time.Time           `json:"expires"`
	ID       errand.QuestionID   `json:"id"`
	Kind     errand.QuestionKind `json:"kind"`
	// whoever asks for it may answer it, by what the request shows: no token approves
	MayAnswer bool `json:"may_answer"`
	// one of these is the answer
	Options []string `json:"options"`
	// who is asked
	Person errand.PersonID `json:"person"`
	// a JSON schema that the answer has to fit
	Schema any `json:"schema"`
	// of the chat in which it is asked
	SessionID errand.SessionID     `json:"session_id"`
	State     errand.QuestionState `json:"state"`
	// what it works on; empty: the agent of a conversation asks
	TaskID errand.TaskID `json:"task_id"`
	Text   string        `json:"text"`
}

type Task struct {
	errand.Task

	Agent string `json:"agent"`
	// likewise: it and all below it, with what they have used
	Branch errand.BranchSum `json:"branch"`
	Depth  int              `json:"depth"`
	// of a list of trees: how many delegations below the first of its tree it is
	Level int `json:"level"`
	// likewise: it was looked for; the others are there because they belong to its tree
	Matches bool `json:"matches"`
}

type TaskDelivery struct {
	Attempts int       `json:"attempts"`
	Created  time.Time `json:"created"`
	// of the last attempt
	Error string           `json:"error"`
	Event errand.EventType `json:"event"`
	ID    int64            `json:"id"`
	// the platform's ids, one for each part sent
	Receipts []string           `json:"receipts"`
	Route    errand.Route       `json:"route"`
	SentAt   time.Time          `json:"sent_at"`
	State    errand.OutboxState `json:"state"`
}

type TaskDetails struct {
	// the tasks that delegated it, the first of its tree first; long texts are cut, as below
	Above []Task `json:"above"`
	// how it was told, with receipts, the oldest first
	Deliveries []TaskDelivery `json:"deliveries"`
	// what the agents of the tree have written, as it is now: GET /api/files/{of}/content has it, of this
	// task
	Files []File `json:"files"`
	// what the agents of the tree have asked, with the answers
	Questions []Question `json:"questions"`
	// it and all below it, each below the one that delegated it
	Tree []Task `json:"tree"`
}

type TaskNumbers struct {
	Canceled      int `json:"canceled"`
	Completed     int `json:"completed"`
	Failed        int `json:"failed"`
	InputRequired int `json:"input_required"`
	Rejected      int `json:"rejected"`
	Submitted     int `json:"submitted"`
	Working       int `json:"working"`
}

type Timeline struct {
	From time.Time `json:"from"`
	// one for each agent of each task, each below the task that delegated it
	Rows []TimelineRow `json:"rows"`
	// when the last of it ended; now, while something is at work
	To time.Time `json:"to"`
}

type TimelineRow struct {
	Agent errand.AgentName `json:"agent"`
	Begun time.Time        `json:"begun"`
	// left out while it is at work
	Ended time.Time `json:"ended"`
	// how many delegations below the first row
	Level int `json:"level"`
	// of the task
	State errand.TaskState `json:"state"`
	// with steps=true: its model calls and what they have called, in their order
	Steps  []TimelineStep `json:"steps"`
	TaskID errand.TaskID  `json:"task_id"`
	Title  string         `json:"title"`
	// when it waited for a person
	Waits []TimelineWait `json:"waits"`
}

type TimelineStep struct {
	// of kind model, as all below: calls of the provider
	Attempts int       `json:"attempts"`
	Begun    time.Time `json:"begun"`
	// of tokens: those that providers had in their caches
	CachedTokens int `json:"cached_tokens"`
	// USD
	Cost float64 `json:"cost"`
	// left out while it is at work, and where it has no answer
	Ended time.Time `json:"ended"`
	// one of model, tool, task
	Kind string `json:"kind"`
	// the model or the tool
	Name string `json:"name"`
	// which of the model calls it is, or is of, from 1
	Step int `json:"step"`
	// of kind task: the task that was delegated
	TaskID errand.TaskID `json:"task_id"`
	Tokens int           `json:"tokens"`
}

type TimelineWait struct {
	From       time.Time         `json:"from"`
	QuestionID errand.QuestionID `json:"question_id"`
	// left out while it is open
	To time.Time `json:"to"`
}

type Token struct {
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
	ID      string    `json:"id"`
	// one of api, login, link
	Kind    string          `json:"kind"`
	Name    string          `json:"name"`
	Parent  string          `json:"parent"`
	Person  errand.PersonID `json:"person"`
	Program bool            `json:"program"`
	// what it is for: read, chat, delegate, admin, with spaces between them; left out: all that its person
	// may do
	Scope string `json:"scope"`
	// when it was last shown, to some minutes
	Used time.Time `json:"used"`
}

type TokenOut struct {
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
	ID      string    `json:"id"`
	// one of api, login, link
	Kind    string          `json:"kind"`
	Name    string          `json:"name"`
	Parent  string          `json:"parent"`
	Person  errand.PersonID `json:"person"`
	Program bool            `json:"program"`
	// what it is for: read, chat, delegate, admin, with spaces between them; left out: all that its person
	// may do
	Scope string `json:"scope"`
	Token string `json:"token"`
	// when it was last shown, to some minutes
	Used time.Time `json:"used"`
}

type Tried struct {
	// the webhook-id that it was sent with
	ID     string `json:"id"`
	OK     bool   `json:"ok"`
	Reason string `json:"reason"`
	// what was answered, where that was no success
	Status int `json:"status"`
}

type TriggerBody struct {
	// one agent, or several with commas
	Agent string `json:"agent"`
	// told of the end by a POST that is signed as Standard Webhooks has it; at a public address, or one
	// that the operator allows
	CallbackURL *string `json:"callback_url,omitempty"`
	// a conversation of yours that errand has, whose last messages the task needs, instead of messages
	Context *Context `json:"context,omitempty"`
	// where the result is told, in the agent's voice: a chat of yours, as telegram/finn (your private chat
	// on that account), telegram, telegram/finn/42, the name of an agent that has an account of its own,
	// or a session id
	DeliverTo *string `json:"deliver_to,omitempty"`
	// decision: each agent gives its verdict, YES, NO or ABSTAIN; one of report, decision
	Expect *string `json:"expect,omitempty"`
	// messages of your conversation that the task needs, the oldest first; the last 20 are kept
	Messages []SaidMessage `json:"messages,omitempty"`
	// what is to be done
	Task string `json:"task"`
	// who speaks in messages whose role is user, as agents read it
	User *string `json:"user,omitempty"`
	// wait so many seconds for the result, 45 at most; 0: answer at once
	WaitSeconds *int `json:"wait_seconds,omitempty"`
}

type Triggered struct {
	// how many messages were added to it while it was at work
	Added  int                `json:"added"`
	Agent  string             `json:"agent"`
	Agents []errand.AgentName `json:"agents"`
	// likewise: it and all below it, with what they have used
	Branch errand.BranchSum `json:"branch"`
	// what went with the task, where a person gave it by /team
	Briefing errand.Briefing `json:"briefing"`
	// of tokens: those that providers had in their caches
	CachedTokens int `json:"cached_tokens"`
	// the task that had ended and that it goes on with
	Continues errand.TaskID `json:"continues"`
	// USD
	Cost    float64   `json:"cost"`
	Created time.Time `json:"created"`
	// when it ends with what is there
	Deadline time.Time `json:"deadline"`
	// YES, NO, TIE or NO_QUORUM
	Decision errand.Answer      `json:"decision"`
	Delivery errand.OutboxState `json:"delivery"`
	Depth    int                `json:"depth"`
	// the task that follows any other answer
	Else     errand.Branch `json:"else"`
	Error    string        `json:"error"`
	Finished time.Time     `json:"finished"`
	// the task that follows the decision
	FollowedBy errand.TaskID `json:"followed_by"`
	// the decision that it follows, and whose reasons its agents read
	Follows errand.TaskID    `json:"follows"`
	From    errand.AgentName `json:"from"`
	ID      errand.TaskID    `json:"id"`
	// what a peer has said late: result, status, error or input-required
	Late errand.LateKind `json:"late"`
	// the task for which a peer has said this, after whoever waited for it had ended
	LateOf errand.TaskID `json:"late_of"`
	// of a list of trees: how many delegations below the first of its tree it is
	Level int `json:"level"`
	// likewise: it was looked for; the others are there because they belong to its tree
	Matches    bool          `json:"matches"`
	ModelCalls int           `json:"model_calls"`
	Origin     errand.Origin `json:"origin"`
	Parent     errand.TaskID `json:"parent"`
	// what each of its agents means to do, where it keeps a list
	Plans []errand.Plan `json:"plans"`
	// what makes a yes and a no of its agents' verdicts, where it is to decide something
	Policy errand.Policy `json:"policy"`
	// a code for error, where that is errand's own and not somebody's words
	Reason  errand.Reason    `json:"reason"`
	Result  string           `json:"result"`
	RetryOf errand.TaskID    `json:"retry_of"`
	State   errand.TaskState `json:"state"`
	Task    string           `json:"task"`
	// the task that follows a yes
	Then   errand.Branch `json:"then"`
	Title  string        `json:"title"`
	Tokens int           `json:"tokens"`
	// what told its outcome: turn:SESSION:TURN of a session, or the key of a delivery
	ToldBy string `json:"told_by"`
	// why its model does not answer just now; while the task is open
	Trouble string `json:"trouble"`
	// where the task is read
	URL string `json:"url"`
	// each agent's part in the decision, in the order in which they were named
	Verdicts []errand.GivenVerdict `json:"verdicts"`
	Way      errand.Way            `json:"way"`
}

type TurnCall struct {
	// what the call is about: one of its arguments
	About string `json:"about"`
	// as the model has written them, 4,000 characters at most
	Arguments string `json:"arguments"`
	// when the agent asked for it
	Begun time.Time `json:"begun"`
	// arguments or result are longer
	Cut   bool      `json:"cut"`
	Ended time.Time `json:"ended"`
	// the result is an error
	Failed bool `json:"failed"`
	// within its step, from 1
	Index int `json:"index"`
	// what the agent was given, 8,000 characters at most; empty: nothing yet
	Result string `json:"result"`
	Step   int    `json:"step"`
	// as the model has called it
	Tool string `json:"tool"`
}

type UsageBy string

const (
	UsageByDay    UsageBy = "day"
	UsageByAgent  UsageBy = "agent"
	UsageByPerson UsageBy = "person"
	UsageByModel  UsageBy = "model"
	UsageByTree   UsageBy = "tree"
)

type UsageGroup struct {
	// of the input: providers had them in their caches
	CachedTokens int `json:"cached_tokens"`
	Calls        int `json:"calls"`
	// USD
	Cost         float64 `json:"cost"`
	InputTokens  int     `json:"input_tokens"`
	Key          string  `json:"key"`
	OutputTokens int     `json:"output_tokens"`
	// of a tree that a message has set to work: of the chat; likewise where the key begins with title:, of
	// what finding a title for it has cost
	SessionID errand.SessionID `json:"session_id"`
	// of a tree: that task
	TaskID errand.TaskID `json:"task_id"`
	// of a tree: its first task that is known, else the chat of its message, or nothing
	Title string `json:"title"`
	// of the input: they put them there, where they bill that
	WrittenTokens int `json:"written_tokens"`
}

type UsageGroups struct {
	By UsageBy `json:"by"`
	// days in their order; of the rest at most 100, the dearest first
	Rows []UsageGroup `json:"rows"`
}

type Usage struct {
	From time.Time `json:"from"`
	// with by: what it names, in its order
	Groups []UsageGroups `json:"groups"`
	People []UsageSum    `json:"people"`
	Total  UsageTotal    `json:"total"`
}

type UsageSum struct {
	Agent         errand.AgentName `json:"agent"`
	CachedTokens  int              `json:"cached_tokens"`
	Calls         int              `json:"calls"`
	Cost          float64          `json:"cost"`
	InputTokens   int              `json:"input_tokens"`
	Model         string           `json:"model"`
	OutputTokens  int              `json:"output_tokens"`
	Person        errand.PersonID  `json:"person"`
	WrittenTokens int              `json:"written_tokens"`
}

type UsageTotal struct {
	// of the input: providers had them in their caches
	CachedTokens int `json:"cached_tokens"`
	Calls        int `json:"calls"`
	// USD
	Cost         float64 `json:"cost"`
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`
	// of the input: providers put them there, where they bill that
	WrittenTokens int `json:"written_tokens"`
}

type WaitingMessage struct {
	Created   time.Time `json:"created"`
	MessageID string    `json:"message_id"`
	Text      string    `json:"text"`
}

type Webhook struct {
	Attempts int             `json:"attempts"`
	Created  time.Time       `json:"created"`
	Due      time.Time       `json:"due"`
	Ended    time.Time       `json:"ended"`
	Error    string          `json:"error"`
	ID       string          `json:"id"`
	Person   errand.PersonID `json:"person"`
	// of a notification over A2A: the id of its configuration
	Push string `json:"push"`
	// one of waiting, due, sent, failed
	State string        `json:"state"`
	Task  errand.TaskID `json:"task"`
	URL   string        `json:"url"`
}

type Workspace struct {
	// of all versions
	Bytes     int64            `json:"bytes"`
	Changed   time.Time        `json:"changed"`
	Files     int              `json:"files"`
	Person    errand.PersonID  `json:"person"`
	Route     errand.Route     `json:"route"`
	SessionID errand.SessionID `json:"session_id"`
	// the root of a tree of tasks that was asked for in no chat
	TaskID errand.TaskID `json:"task_id"`
}
