package web

import (
	"io"
	"net/http"
	"strings"

	"errand"
	"errand/internal/rights"
	"errand/internal/service"
)

func (s *Server) api() []operation {
	return []operation{
		does("getMe", "GET /api/me", "Who the request is, and the routes they may use", s.getMe),
		does("changeMe", "POST /api/me", "Change your own name, language or time zone; omitted fields stay unchanged", s.postMe, answered(http.StatusOK, "changed")),
		does("createLoginLink", "POST /api/me/link", "Create a one-time link that logs a browser in as you", s.postNewLink, atMessageRate,
			answered(http.StatusCreated, "The link: path is to be opened at the address of this server, or at public_url where there is one")),
		does("listOwnTokens", "GET /api/me/tokens", "Your tokens; never what they are", s.getOwnTokens),
		does("createOwnToken", "POST /api/me/tokens", "Make a token of yours; only this answer shows it", s.postOwnToken, answered(http.StatusCreated, "the token")),
		does("revokeOwnToken", "DELETE /api/me/tokens/{id}", "Revoke a token of yours", s.deleteOwnToken, answered(http.StatusOK, "revoked")),
		does("getPush", "GET /api/me/push", "Your browsers that are told of results while no page is open, and the key to subscribe with", s.getPush),
		does("setPushSubscription", "PUT /api/me/push", "Have a browser told of results while no page is open; the same endpoint is the same browser", s.putPush, atMessageRate,
			answered(http.StatusOK, "the subscription")),
		does("deletePushSubscription", "DELETE /api/me/push/{id}", "Have a browser told no more", s.deletePush, answered(http.StatusOK, "deleted")),
		does("getAbout", "GET /api/about", "The installation", s.getAbout, answered(http.StatusOK, "what it is")),
		does("checkModels", "POST /api/models/check", "Call every model once, to see whether it answers; each call is paid for", s.postModelsCheck, atMessageRate,
			answered(http.StatusOK, "how they did")),
		does("checkRemoteAgents", "POST /api/agents/check", "Check whether remote agents can take tasks: read the cards of peers, and start coding agents without giving them work",
			s.postAgentsCheck, atMessageRate, answered(http.StatusOK, "how they did")),
		does("listMCPServers", "GET /api/mcp", "The MCP servers whose tools agents can call, as the worker that answers sees them", s.getMCP),
		does("tryMCPTool", "POST /api/mcp/{server}/try", "Call a tool of an MCP server outside any conversation: it has its effects", s.postMCPTry, atMessageRate,
			answered(http.StatusOK, "what an agent would read")),
		does("listCommands", "GET /api/commands", "The commands that the person may type in a chat", s.getCommands, answered(http.StatusOK, "in the order of /help")),
		does("listAgents", "GET /api/agents", "The agents that the person may talk with", s.getAgents),

		writes("sendMessage", "POST /api/sessions/{chat}/messages", "Send a message and wait for its reply. With Accept: text/event-stream the answer is a stream of events until the reply.", s.postMessage,
			gives[messageReply](http.StatusOK, "the reply", jsonMedia), gives[errand.Event](http.StatusOK, "the reply", streamMedia),
			gives[messageAccepted](http.StatusAccepted, "accepted; the reply comes to the event log", jsonMedia)),
		does("listWaiting", "GET /api/sessions/{chat}/waiting", "Your messages that no turn has taken yet", s.getWaiting,
			answered(http.StatusOK, "in the order in which they will be taken")),
		does("editMessage", "PUT /api/sessions/{chat}/messages/{message}", "Give a message of yours other words, as long as no turn has taken it", s.putMessage, atMessageRate,
			answered(http.StatusOK, "changed")),
		does("withdrawMessage", "DELETE /api/sessions/{chat}/messages/{message}", "Take a message of yours back, as long as no turn has taken it", s.deleteMessage,
			answered(http.StatusOK, "taken back")),
		writes("getEvents", "GET /api/sessions/{chat}/events", "The event log as a stream (text/event-stream), from Last-Event-ID, ?after=, or the latest 200. With ?before= it is a list of what came before.", s.getEvents,
			gives[errand.Event](http.StatusOK, "events; durable ones carry an id", streamMedia), gives[[]errand.Event](http.StatusOK, "what came before", jsonMedia)),
		does("openChat", "GET /api/sessions/{chat}/opening", "What a page begins with that shows a chat of yours, in one answer", s.getOpening),
		does("resetChat", "POST /api/sessions/{chat}/reset", "End the session and begin another, with an agent if one is named; tasks at work go on", s.postReset, atMessageRate,
			answered(http.StatusOK, "the new session")),
		lists("listSessions", "GET /api/sessions", "Sessions, the last active first", s.getSessions, service.Session.Position),
		lists("listChats", "GET /api/chats", "Your chats on all channels: those that you have pinned, then the last active ones", s.getChats, service.Chat.Position),
		does("changeChat", "POST /api/chats/{id}", "Name, pin or archive a chat in your list, or say what you have seen of it; omitted fields stay unchanged", s.postChat,
			answered(http.StatusOK, "changed")),
		does("searchSessions", "GET /api/sessions/search", "What was said, by words", s.getSearch),
		does("getSession", "GET /api/sessions/{id}", "One session with its transcript", s.getSession),
		does("listCalls", "GET /api/sessions/{id}/calls", "What tools an agent has called in a turn, with what it gave and got", s.getCalls,
			answered(http.StatusOK, "the calls, in order; of a turn at work, those so far")),
		writes("exportSession", "GET /api/sessions/{id}/export", "A session as a file", s.getExport,
			givesRaw("A session as a file", "text/markdown"), gives[service.Export](http.StatusOK, "A session as a file", jsonMedia)),
		does("deleteSession", "DELETE /api/sessions/{id}", "Delete a session for good: rows, notes, and the histories of its workflows", s.deleteSession,
			answered(http.StatusOK, "what was removed")),
		writes("getArtifact", "GET /api/artifacts/{id}", "A file that somebody sent", s.getArtifact, givesRaw("A file that somebody sent", "application/octet-stream"), about(artifactAbout)),

		lists("listWorkspaces", "GET /api/files", "The conversations whose agents keep files, those that were changed last first", s.getWorkspaces, service.Workspace.Position),
		does("listFiles", "GET /api/files/{of}", "The files of a session or task, by path", s.getFiles, about(filesAbout)),
		writes("getFile", "GET /api/files/{of}/content", "One file", s.getFile, givesRaw("The file", "application/octet-stream"), about(fileAbout)),
		writes("putFile", "PUT /api/files/{of}/content", "Write a file: the body is what is in it. What was there stays an earlier version", s.putFile, atMessageRate, takes("application/octet-stream"),
			gives[service.FileChanged](http.StatusOK, "what was written", jsonMedia)),
		does("deleteFile", "DELETE /api/files/{of}/content", "Delete a file with its versions", s.deleteFile, answered(http.StatusOK, "the file that is gone")),
		writes("getFileVersion", "GET /api/file-versions/{id}", "A file as an agent has sent it", s.getFileVersion, givesRaw("The file", "application/octet-stream"), about(fileAbout)),

		pages("listTasks", "GET /api/tasks", "Tasks, the newest first", s.getTasks, answered(http.StatusOK, "tasks")),
		does("countTasks", "GET /api/tasks/counts", "How many tasks are in each state", s.getTaskCounts),
		does("cancelTasks", "POST /api/tasks/cancel", "Cancel several tasks, each with everything it delegated; final", s.postTasksCancel,
			answered(http.StatusOK, "what came of each, in the order of the ids")),
		does("retryTasks", "POST /api/tasks/retry", "New tasks like several that have ended; each counts at the rate of messages", s.postTasksRetry, atMessageRate,
			answered(http.StatusOK, "what came of each, in the order of the ids")),
		does("createTask", "POST /api/tasks", "Give a task to agents", s.postTask, atMessageRate, answered(http.StatusCreated, "the task")),
		writes("triggerTask", "POST /trigger-bot", "Give a task to agents, and have a program told of its end", s.postTrigger, atMessageRate,
			gives[triggered](http.StatusAccepted, "the task, which goes on", jsonMedia), gives[triggered](http.StatusOK, "the task with its result", jsonMedia)),
		lists("listHooks", "GET /api/hooks", "What programs were told of the ends of tasks, or are to be, the newest first", s.getHooks, service.Webhook.Position),
		does("tryHook", "POST /api/hooks/try", "Send a signed webhook of type test to an address, once", s.postHookTry, atMessageRate, answered(http.StatusOK, "what came of it")),
		does("getHookSecret", "POST /api/hooks/secret", "What your webhooks are signed with", s.postHookSecret, answered(http.StatusOK, "the secret")),
		does("getTask", "GET /api/tasks/{id}", "One task", s.getTask, answered(http.StatusOK, "the task")),
		does("getTimeline", "GET /api/tasks/{id}/timeline", "Who was at work when, for a task and all that was delegated below it", s.getTimeline),
		does("getTaskDetails", "GET /api/tasks/{id}/details", "What belongs to a task: its tree, questions, deliveries and files", s.getTaskDetails),
		does("cancelTask", "POST /api/tasks/{id}/cancel", "Cancel a task and everything it delegated; final", s.postCancel, answered(http.StatusOK, "the task")),
		does("steerTask", "POST /api/tasks/{id}/steer", "Add to a task that is at work: its agents read it before their next step", s.postSteer, atMessageRate, answered(http.StatusOK, "the task")),
		does("continueTask", "POST /api/tasks/{id}/continue", "A new task that goes on with one that has ended", s.postContinue, atMessageRate, answered(http.StatusCreated, "the new task")),
		does("retryTask", "POST /api/tasks/{id}/retry", "A new task like one that has ended", s.postRetry, atMessageRate, answered(http.StatusOK, "the new task")),

		writes("watchChanges", "GET /api/changes", "Word of each change of what GET /api/tasks, GET /api/questions and GET /api/outbox list, as a stream (text/event-stream)", s.getChanges,
			gives[changeView](http.StatusOK, "which lists are not what they were; several changes may be one event", streamMedia)),
		pages("listQuestions", "GET /api/questions", "What waits for an answer", s.getQuestions),
		does("getQuestion", "GET /api/questions/{id}", "One question, and who may answer it", s.getQuestion),
		does("answerQuestion", "POST /api/questions/{id}/answer", "Answer a question, or decline it", s.postAnswer, atMessageRate, answered(http.StatusOK, "the question")),
		lists("listReminders", "GET /api/reminders", "Reminders", s.getReminders, service.Reminder.Position),
		does("createReminder", "POST /api/reminders", "Set a reminder", s.postReminder, atMessageRate, answered(http.StatusCreated, "the reminder")),
		does("cancelReminder", "DELETE /api/reminders/{id}", "Cancel a reminder", s.deleteReminder, answered(http.StatusOK, "the reminder")),
		lists("listNotes", "GET /api/memory", "What agents have noted", s.getMemory, service.Note.Position),
		does("deleteNote", "DELETE /api/memory/{agent}/{key}", "Have a note forgotten", s.deleteNote, answered(http.StatusOK, "forgotten")),
		does("getUsage", "GET /api/usage", "What was used", s.getUsage),

		lists("listDeliveries", "GET /api/outbox", "Deliveries, the newest first", s.getOutbox, service.PositionOfDelivery, answered(http.StatusOK, "deliveries")),
		does("retryDelivery", "POST /api/outbox/{id}/retry", "Deliver again what is blocked", s.postOutboxRetry, answered(http.StatusOK, "done")),
		does("dismissDelivery", "POST /api/outbox/{id}/dismiss", "Give a delivery up", s.postOutboxDismiss, answered(http.StatusOK, "done")),
		does("listChannels", "GET /api/channels", "Our accounts on platforms, and how they are connected", s.getChannels,
			answered(http.StatusOK, "the accounts, in the order of errand.yaml")),
		writes("getChannelQR", "GET /api/channels/{channel}/{account}/qr", "What a phone scans to link an account", s.getChannelQR, givesRaw("the code", "image/png")),
		does("createChannelCode", "POST /api/channels/{channel}/{account}/code", "A code to type into a phone to link an account, instead of scanning", s.postChannelCode, atMessageRate,
			answered(http.StatusOK, "the code, which is a secret for as long as it is valid")),
		does("listCleanUps", "GET /api/maintenance", "What the clean-ups did, the newest first", s.getMaintenance),
		does("startCleanUp", "POST /api/maintenance/run", "Clean up now", s.postMaintenance, answered(http.StatusAccepted, "started")),
		does("pause", "POST /api/pause", "No model call begins until resume", s.postPause, answered(http.StatusOK, "done")),
		does("resume", "POST /api/resume", "Model calls may begin again", s.postResume, answered(http.StatusOK, "done")),

		lists("listPeople", "GET /api/people", "People with identities and tokens; the tokens themselves are never shown", s.getPeople, positionOfPerson),
		does("changePerson", "POST /api/people/{id}", "Change somebody's role, language, name or time zone; omitted fields stay unchanged", s.postPerson, answered(http.StatusOK, "the person")),
		does("deletePerson", "DELETE /api/people/{id}", "Remove somebody, with identities and tokens", s.deletePerson, answered(http.StatusOK, "who it was")),
		does("addIdentity", "POST /api/people/{id}/identities", "Say who else somebody is", s.postIdentity, answered(http.StatusOK, "the person")),
		does("removeIdentity", "DELETE /api/people/{id}/identities", "Say that somebody is not who it was said they were", s.deleteIdentity, answered(http.StatusOK, "the person")),
		does("listTokens", "GET /api/people/{id}/tokens", "Somebody's tokens", s.getTokens),
		does("createToken", "POST /api/people/{id}/tokens", "Make a token for somebody; only this answer shows it", s.postToken, answered(http.StatusCreated, "the token")),
		does("revokeToken", "DELETE /api/tokens/{id}", "Revoke a token", s.deleteToken, answered(http.StatusOK, "revoked")),
		does("listPairings", "GET /api/pairings", "Who asks to be let in", s.getPairings),
		does("approvePairing", "POST /api/pairings/{code}/approve", "Let somebody in", s.postApprove, answered(http.StatusOK, "let in")),
		does("denyPairing", "POST /api/pairings/{code}/deny", "Do not let somebody in", s.postDeny, answered(http.StatusOK, "denied")),
		does("listRefusals", "GET /api/refusals", "Senders that were turned away", s.getRefusals),
		lists("listAudit", "GET /api/audit", "Who has done what, the newest first", s.getAudit, service.AuditEntry.Position),
	}
}

// A route is something other than the API that the table of rights is asked about.
type route struct {
	pattern string
	serve   func(http.ResponseWriter, *http.Request) error
}

// pages are what people open in a browser, and what machines read that is not
// part of the API.
func (s *Server) pages() []route {
	return []route{
		{"GET /sessions", s.page("sessions.html")},
		{"GET /tasks", s.page("tasks.html")},
		{"GET /tasks/{id}", s.taskPage},
		{"GET /usage", s.page("usage.html")},
		{"GET /questions", s.page("questions.html")},
		{"GET /tokens", s.page("tokens.html")},
		{"GET /channels", s.page("channels.html")},
		{"GET /tools", s.page("tools.html")},
		{"GET /people", s.page("people.html")},
		{"GET /audit", s.page("audit.html")},
		{"GET /metrics", s.getMetrics},
	}
}

func (s *Server) guarded() []route {
	var list []route
	for _, o := range s.operations {
		serve := s.bounded(o.isMessage, o.serve)
		if o.isMessage {
			serve = s.limitMessages(serve)
		}
		if o.body == "" {
			serve = asJSON(serve)
		}
		list = append(list, route{o.pattern, serve})
	}
	return append(append(list, s.pages()...), s.doors()...)
}

func (s *Server) routes(mux *http.ServeMux) {
	for _, r := range s.guarded() {
		mux.HandleFunc(r.pattern, s.permitted(r.pattern, r.serve))
	}
	s.logins(mux)
	s.doorsToo(mux)
	mux.HandleFunc("GET /api/openapi.json", s.getOpenAPI)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if why := s.notReady(r.Context()); why != "" {
			http.Error(w, why, http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "ready\n")
	})
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, service.Refuse(service.KindNotFound, "not_found", "refusal.no_route", "route", r.Method+" "+r.URL.Path))
	})
}

// What the inputs of several operations have in common, for the document too.
type (
	nothing struct{}

	inChat struct {
		Chat string `path:"chat" description:"name of the chat, \"main\" on the page"`
	}
	ofPerson struct {
		Person errand.PersonID `query:"person" description:"whose: the caller's own by default; a partner or master_admin may name another, or * for everybody's"`
	}
)

func keyOf(chat string, person errand.PersonID) (errand.SessionKey, error) {
	route, err := service.WebRoute(chat)
	if err == nil && (person == "" || person == "*") {
		err = badRequest("person", "everybody has a chat of their own; say whose")
	}
	return errand.NewSessionKey(route, person), err
}

type resetIn struct {
	inChat
	Body struct {
		Agent     string `json:"agent" description:"with whom it begins; the primary agent when left out"`
		MessageID string `json:"message_id" description:"sent again with the same id, it is done once"`
	}
}

type resetOut struct {
	Session errand.SessionID `json:"session_id"`
}

// postReset begins a new session, with an agent if one is named.
func (s *Server) postReset(r *http.Request, in resetIn) (resetOut, error) {
	if in.Body.MessageID == "" {
		in.Body.MessageID = errand.ShortID(16)
	}
	key, err := keyOf(in.Chat, actor(r).Person)
	if err != nil {
		return resetOut{}, err
	}
	id, err := s.Backend.NewSession(r.Context(), actor(r), key, errand.AgentName(strings.ToLower(strings.TrimSpace(in.Body.Agent))), in.Body.MessageID)
	return resetOut{id}, err
}

type meOut struct {
	// ApprovesNothing is for people, where they would find what they approve with.
	ApprovesNothing string `json:"approves_nothing,omitempty" description:"why this login approves nothing, though the role does"`

	ID       errand.PersonID `json:"id"`
	Language string          `json:"language"`
	Login    string          `json:"login" enum:"token,cookie" description:"what says so"`
	May      []string        `json:"may"`
	Name     string          `json:"name"`
	Role     errand.Role     `json:"role"`
	RoleName string          `json:"role_name" description:"what this installation calls the role"`
	TimeZone string          `json:"time_zone,omitempty" description:"IANA time zone of the person's times, such as Europe/Oslo; empty: the installation's"`
}

func (s *Server) getMe(r *http.Request, _ nothing) (meOut, error) {
	who := callerOf(r)
	may := []string{}
	for _, route := range s.guarded() {
		if s.Backend.MayUse(who.Actor, rights.Route, route.pattern) == nil {
			may = append(may, route.pattern)
		}
	}
	out := meOut{"", who.Person, who.Language, who.Login, may, who.Name, who.Role, s.roleName(r, who.Role), who.TimeZone}
	if !who.IsPerson() && s.Rights.May(who.Role, rights.Capability, rights.ApprovalsAnswer) {
		out.ApprovesNothing = s.textsFor(r).Localize("approval.login")
	}
	return out, nil
}

type agentsIn struct {
	Chat string `query:"chat" description:"also say which of them this chat is with"`
}

// getAgents lists the agents that the person may talk with, and says which of
// them a chat is with, if one is named.
func (s *Server) getAgents(r *http.Request, in agentsIn) ([]service.AgentView, error) {
	var key errand.SessionKey
	if in.Chat != "" {
		var err error
		if key, err = keyOf(in.Chat, actor(r).Person); err != nil {
			return nil, err
		}
	}
	return s.Backend.AgentsFor(r.Context(), actor(r), key)
}

type aboutOut struct {
	Demo    bool                `json:"demo"`
	Models  []errand.ModelState `json:"models"`
	Paused  bool                `json:"paused"`
	Roles   []roleView          `json:"roles" description:"from the least to the most"`
	Version string              `json:"version"`

	Programs string `json:"programs" description:"what runs agents' programs on this worker, and their languages, for people; empty: it does not say"`
	WebUI    string `json:"web_ui"`

	Crowded []errand.CrowdedAgent `json:"crowded" description:"agents that have more tools than their models accept; tools of the last MCP servers are left out"`
}

type roleView struct {
	Role errand.Role `json:"role"`
	Name string      `json:"name" description:"what this installation calls it"`
}

func (s *Server) getAbout(r *http.Request, _ nothing) (aboutOut, error) {
	paused, err := s.Backend.Paused(r.Context(), actor(r))
	if err != nil {
		return aboutOut{}, err
	}
	models, err := s.Backend.ModelStates(r.Context(), actor(r))
	if err != nil {
		return aboutOut{}, err
	}
	out := aboutOut{Demo: s.Demo, Models: models, Paused: paused, Version: s.Version, Programs: s.Programs, Crowded: []errand.CrowdedAgent{}}
	for _, role := range errand.Roles() {
		out.Roles = append(out.Roles, roleView{role, s.roleName(r, role)})
	}
	if actor(r).IsMasterAdmin() {
		out.WebUI = s.webUI(r) // it shows and changes everybody's
		if s.Crowded != nil {
			out.Crowded = s.Crowded()
		}
	}
	return out, nil
}

func (s *Server) postAgentsCheck(r *http.Request, _ nothing) ([]errand.RemoteAgentState, error) {
	return s.Backend.CheckRemoteAgents(r.Context(), actor(r))
}

// postModelsCheck calls every model once.
func (s *Server) postModelsCheck(r *http.Request, _ nothing) ([]errand.ModelState, error) {
	return s.Backend.CheckModels(r.Context(), actor(r))
}

type pausedOut struct {
	Paused bool `json:"paused"`
}

func (s *Server) postPause(r *http.Request, _ nothing) (pausedOut, error) {
	return pausedOut{true}, s.Backend.Pause(r.Context(), actor(r))
}

func (s *Server) postResume(r *http.Request, _ nothing) (pausedOut, error) {
	return pausedOut{false}, s.Backend.Resume(r.Context(), actor(r))
}
