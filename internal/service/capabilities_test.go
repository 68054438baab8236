package service_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"errand"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/when"
	"errand/workflows"
)

// A deed is one thing that somebody does with a method, and what it needs.
type deed struct {
	capability string
	do         func(ctx context.Context, h *house, by service.Actor) error
}

// try does it. There is no Temporal behind these tests, and a call of it panics:
// whoever gets as far was not refused.
func (d deed) try(ctx context.Context, h *house, by service.Actor) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return d.do(ctx, h, by)
}

var unchecked = map[string]string{
	"MayAskTeam":            "is a check itself",
	"ProcedureNames":        "filters by the role of the actor itself",
	"MayUse":                "is a check itself",
	"Allows":                "is a check itself",
	"RosterOf":              "tells nothing of anybody",
	"TextsFor":              "tells nothing of anybody",
	"RoleName":              "tells nothing of anybody",
	"RoleNames":             "tells nothing of anybody",
	"ParseRole":             "tells nothing of anybody",
	"ZoneOf":                "tells nothing of anybody",
	"ActorOf":               "finds out who somebody is",
	"ActorAs":               "finds out who somebody is",
	"Login":                 "finds out who somebody is, by a secret",
	"LoginState":            "finds out who somebody is, by a secret",
	"RedeemLink":            "is for whoever has the link",
	"Logout":                "is for whoever has the token",
	"AskLogin":              "is for strangers",
	"Ready":                 "is for whoever supervises the process, and tells nothing",
	"Live":                  "tells nothing of anybody",
	"ConnectionStates":      "is for errand itself",
	"EnsureConnections":     "is for errand itself",
	"AccountBack":           "is for errand itself",
	"NoteGoneAccounts":      "is for errand itself",
	"RemindOfQuestions":     "is for errand itself",
	"PollLatePeers":         "is for errand itself",
	"AllowPairs":            "is for errand itself",
	"WakeOutbox":            "is for errand itself",
	"AcceptPairingMessages": "is for errand itself",
	"EndTask":               "is for errand itself",
	"CommandAnswer":         "is for errand itself: each command asks for its own",
	"NoteCommand":           "is for errand itself: each command asks for its own",
}

const stranger errand.PersonID = "somebody else"

// deeds are what can be done with each method: to one's own, and to what is others'.
func deeds() map[string][]deed {
	type h = *house
	type by = service.Actor
	type ctx = context.Context
	all := map[string][]deed{
		"SwitchAgent": {
			{rights.SessionsSwitch, func(c ctx, h h, by by) error { _, err := h.SwitchAgent(c, by, chatOf(by.Person), ""); return err }},
			{rights.OthersChange, func(c ctx, h h, by by) error { _, err := h.SwitchAgent(c, by, chatOf(other(by)), ""); return err }},
		},
		"ActiveAgent": {
			{rights.AgentsRead, func(c ctx, h h, by by) error { _, err := h.ActiveAgent(c, by, chatOf(by.Person)); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.ActiveAgent(c, by, chatOf(other(by))); return err }},
		},
		"NewSession": {
			{rights.SessionsReset, func(c ctx, h h, by by) error { _, err := h.NewSession(c, by, chatOf(by.Person), "", "m"); return err }},
			{rights.OthersChange, func(c ctx, h h, by by) error { _, err := h.NewSession(c, by, chatOf(other(by)), "", "m"); return err }},
		},
		"AgentsFor": {
			{rights.AgentsRead, func(c ctx, h h, by by) error { _, err := h.AgentsFor(c, by, ""); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.AgentsFor(c, by, chatOf(other(by))); return err }},
		},
		"Artifact": {{rights.ArtifactsRead, func(c ctx, h h, by by) error { _, _, err := h.Artifact(c, by, "f-none"); return err }}},
		"Workspaces": {
			{rights.FilesRead, func(c ctx, h h, by by) error { _, err := h.Workspaces(c, by, "", service.Page{}); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.Workspaces(c, by, other(by), service.Page{}); return err }},
		},
		"Files":           {{rights.FilesRead, func(c ctx, h h, by by) error { _, err := h.Files(c, by, "none", service.FileFilter{}); return err }}},
		"OpenFile":        {{rights.FilesRead, func(c ctx, h h, by by) error { _, _, err := h.OpenFile(c, by, "none", "a.md", 0); return err }}},
		"OpenFileVersion": {{rights.FilesRead, func(c ctx, h h, by by) error { _, _, err := h.OpenFileVersion(c, by, 1); return err }}},
		"PutFile":         {{rights.FilesChange, func(c ctx, h h, by by) error { _, err := h.PutFile(c, by, "none", "a.md", nil); return err }}},
		"RemoveFile":      {{rights.FilesChange, func(c ctx, h h, by by) error { _, err := h.RemoveFile(c, by, "none", "a.md"); return err }}},
		"Connections":     {{rights.ChannelsRead, func(c ctx, h h, by by) error { _, err := h.Connections(c, by); return err }}},
		"LinkCode": {{rights.ChannelsLink, func(c ctx, h h, by by) error {
			_, err := h.LinkCode(c, by, errand.Account{Channel: "whatsapp", Name: "main"}, "1")
			return err
		}}},
		"Outbox":        {{rights.DeliveriesRead, func(c ctx, h h, by by) error { _, err := h.Outbox(c, by, nil, service.Page{}); return err }}},
		"RetryOutbox":   {{rights.DeliveriesRetry, func(c ctx, h h, by by) error { return h.RetryOutbox(c, by, 1) }}},
		"DismissOutbox": {{rights.DeliveriesDismiss, func(c ctx, h h, by by) error { return h.DismissOutbox(c, by, 1) }}},
		"Events": {
			{rights.SessionsFollow, func(c ctx, h h, by by) error { _, err := h.Events(c, by, chatOf(by.Person), 0, 1); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.Events(c, by, chatOf(other(by)), 0, 1); return err }},
		},
		"LastEvents": {
			{rights.SessionsFollow, func(c ctx, h h, by by) error { _, err := h.LastEvents(c, by, chatOf(by.Person), 1); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.LastEvents(c, by, chatOf(other(by)), 1); return err }},
		},
		"EventsBefore": {
			{rights.SessionsFollow, func(c ctx, h h, by by) error { _, err := h.EventsBefore(c, by, chatOf(by.Person), 9, 1); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.EventsBefore(c, by, chatOf(other(by)), 9, 1); return err }},
		},
		"Join": {
			{rights.SessionsFollow, func(c ctx, h h, by by) error { return subscribe(c, h.Join, by, chatOf(by.Person)) }},
			{rights.OthersRead, func(c ctx, h h, by by) error { return subscribe(c, h.Join, by, chatOf(other(by))) }},
		},
		"Converse": {{rights.MessagesSend, func(c ctx, h h, by by) error {
			_, err := h.Converse(c, by, errand.WebRoute("main"), service.Message{Text: "hello"})
			return err
		}}},
		"Follow": {
			{rights.SessionsFollow, func(c ctx, h h, by by) error { return follow(c, h, by, chatOf(by.Person)) }},
			{rights.OthersRead, func(c ctx, h h, by by) error { return follow(c, h, by, chatOf(other(by))) }},
		},
		"Subscribe": {
			{rights.SessionsFollow, func(c ctx, h h, by by) error { return subscribe(c, h.Subscribe, by, chatOf(by.Person)) }},
			{rights.OthersRead, func(c ctx, h h, by by) error { return subscribe(c, h.Subscribe, by, chatOf(other(by))) }},
		},
		"MessageEvent": {
			{rights.SessionsFollow, func(c ctx, h h, by by) error { _, err := h.MessageEvent(c, by, chatOf(by.Person), "m"); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.MessageEvent(c, by, chatOf(other(by)), "m"); return err }},
		},
		"Answers": {
			{rights.SessionsFollow, func(c ctx, h h, by by) error {
				_, err := h.Answers(c, by, errand.Event{}, chatOf(by.Person), "m")
				return err
			}},
			{rights.OthersRead, func(c ctx, h h, by by) error {
				_, err := h.Answers(c, by, errand.Event{}, chatOf(other(by)), "m")
				return err
			}},
		},
		"ClientCalls": {
			{rights.SessionsFollow, func(c ctx, h h, by by) error {
				_, err := h.ClientCalls(c, by, chatOf(by.Person), errand.Event{})
				return err
			}},
			{rights.OthersRead, func(c ctx, h h, by by) error {
				_, err := h.ClientCalls(c, by, chatOf(other(by)), errand.Event{})
				return err
			}},
		},
		"SetA2APush": {{rights.TasksDelegate, func(c ctx, h h, by by) error {
			_, err := h.SetA2APush(c, by, service.A2APush{Task: "t-none", URL: "https://example.org/"})
			return err
		}}},
		"CheckA2APush":      {{rights.TasksDelegate, func(_ ctx, h h, by by) error { return h.CheckA2APush(by, service.A2APush{URL: "https://example.org/"}) }}},
		"A2APushes":         {{rights.TasksRead, func(c ctx, h h, by by) error { _, err := h.A2APushes(c, by, "t-none"); return err }}},
		"DeleteA2APush":     {{rights.TasksDelegate, func(c ctx, h h, by by) error { return h.DeleteA2APush(c, by, "t-none", "p") }}},
		"ClientCallOf":      {{rights.SessionsFollow, func(c ctx, h h, by by) error { _, _, err := h.ClientCallOf(c, by, "call_none"); return err }}},
		"Pause":             {{rights.InstallationPause, func(c ctx, h h, by by) error { return h.Pause(c, by) }}},
		"Resume":            {{rights.InstallationPause, func(c ctx, h h, by by) error { return h.Resume(c, by) }}},
		"Paused":            {{rights.InstallationRead, func(c ctx, h h, by by) error { _, err := h.Paused(c, by); return err }}},
		"Numbers":           {{rights.MetricsRead, func(c ctx, h h, by by) error { _, err := h.Numbers(c, by); return err }}},
		"RunMaintenance":    {{rights.MaintenanceRun, func(c ctx, h h, by by) error { return h.RunMaintenance(c, by) }}},
		"Maintenance":       {{rights.MaintenanceRead, func(c ctx, h h, by by) error { _, err := h.Maintenance(c, by, 1); return err }}},
		"ModelStates":       {{rights.InstallationRead, func(c ctx, h h, by by) error { _, err := h.ModelStates(c, by); return err }}},
		"MCPServers":        {{rights.MCPRead, func(c ctx, h h, by by) error { _, err := h.MCPServers(c, by); return err }}},
		"TryMCPTool":        {{rights.MCPTry, func(c ctx, h h, by by) error { _, err := h.TryMCPTool(c, by, "sim", "echo", nil); return err }}},
		"CheckRemoteAgents": {{rights.ModelsCheck, func(c ctx, h h, by by) error { _, err := h.CheckRemoteAgents(c, by); return err }}},
		"CheckModels":       {{rights.ModelsCheck, func(c ctx, h h, by by) error { _, err := h.CheckModels(c, by); return err }}},
		"Notes": {
			{rights.NotesRead, func(c ctx, h h, by by) error { _, err := h.Notes(c, by, service.NoteFilter{}); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.Notes(c, by, service.NoteFilter{Person: "*"}); return err }},
		},
		"ForgetNote": {
			{rights.NotesForget, func(c ctx, h h, by by) error { return h.ForgetNote(c, by, "", "nikki", "k") }},
			{rights.OthersChange, func(c ctx, h h, by by) error { return h.ForgetNote(c, by, other(by), "nikki", "k") }},
		},
		"Pairings":   {{rights.PairingsDecide, func(c ctx, h h, by by) error { _, err := h.Pairings(c, by, true); return err }}},
		"Approve":    {{rights.PairingsDecide, func(c ctx, h h, by by) error { _, _, err := h.Approve(c, by, "none", "", ""); return err }}},
		"Deny":       {{rights.PairingsDecide, func(c ctx, h h, by by) error { return h.Deny(c, by, "none") }}},
		"Audit":      {{rights.AuditRead, func(c ctx, h h, by by) error { _, err := h.Audit(c, by, service.AuditFilter{}); return err }}},
		"Refusals":   {{rights.RefusalsRead, func(c ctx, h h, by by) error { _, err := h.Refusals(c, by); return err }}},
		"People":     {{rights.SelfRead, func(c ctx, h h, by by) error { _, err := h.People(c, by, service.Page{}); return err }}},
		"Identities": {{rights.SelfRead, func(c ctx, h h, by by) error { _, err := h.Identities(c, by); return err }}},
		"FindPerson": {
			{rights.SelfRead, func(c ctx, h h, by by) error { _, err := h.FindPerson(c, by, string(by.Person)); return err }},
			{rights.PeopleRead, func(c ctx, h h, by by) error { _, err := h.FindPerson(c, by, string(other(by))); return err }},
		},
		"SetRole": {{rights.PeopleChange, func(c ctx, h h, by by) error { _, err := h.SetRole(c, by, "guest", errand.Guest); return err }}},
		"SetTimeZone": {
			{rights.SelfChange, func(c ctx, h h, by by) error {
				_, err := h.SetTimeZone(c, by, by.Person, "")
				return err
			}},
			{rights.PeopleChange, func(c ctx, h h, by by) error {
				_, err := h.SetTimeZone(c, by, other(by), "")
				return err
			}},
		},
		"SetLanguage": {
			{rights.SelfChange, func(c ctx, h h, by by) error { return h.SetLanguage(c, by, by.Person, "es") }},
			{rights.PeopleChange, func(c ctx, h h, by by) error { return h.SetLanguage(c, by, other(by), "es") }},
		},
		"SetName": {
			{rights.SelfChange, func(c ctx, h h, by by) error { return h.SetName(c, by, by.Person, "Ana") }},
			{rights.PeopleChange, func(c ctx, h h, by by) error { return h.SetName(c, by, other(by), "Ana") }},
		},
		"RemovePerson": {{rights.PeopleRemove, func(c ctx, h h, by by) error { return h.RemovePerson(c, by, stranger) }}},
		"Link":         {{rights.PeopleLink, func(c ctx, h h, by by) error { return h.Link(c, by, "guest", "telegram", "", "7") }}},
		"Unlink":       {{rights.PeopleLink, func(c ctx, h h, by by) error { return h.Unlink(c, by, "guest", "telegram", "", "8") }}},
		"Remind": {
			{rights.RemindersSet, func(c ctx, h h, by by) error {
				_, err := h.Remind(c, by, chatOf(by.Person), "tomorrow at 9", "tea")
				return err
			}},
			{rights.OthersChange, func(c ctx, h h, by by) error {
				_, err := h.Remind(c, by, chatOf(other(by)), "tomorrow at 9", "tea")
				return err
			}},
		},
		"SendFileFor": {{"send_file", func(c ctx, h h, by by) error { _, err := h.SendFileFor(c, call(by), "a.md", "", ""); return err }}},
		"RemindFor": {{"remind_me", func(c ctx, h h, by by) error {
			_, err := h.RemindFor(c, call(by), when.Time{Words: "tomorrow at 9"}, "tea")
			return err
		}}},
		"Questions": {
			{rights.QuestionsRead, func(c ctx, h h, by by) error { _, err := h.Questions(c, by, "", false, 0); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.Questions(c, by, "*", false, 0); return err }},
		},
		"FollowLists": {
			{rights.QuestionsRead, func(c ctx, h h, by by) error { return followLists(c, h, by, "") }},
			{rights.OthersRead, func(c ctx, h h, by by) error { return followLists(c, h, by, "*") }},
		},
		"ListQuestions": {
			{rights.QuestionsRead, func(c ctx, h h, by by) error {
				_, err := h.ListQuestions(c, by, service.QuestionFilter{})
				return err
			}},
			{rights.OthersRead, func(c ctx, h h, by by) error {
				_, err := h.ListQuestions(c, by, service.QuestionFilter{Person: "*"})
				return err
			}},
		},
		"QuestionsIn": {
			{rights.QuestionsRead, func(c ctx, h h, by by) error { _, err := h.QuestionsIn(c, by, chatOf(by.Person), false, 0); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.QuestionsIn(c, by, chatOf(other(by)), false, 0); return err }},
		},
		"TaskQuestions": {
			{rights.TasksRead, func(c ctx, h h, by by) error { _, err := h.TaskQuestions(c, by, "t-none"); return err }},
		},
		"Question":  {{rights.QuestionsRead, func(c ctx, h h, by by) error { _, err := h.Question(c, by, "q-none"); return err }}},
		"Deciders":  {{rights.QuestionsRead, func(c ctx, h h, by by) error { _, err := h.Deciders(c, by, errand.Question{}); return err }}},
		"MayDecide": {{rights.ApprovalsAnswer, func(_ ctx, h h, by by) error { return h.MayDecide(by) }}},
		"MayAnswer": {{rights.QuestionsAnswer, func(_ ctx, h h, by by) error { return h.MayAnswer(by, errand.Question{Person: by.Person}) }}},
		"AnswerQuestion": {{rights.QuestionsAnswer, func(c ctx, h h, by by) error {
			_, err := h.AnswerQuestion(c, by, "q-none", service.Answer{Text: "yes"})
			return err
		}}},
		"AnswerShown": {{rights.QuestionsAnswer, func(c ctx, h h, by by) error {
			_, err := h.AnswerShown(c, by, "q-none", service.Answer{Text: "yes"})
			return err
		}}},
		"AnswerQuestionFor": {{"answer_task", func(c ctx, h h, by by) error { _, err := h.AnswerQuestionFor(c, call(by), "q-none", "yes"); return err }}},
		"Reminders":         {{rights.RemindersRead, func(c ctx, h h, by by) error { _, err := h.Reminders(c, by, true, service.Page{}); return err }}},
		"RemindersFor":      {{"list_reminders", func(c ctx, h h, by by) error { _, err := h.RemindersFor(c, call(by)); return err }}},
		"RemindersIn": {
			{rights.RemindersRead, func(c ctx, h h, by by) error { _, err := h.RemindersIn(c, by, chatOf(by.Person)); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.RemindersIn(c, by, chatOf(other(by))); return err }},
		},
		"CancelReminder":    {{rights.RemindersCancel, func(c ctx, h h, by by) error { _, err := h.CancelReminder(c, by, "r-none"); return err }}},
		"CancelReminderFor": {{"cancel_reminder", func(c ctx, h h, by by) error { _, err := h.CancelReminderFor(c, call(by), "r-none"); return err }}},
		"Sessions": {
			{rights.SessionsRead, func(c ctx, h h, by by) error { _, err := h.Sessions(c, by, service.SessionFilter{}); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error {
				_, err := h.Sessions(c, by, service.SessionFilter{Person: "*"})
				return err
			}},
		},
		"Search": {
			{rights.SessionsSearch, func(c ctx, h h, by by) error { _, err := h.Search(c, by, "tea", service.SessionFilter{}); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error {
				_, err := h.Search(c, by, "tea", service.SessionFilter{Person: other(by)})
				return err
			}},
		},
		"Export": {{rights.SessionsRead, func(c ctx, h h, by by) error { _, err := h.Export(c, by, "none"); return err }}},
		"Chats":  {{rights.SessionsRead, func(c ctx, h h, by by) error { _, err := h.Chats(c, by, service.Page{}); return err }}},
		"ChangeChat": {{rights.ChatsChange, func(c ctx, h h, by by) error {
			return h.ChangeChat(c, by, h.session(by.Person), service.ChatChange{})
		}}},
		"WaitingMessages": {{rights.SessionsFollow, func(c ctx, h h, by by) error { _, err := h.WaitingMessages(c, by, errand.WebRoute("main")); return err }}},
		"EditMessage": {{rights.MessagesSend, func(c ctx, h h, by by) error {
			return h.EditMessage(c, by, errand.WebRoute("main"), "none", "tea")
		}}},
		"WithdrawMessage": {{rights.MessagesSend, func(c ctx, h h, by by) error { return h.WithdrawMessage(c, by, errand.WebRoute("main"), "none") }}},
		"TurnCalls": {
			{rights.SessionsRead, func(c ctx, h h, by by) error { _, err := h.TurnCalls(c, by, h.session(by.Person), 1); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error {
				_, err := h.TurnCalls(c, by, h.session(other(by)), 1)
				if isNotFound(err) {
					return service.Forbidden("hidden") // whoever may not look at others' does not even find it
				}
				return err
			}},
		},
		"CancelCall": {{rights.SelfRead, func(_ ctx, h h, by by) error { return h.CancelCall(by, "1") }}},
		"FollowCall": {{rights.SelfRead, func(_ ctx, h h, by by) error {
			forget, err := h.FollowCall(by, "1", func() {})
			if err == nil {
				forget()
			}
			return err
		}}},
		"TurnUsage": {
			{rights.UsageRead, func(c ctx, h h, by by) error { _, err := h.TurnUsage(c, by, "none", 1); return err }},
		},
		"Usage": {
			{rights.UsageRead, func(c ctx, h h, by by) error { _, err := h.Usage(c, by, "", noon); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.Usage(c, by, "*", noon); return err }},
		},
		"DeleteSession": {
			{rights.SessionsDelete, func(c ctx, h h, by by) error { _, err := h.DeleteSession(c, by, "none", false); return err }},
			{rights.OthersChange, func(c ctx, h h, by by) error {
				id := h.session(other(by))
				_, err := h.DeleteSession(c, by, id, false)
				if isNotFound(err) {
					return service.Forbidden("hidden") // whoever may not look at others' does not even find it
				}
				return err
			}},
		},
		"Status": {
			{rights.SessionsStatus, func(c ctx, h h, by by) error { _, err := h.Status(c, by, chatOf(by.Person)); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.Status(c, by, chatOf(other(by))); return err }},
		},
		"History": {
			{rights.SessionsCount, func(c ctx, h h, by by) error { _, _, err := h.History(c, by, chatOf(by.Person), "", 1); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, _, err := h.History(c, by, chatOf(other(by)), "", 1); return err }},
		},
		"NewLogin": {{rights.SelfChange, func(c ctx, h h, by by) error { _, err := h.NewLogin(c, by, "browser", time.Hour); return err }}},
		"NewLink":  {{rights.LinksMake, func(c ctx, h h, by by) error { _, _, err := h.NewLink(c, by); return err }}},
		"Tokens": {
			{rights.SelfRead, func(c ctx, h h, by by) error { _, err := h.Tokens(c, by, by.Person); return err }},
			{rights.TokensRead, func(c ctx, h h, by by) error { _, err := h.Tokens(c, by, other(by)); return err }},
		},
		"CreateToken": {
			{rights.TokensMake, func(c ctx, h h, by by) error {
				_, _, err := h.CreateToken(c, by, other(by), service.NewToken{Name: "x", ValidFor: time.Hour})
				return err
			}},
		},
		"RevokeOwnToken": {{rights.SelfChange, func(c ctx, h h, by by) error { return h.RevokeOwnToken(c, by, "none") }}},
		"ListWebhooks": {
			{rights.TasksRead, func(c ctx, h h, by by) error { _, err := h.ListWebhooks(c, by, "", service.Page{}); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.ListWebhooks(c, by, "*", service.Page{}); return err }},
		},
		"PushKey":           {{rights.SelfRead, func(_ ctx, h h, by by) error { _, err := h.PushKey(by); return err }}},
		"PushSubscriptions": {{rights.SelfRead, func(c ctx, h h, by by) error { _, err := h.PushSubscriptions(c, by); return err }}},
		"SetPushSubscription": {{rights.SelfChange, func(c ctx, h h, by by) error {
			_, err := h.SetPushSubscription(c, by, service.PushSubscription{Endpoint: "https://push.example.org/" + string(by.Person), Auth: "BTBZMqHH6r4Tts7J_aSIgg",
				P256DH: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"}, service.PushRenewal{})
			return err
		}}},
		"DeletePushSubscription": {{rights.SelfChange, func(c ctx, h h, by by) error { return h.DeletePushSubscription(c, by, "none") }}},
		"WebhookSecret":          {{rights.SelfChange, func(c ctx, h h, by by) error { _, err := h.WebhookSecret(c, by, false); return err }}},
		"TryWebhook":             {{rights.TasksDelegate, func(c ctx, h h, by by) error { _, err := h.TryWebhook(c, by, "https://example.org"); return err }}},
		"RevokeToken": {
			{rights.SelfChange, func(c ctx, h h, by by) error { return h.RevokeToken(c, by, "none") }},
			{rights.TokensRevoke, func(c ctx, h h, by by) error {
				_, token, err := h.store.CreateToken(c, store.Token{Person: other(by), Kind: store.TokenAPI, Name: "x"}, time.Hour)
				if err != nil {
					return err
				}
				return h.RevokeToken(c, by, token.ID)
			}},
		},
		"Stop": {
			{rights.SessionsStop, func(c ctx, h h, by by) error { _, err := h.Stop(c, by, chatOf(by.Person), true); return err }},
			{rights.OthersChange, func(c ctx, h h, by by) error { _, err := h.Stop(c, by, chatOf(other(by)), true); return err }},
		},
		"BusyMode": {
			{rights.SessionsBusy, func(c ctx, h h, by by) error { _, err := h.BusyMode(c, by, chatOf(by.Person)); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.BusyMode(c, by, chatOf(other(by))); return err }},
		},
		"SetBusy": {
			{rights.SessionsBusy, func(c ctx, h h, by by) error { return h.SetBusy(c, by, chatOf(by.Person), "m", workflows.Collect) }},
			{rights.OthersChange, func(c ctx, h h, by by) error { return h.SetBusy(c, by, chatOf(other(by)), "m", workflows.Collect) }},
		},
	}
	maps.Copy(all, deedsOfTasks())
	return all
}

func call(by service.Actor) store.Call {
	return store.Call{Person: by.Person, Origin: errand.Origin{Person: by.Person, Role: by.Role, SessionKey: chatOf(by.Person)}}
}

func other(by service.Actor) errand.PersonID {
	if by.Person == "guest" {
		return "member"
	}
	return "guest"
}

// follow looks at a conversation once.
func follow(ctx context.Context, h *house, by service.Actor, key errand.SessionKey) error {
	enough := errors.New("enough")
	err := h.Follow(ctx, by, key, service.Reading{Before: func(int) error { return enough }}, func(errand.Event) error { return nil })
	if errors.Is(err, enough) {
		return nil
	}
	return err
}

// followLists looks at lists once.
func followLists(ctx context.Context, h *house, by service.Actor, person errand.PersonID) error {
	enough := errors.New("enough")
	err := h.FollowLists(ctx, by, person, service.ListReading{Beat: time.Hour, OnChange: func(service.Lists) error { return enough }})
	if errors.Is(err, enough) {
		return nil
	}
	return err
}

func subscribe(ctx context.Context, to func(context.Context, service.Actor, errand.SessionKey) (<-chan errand.Event, func(), error), by service.Actor, key errand.SessionKey) error {
	_, cancel, err := to(ctx, by, key)
	if err == nil {
		cancel()
	}
	return err
}

// TestCapabilities walks every method with every role: whoever is below the least
// role for what it needs is refused, and nobody else is. A method that is not here
// fails.
func TestCapabilities(t *testing.T) {
	table, all := rights.Default(), deeds()
	for m := range reflect.TypeFor[*service.Service]().Methods() {
		if all[m.Name] == nil && unchecked[m.Name] == "" {
			t.Errorf("%s is in neither list: say what it needs", m.Name)
		}
	}
	roles := append([]errand.Role{""}, errand.Roles()...)
	for method, list := range all {
		for _, d := range list {
			least := table.Least(rights.Capability, d.capability)
			if strings.Contains(d.capability, "_") {
				least = table.Least(rights.Tool, d.capability)
			}
			h := newHouse(t, nil)
			for _, role := range roles {
				by := as(role)
				if role == "" {
					by.Person = "guest"
				}
				err := d.try(t.Context(), h, by)
				if may := role.Includes(least); may == isForbidden(err) {
					t.Errorf("%s of a %q, which needs %s from %s on: %v", method, role, d.capability, least, err)
				}
			}
		}
	}
}

// TestEveryMethodChecks proves that each method begins with the question whether the
// actor may, so that no door can forget it.
func TestEveryMethodChecks(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || !fn.Name.IsExported() || !isService(fn.Recv.List[0].Type) {
				continue
			}
			seen++
			if unchecked[fn.Name.Name] == "" && !asksFirst(fn.Body) {
				t.Errorf("%s: %s does not begin with a check of a capability", f.Name(), fn.Name.Name)
			}
		}
	}
	if seen < 60 {
		t.Errorf("only %d methods were looked at", seen)
	}
}

func isService(t ast.Expr) bool {
	star, ok := t.(*ast.StarExpr)
	if !ok {
		return false
	}
	name, ok := star.X.(*ast.Ident)
	return ok && name.Name == "Service"
}

// asksFirst reports whether a body begins with "if err := s.may…(…); err != nil", by
// a method that asks for a capability.
func asksFirst(body *ast.BlockStmt) bool {
	if len(body.List) == 0 {
		return false
	}
	cond, ok := body.List[0].(*ast.IfStmt)
	if !ok {
		return false
	}
	assign, ok := cond.Init.(*ast.AssignStmt)
	if !ok || len(assign.Rhs) != 1 {
		return false
	}
	call, ok := assign.Rhs[0].(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && (method.Sel.Name == "may" || method.Sel.Name == "mayTo" || method.Sel.Name == "follows")
}
