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
		of(SelfChange, guest, "change your own name, language and time zone; log in a browser of yours and get notifications there"),
		of(LinksMake, member, "make a link that logs a browser of yours in"),
		of(OthersRead, partner, "look at other people's things, as far as you may look at your own"),
		of(OthersChange, admin, "change other people's things, as far as you may change your own"),
		of(MessagesSend, guest, "write to an agent"),
		of(AgentsRead, guest, "know the agents that you may talk with"),
		of(AgentsRegister, member, "register a program of yours, such as an editor, as an agent"),
		of(SessionsFollow, guest, "follow a conversation live"),
		of(SessionsStatus, guest, "see the status and the cost of a conversation"),
		of(SessionsCount, guest, "see who wrote how much in a conversation, and its last messages"),
		of(SessionsRead, guest, "read your sessions"),
		of(SessionsSearch, guest, "search your sessions"),
		of(SessionsSwitch, guest, "have a conversation with another agent"),
		of(SessionsReset, guest, "begin a new session"),
		of(SessionsStop, guest, "end the running turn"),
		of(SessionsBusy, guest, "choose what happens to messages that arrive while an agent works"),
		of(SessionsDelete, member, "delete a session of yours for good"),
		of(ChatsChange, guest, "name, pin and archive the chats in your list, and mark them as read"),
		of(ArtifactsRead, guest, "download a file that you sent"),
		of(WebRead, member, "have an agent search and read the web"),
		of(FilesRead, guest, "read the files that agents keep for you"),
		of(FilesChange, member, "change the files that agents keep for you"),
		of(CodeRun, partner, "have agents run programs"),
		of(TasksRead, member, "look at your tasks and their results"),
		of(TasksDelegate, member, "delegate a task to agents"),
		of(TasksCancel, member, "cancel a task of yours"),
		of(TasksSteer, member, "add to a running task of yours, and continue one that has ended"),
		of(TasksRetry, member, "run a task of yours again"),
		of(QuestionsRead, guest, "look at the questions that wait for your answer"),
		of(QuestionsAnswer, guest, "answer a question"),
		of(ApprovalsAnswer, admin, "approve or refuse a call that needs an approval"),
		of(RemindersRead, member, "look at your reminders"),
		of(RemindersSet, member, "set a reminder"),
		of(RemindersCancel, member, "cancel a reminder of yours"),
		of(NotesRead, member, "look at what agents have noted about you"),
		of(NotesForget, member, "delete a note about you"),
		of(NotesRecall, guest, "talk with an agent that reads its notes about you"),
		of(NotesKeep, member, "have an agent keep a note about you"),
		of(UsageRead, member, "see your usage"),
		of(DeliveriesRead, partner, "look at everybody's deliveries and their states"),
		of(DeliveriesRetry, partner, "retry a delivery"),
		of(DeliveriesDismiss, partner, "give a delivery up"),
		of(ChannelsRead, partner, "look at our accounts on platforms, and how they are connected"),
		of(ChannelsLink, admin, "link an account with a phone"),
		of(InstallationRead, guest, "see what this installation is"),
		of(InstallationPause, admin, "pause and resume all model calls"),
		of(MetricsRead, partner, "read numbers for a monitor"),
		of(ModelsCheck, admin, "call every model once, to see whether it answers"),
		of(MCPRead, partner, "look at the MCP servers and their tools"),
		of(MCPTry, admin, "call a tool of an MCP server to see what it does"),
		of(MaintenanceRead, partner, "look at what the clean-ups did"),
		of(MaintenanceRun, admin, "clean up now"),
		of(PeopleRead, admin, "list people"),
		of(PeopleChange, admin, "change a person's role, name, language or time zone"),
		of(PeopleRemove, admin, "remove a person"),
		of(PeopleLink, admin, "add and remove the identities of a person"),
		of(TokensRead, admin, "list a person's tokens"),
		of(TokensMake, admin, "make a token for a person"),
		of(TokensRevoke, admin, "revoke a person's token"),
		of(PairingsDecide, admin, "decide who is let in"),
		of(RefusalsRead, admin, "see who was turned away"),
		of(AuditRead, admin, "see who has done what"),
	}
}
