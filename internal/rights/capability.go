package rights

import "errand/internal/core"

// The capabilities. The runner of operations checks them for every door.
const (
	SelfRead   = "self.read"
	SelfChange = "self.change"
	LinksMake  = "links.make"

	OthersRead   = "others.read"
	OthersChange = "others.change"

	MessagesSend   = "messages.send"
	AgentsRead     = "agents.read"
	AgentsRegister = "agents.register"
	SessionsRead   = "sessions.read"
	SessionsSearch = "sessions.search"
	SessionsFollow = "sessions.follow"
	SessionsStatus = "sessions.status"
	SessionsCount  = "sessions.count"
	SessionsSwitch = "sessions.switch"
	SessionsReset  = "sessions.reset"
	SessionsStop   = "sessions.stop"
	SessionsBusy   = "sessions.busy"
	SessionsDelete = "sessions.delete"
	ChatsChange    = "chats.change"
	ArtifactsRead  = "artifacts.read"
	WebRead        = "web.read"
	FilesRead      = "files.read"
	FilesChange    = "files.change"
	CodeRun        = "code.run"

	TasksRead     = "tasks.read"
	TasksDelegate = "tasks.delegate"
	TasksCancel   = "tasks.cancel"
	TasksRetry    = "tasks.retry"
	TasksSteer    = "tasks.steer"

	QuestionsRead   = "questions.read"
	QuestionsAnswer = "questions.answer"
	ApprovalsAnswer = "approvals.answer"

	RemindersRead   = "reminders.read"
	RemindersSet    = "reminders.set"
	RemindersCancel = "reminders.cancel"

	NotesRead   = "notes.read"
	NotesForget = "notes.forget"
	NotesRecall = "notes.recall"
	NotesKeep   = "notes.keep"

	UsageRead = "usage.read"

	DeliveriesRead    = "deliveries.read"
	DeliveriesRetry   = "deliveries.retry"
	DeliveriesDismiss = "deliveries.dismiss"

	ChannelsRead = "channels.read"
	ChannelsLink = "channels.link"

	InstallationRead  = "installation.read"
	InstallationPause = "installation.pause"
	MetricsRead       = "metrics.read"
	ModelsCheck       = "models.check"
	MCPRead           = "mcp.read"
	MCPTry            = "mcp.try"
	MaintenanceRead   = "maintenance.read"
	MaintenanceRun    = "maintenance.run"

	PeopleRead     = "people.read"
	PeopleChange   = "people.change"
	PeopleRemove   = "people.remove"
	PeopleLink     = "people.link"
	TokensRead     = "tokens.read"
	TokensMake     = "tokens.make"
	TokensRevoke   = "tokens.revoke"
	PairingsDecide = "pairings.decide"
	RefusalsRead   = "refusals.read"
	AuditRead      = "audit.read"
)

// A guest talks; a member delegates and stores things; a partner reads the state of the
// installation; a master_admin manages people and has access to everything.
func capabilities() []Rule {
	const guest, member, partner, admin = core.Guest, core.Member, core.Partner, core.MasterAdmin
	of := func(name string, least core.Role, about string) Rule {
		return Rule{Kind: Capability, Name: name, Least: least, About: about}
	}
	return []Rule{
		of(SelfRead, guest, "see your own name, role and settings"),
		of(SelfChange, guest, "change your own name, language and time zone; manage your tokens and browsers"),
		of(LinksMake, member, "make a link that logs your browser in"),
		of(OthersRead, partner, "see of other people what you may see of your own"),
		of(OthersChange, admin, "change of other people what you may change of your own"),
		of(MessagesSend, guest, "write to an agent"),
		of(AgentsRead, guest, "see the agents that you may talk with"),
		of(AgentsRegister, member, "register one of your programs, such as an editor, as an agent"),
		of(SessionsFollow, guest, "follow a conversation live"),
		of(SessionsStatus, guest, "see the status and the cost of a conversation"),
		of(SessionsCount, guest, "see who wrote how much in a conversation, and its last messages"),
		of(SessionsRead, guest, "read your sessions"),
		of(SessionsSearch, guest, "search your sessions"),
		of(SessionsSwitch, guest, "switch a conversation to another agent"),
		of(SessionsReset, guest, "begin a new session"),
		of(SessionsStop, guest, "end the running turn"),
		of(SessionsBusy, guest, "choose what happens to messages that arrive while an agent works"),
		of(SessionsDelete, member, "delete one of your sessions permanently"),
		of(ChatsChange, guest, "name, pin and archive the chats in your list, and mark them as read"),
		of(ArtifactsRead, guest, "download a file that you sent"),
		of(WebRead, member, "let an agent search and read the web"),
		of(FilesRead, guest, "read the files that agents keep for you"),
		of(FilesChange, member, "change the files that agents keep for you"),
		of(CodeRun, partner, "let agents run programs"),
		of(TasksRead, member, "see your tasks and their results"),
		of(TasksDelegate, member, "delegate a task to agents"),
		of(TasksCancel, member, "cancel one of your tasks"),
		of(TasksSteer, member, "add to one of your running tasks, and continue one that has ended"),
		of(TasksRetry, member, "run one of your tasks again"),
		of(QuestionsRead, guest, "see the questions that wait for your answer"),
		of(QuestionsAnswer, guest, "answer a question"),
		of(ApprovalsAnswer, admin, "approve or refuse a tool call"),
		of(RemindersRead, member, "see your reminders"),
		of(RemindersSet, member, "set a reminder"),
		of(RemindersCancel, member, "cancel one of your reminders"),
		of(NotesRead, member, "see what agents have noted about you"),
		of(NotesForget, member, "delete a note about you"),
		of(NotesRecall, guest, "talk with an agent that reads its notes about you"),
		of(NotesKeep, member, "let an agent keep a note about you"),
		of(UsageRead, member, "see your usage"),
		of(DeliveriesRead, partner, "see all deliveries and their states"),
		of(DeliveriesRetry, partner, "retry a delivery"),
		of(DeliveriesDismiss, partner, "dismiss a delivery"),
		of(ChannelsRead, partner, "see errand's accounts on platforms, and how they are connected"),
		of(ChannelsLink, admin, "link an account to a phone"),
		of(InstallationRead, guest, "see the version, models and state of the installation"),
		of(InstallationPause, admin, "pause and resume all model calls"),
		of(MetricsRead, partner, "read metrics"),
		of(ModelsCheck, admin, "call every model once to see whether it answers"),
		of(MCPRead, partner, "see the MCP servers and their tools"),
		of(MCPTry, admin, "call a tool of an MCP server to see what it does"),
		of(MaintenanceRead, partner, "see what the clean-ups removed"),
		of(MaintenanceRun, admin, "start a clean-up"),
		of(PeopleRead, admin, "list people"),
		of(PeopleChange, admin, "change a person's role, name, language or time zone"),
		of(PeopleRemove, admin, "remove a person"),
		of(PeopleLink, admin, "add and remove the identities of a person"),
		of(TokensRead, admin, "list a person's tokens"),
		of(TokensMake, admin, "make a token for a person"),
		of(TokensRevoke, admin, "revoke a person's token"),
		of(PairingsDecide, admin, "approve and deny requests for access"),
		of(RefusalsRead, admin, "see which senders were refused"),
		of(AuditRead, admin, "read the audit log"),
	}
}
