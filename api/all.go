package api

import (
	"errand/internal/rights"
)

// All returns every operation, in the order of the API's document.
func All() []Any {
	return []Any{
		GetMe, ChangeMe, CreateLoginLink, ListOwnTokens, CreateOwnToken, RevokeOwnToken, ListOwnIdentities,
		GetPush, SetPushSubscription, DeletePushSubscription,
		ListCommands, ListAgents, GetActiveAgent, SwitchAgent,
		OpenChat, ResetChat, GetChatStatus, GetChatHistory, StopChat, GetBusyMode, SetBusyMode,
		ListSessions, ListChats, ChangeChat, SearchSessions, GetSession, ListCalls, ExportSession, DeleteSession, GetTurnUsage,
		GetAbout, GetMetrics, Pause, Resume,
		CheckModels, CheckRemoteAgents,
		ListMCPServers, TryMCPTool,
		RegisterAgent, ListRegisteredAgents, NextRequest, AnswerRequest,
		SendMessage, StreamReply, ListWaiting, ListTurnChanges, EditMessage, WithdrawMessage, GetEvents, ListEvents, GetMessageEvent, GetReply, WatchChanges,
		ListWorkspaces, ListFiles, GetChatWork, GetFile, PutFile, DeleteFile, GetFileVersion, GetArtifact, SendFileByTool,
		ListTasks, CountTasks,
		ListHooks, TryHook, GetHookSecret,
		GetTask, GetTimeline, ListTaskCalls, GetTaskTranscript, CancelTask, CancelTasks, CancelTaskByTool, SteerTask, SteerTaskByTool, ContinueTask, RetryTask, RetryTasks, CreateTask, GetTaskDetails,
		ListProcedures, AskTeam, AskProcedure,
		ListReminders, CreateReminder, ChangeReminder, CancelReminder, ListRemindersByTool, CreateReminderByTool, CancelReminderByTool,
		ListNotes, DeleteNote,
		ListPeople, ChangePerson, DeletePerson, AddIdentity, RemoveIdentity, ListTokens, CreateToken, RevokeToken,
		ListPairings, ApprovePairing, DenyPairing, ListRefusals, ListAudit,
		ListChannels, GetChannelQR, CreateChannelCode,
		ListCleanUps, StartCleanUp,
		ReceiveA2A, GetA2ATask, ListA2ATasks, SetA2APush, CheckA2APush, ListA2APushes, DeleteA2APush,
		CancelCall, FollowCall, GetClientCalls, FindClientCall,
		ListQuestions, ListTaskQuestions, GetQuestion, AnswerQuestion, AnswerQuestionByTool,
		GetUsage,
		ListDeliveries, RetryDelivery, DismissDelivery,
	}
}

// Rights returns the default table of rights, with a rule for the route of each operation.
func Rights() *rights.Table {
	var routes []rights.Rule
	seen := map[string]bool{"": true} // two forms of one answer share a route
	for _, op := range All() {
		if s := op.Spec(); !seen[s.Route] {
			seen[s.Route] = true
			routes = append(routes, rights.Rule{Kind: rights.Route, Name: s.Route, Needs: s.Needs, Least: s.Least, About: s.About})
		}
	}
	return rights.New(routes...)
}
