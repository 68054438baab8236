package service_test

import (
	"context"

	"errand"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/store"
)

func deedsOfTasks() map[string][]deed {
	type h = *house
	type by = service.Actor
	type ctx = context.Context
	return map[string][]deed{
		"FindTask": {
			{rights.TasksRead, func(c ctx, h h, by by) error { _, err := h.FindTask(c, by, "t-none", ""); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.FindTask(c, by, "t-none", "*"); return err }},
		},
		"AwaitTask": {
			{rights.TasksRead, func(c ctx, h h, by by) error { _, err := h.AwaitTask(c, by, "t-none", "", 0, nil); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.AwaitTask(c, by, "t-none", "*", 0, nil); return err }},
		},
		"FollowTask": {
			{rights.TasksRead, func(c ctx, h h, by by) error { return h.FollowTask(c, by, &errand.Task{ID: "t-none"}, 0, nil) }},
		},
		"FindTaskIn": {
			{rights.TasksRead, func(c ctx, h h, by by) error { _, err := h.FindTaskIn(c, by, "t-none", chatOf(by.Person)); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.FindTaskIn(c, by, "t-none", chatOf(other(by))); return err }},
		},
		"TasksIn": {
			{rights.TasksRead, func(c ctx, h h, by by) error { _, err := h.TasksIn(c, by, chatOf(by.Person), 1); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.TasksIn(c, by, chatOf(other(by)), 1); return err }},
		},
		"CancelTask": {
			{rights.TasksCancel, func(c ctx, h h, by by) error { _, err := h.CancelTask(c, by, h.task(by.Person).ID, ""); return err }},
			{rights.OthersChange, func(c ctx, h h, by by) error { _, err := h.CancelTask(c, by, h.task(other(by)).ID, ""); return err }},
		},
		"CancelTaskFor": {{"kill_async_agent", func(c ctx, h h, by by) error {
			_, err := h.CancelTaskFor(c, call(by), h.task(by.Person), "")
			return err
		}}},
		"Delegate": {{rights.TasksDelegate, func(c ctx, h h, by by) error {
			_, err := h.Delegate(c, by, service.Delegation{Agents: []errand.AgentName{"trains"}, Text: "find trains"})
			return err
		}}},
		"ReceiveA2A": {{rights.TasksDelegate, func(c ctx, h h, by by) error {
			_, err := h.ReceiveA2A(c, by, service.A2AMessage{ID: "m-1", Agent: "trains", Text: "find trains"})
			return err
		}}},
		"A2ATasks": {{rights.TasksRead, func(c ctx, h h, by by) error {
			_, _, err := h.A2ATasks(c, by, service.A2AFilter{})
			return err
		}}},
		"OwnTask": {{rights.TasksRead, func(c ctx, h h, by by) error {
			_, err := h.OwnTask(c, by, h.task(by.Person).ID)
			return err
		}}},
		"AskProcedure": {
			{rights.TasksDelegate, func(c ctx, h h, by by) error {
				h.Procedures = []errand.Procedure{{Name: "look", Agents: []errand.AgentName{"trains"}, Task: "look"}}
				_, err := h.AskProcedure(c, by, service.TeamRequest{Message: store.InboxMessage{Route: errand.WebRoute("main"), Person: by.Person, MessageID: "m-1"}, Text: "now"}, "look")
				return err
			}},
			{rights.OthersChange, func(c ctx, h h, by by) error {
				h.Procedures = []errand.Procedure{{Name: "look", Agents: []errand.AgentName{"trains"}, Task: "look"}}
				_, err := h.AskProcedure(c, by, service.TeamRequest{Message: store.InboxMessage{Route: errand.WebRoute("main"), Person: other(by), MessageID: "m-1"}, Text: "now"}, "look")
				return err
			}},
		},
		"AskTeam": {
			{rights.TasksDelegate, func(c ctx, h h, by by) error {
				_, err := h.AskTeam(c, by, service.TeamRequest{Message: store.InboxMessage{Route: errand.WebRoute("main"), Person: by.Person, MessageID: "m-1"},
					Text: "find trains", Targets: []service.TeamTarget{{Agent: "trains", Last: 5}}})
				return err
			}},
			{rights.OthersChange, func(c ctx, h h, by by) error {
				_, err := h.AskTeam(c, by, service.TeamRequest{Message: store.InboxMessage{Route: errand.WebRoute("main"), Person: other(by), MessageID: "m-1"},
					Text: "find trains", Targets: []service.TeamTarget{{Agent: "trains", Last: 5}}})
				return err
			}},
		},
		"RetryTask": {
			{rights.TasksRetry, func(c ctx, h h, by by) error { _, err := h.RetryTask(c, by, h.task(by.Person).ID); return err }},
			{rights.OthersChange, func(c ctx, h h, by by) error { _, err := h.RetryTask(c, by, h.task(other(by)).ID); return err }},
		},
		"SteerTask": {
			{rights.TasksSteer, func(c ctx, h h, by by) error {
				_, err := h.SteerTask(c, by, h.task(by.Person).ID, service.Steering{Text: "by night"})
				return err
			}},
			{rights.OthersChange, func(c ctx, h h, by by) error {
				_, err := h.SteerTask(c, by, h.task(other(by)).ID, service.Steering{Text: "by night"})
				return err
			}},
		},
		"SteerTaskFor": {{"steer_task", func(c ctx, h h, by by) error {
			_, err := h.SteerTaskFor(c, call(by), h.task(by.Person), "by night")
			return err
		}}},
		"ContinueTask": {
			{rights.TasksSteer, func(c ctx, h h, by by) error {
				_, err := h.ContinueTask(c, by, h.task(by.Person).ID, service.Steering{Text: "by night"})
				return err
			}},
			{rights.OthersChange, func(c ctx, h h, by by) error {
				_, err := h.ContinueTask(c, by, h.task(other(by)).ID, service.Steering{Text: "by night"})
				return err
			}},
		},
		"Tasks": {
			{rights.TasksRead, func(c ctx, h h, by by) error { _, err := h.Tasks(c, by, service.TaskFilter{}); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.Tasks(c, by, service.TaskFilter{Person: "*"}); return err }},
		},
		"TaskTrees": {
			{rights.TasksRead, func(c ctx, h h, by by) error { _, err := h.TaskTrees(c, by, service.TaskFilter{}); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error {
				_, err := h.TaskTrees(c, by, service.TaskFilter{Person: "*"})
				return err
			}},
		},
		"TaskTranscript":   {{rights.TasksRead, func(c ctx, h h, by by) error { _, err := h.TaskTranscript(c, by, "t-none"); return err }}},
		"RegisterAgent":    {{rights.AgentsRegister, func(c ctx, h h, by by) error { _, err := h.RegisterAgent(c, by, "zed", "edits"); return err }}},
		"RegisteredAgents": {{rights.AgentsRead, func(c ctx, h h, by by) error { _, err := h.RegisteredAgents(c, by); return err }}},
		"NextRequest":      {{rights.AgentsRegister, func(c ctx, h h, by by) error { _, err := h.NextRequest(c, by, "zed", 0); return err }}},
		"KeepRequest":      {{rights.AgentsRegister, func(c ctx, h h, by by) error { _, err := h.KeepRequest(c, by, "t-none/zed"); return err }}},
		"AnswerRequest": {{rights.AgentsRegister, func(c ctx, h h, by by) error {
			_, err := h.AnswerRequest(c, by, service.RequestAnswer{Request: "t-none/zed", Text: "done"})
			return err
		}}},
		"TaskDetails": {
			{rights.TasksRead, func(c ctx, h h, by by) error { _, err := h.TaskDetails(c, by, "t-none", ""); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.TaskDetails(c, by, "t-none", "*"); return err }},
		},
		"CountTasks": {
			{rights.TasksRead, func(c ctx, h h, by by) error { _, err := h.CountTasks(c, by, service.TaskFilter{}); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error {
				_, err := h.CountTasks(c, by, service.TaskFilter{Person: "*"})
				return err
			}},
		},
		"CancelTasks": {
			{rights.TasksCancel, func(c ctx, h h, by by) error {
				_, err := h.CancelTasks(c, by, []string{string(h.task(by.Person).ID)}, "", "")
				return err
			}},
			{rights.OthersChange, func(c ctx, h h, by by) error {
				list, err := h.CancelTasks(c, by, []string{string(h.task(other(by)).ID)}, "*", "")
				return onlyOf(list, err)
			}},
		},
		"RetryTasks": {
			{rights.TasksRetry, func(c ctx, h h, by by) error {
				_, err := h.RetryTasks(c, by, []string{string(h.task(by.Person).ID)}, "", nil)
				return err
			}},
			{rights.OthersChange, func(c ctx, h h, by by) error {
				list, err := h.RetryTasks(c, by, []string{string(h.task(other(by)).ID)}, "*", nil)
				return onlyOf(list, err)
			}},
		},
		"UsageGroups": {
			{rights.UsageRead, func(c ctx, h h, by by) error {
				_, err := h.UsageGroups(c, by, "", noon, service.UsageByTree, 1)
				return err
			}},
			{rights.OthersRead, func(c ctx, h h, by by) error {
				_, err := h.UsageGroups(c, by, "*", noon, service.UsageByTree, 1)
				return err
			}},
		},
		"TaskTimeline": {
			{rights.TasksRead, func(c ctx, h h, by by) error { _, err := h.TaskTimeline(c, by, "t-none", "", true); return err }},
			{rights.OthersRead, func(c ctx, h h, by by) error { _, err := h.TaskTimeline(c, by, "t-none", "*", true); return err }},
		},
	}
}

func onlyOf(list []service.BulkTask, err error) error {
	if err != nil || len(list) != 1 {
		return err
	}
	return list[0].Err
}
