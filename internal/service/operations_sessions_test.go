package service_test

import (
	"context"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/test/servicetest"
)

func usesOfSessions() map[string]use {
	return map[string]use{
		"listSessions": onTheirs(api.ListSessions, func(p api.Person) api.ListSessionsInput { return api.ListSessionsInput{Person: p} }),
		"searchSessions": onTheirs(api.SearchSessions, func(p api.Person) api.SearchSessionsInput {
			return api.SearchSessionsInput{Text: "tea", Person: p}
		}),
		"getSession": onSession(api.GetSession, func(id api.SessionID) api.SessionID { return id }),
		"listCalls": onSession(api.ListCalls, func(id api.SessionID) api.ListCallsInput {
			return api.ListCallsInput{SessionID: id, Turn: 1}
		}),
		"exportSession": onSession(api.ExportSession, func(id api.SessionID) api.ExportSessionInput {
			return api.ExportSessionInput{SessionID: id}
		}),
		"deleteSession": onSession(api.DeleteSession, func(id api.SessionID) api.DeleteSessionInput {
			return api.DeleteSessionInput{SessionID: id}
		}),
		"getTurnUsage": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.GetTurnUsage, by, api.TurnUsageInput{Session: "none", Turn: 1})
		}},
	}
}

// onTheirs uses an operation on things of the actor, and of all people.
func onTheirs[In, Out any](op api.Op[In, Out], in func(api.Person) In) use {
	return use{
		own: func(ctx context.Context, h *house, by actor.Actor) error { return do(ctx, h, op, by, in(api.Person{})) },
		others: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, op, by, in(api.Person{Person: "*"}))
		},
	}
}

// onSession uses an operation on a session of the actor, and on one of another person. Actors who may
// not read that one do not find it.
func onSession[In, Out any](op api.Op[In, Out], in func(api.SessionID) In) use {
	return use{
		own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, op, by, in(api.SessionID{ID: h.session(by.Person)}))
		},
		others: func(ctx context.Context, h *house, by actor.Actor) error {
			err := do(ctx, h, op, by, in(api.SessionID{ID: h.session(other(by))}))
			if isNotFound(err) {
				return service.Forbidden("hidden")
			}
			return err
		},
	}
}

func usesOfChats() map[string]use {
	return map[string]use{
		"listChats": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.ListChats, by, api.ListChatsInput{})
		}},
		"changeChat": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			in := api.ChangeChatInput{ID: h.session(by.Person)}
			in.Body.Pinned = new(true)
			return do(ctx, h, api.ChangeChat, by, in)
		}},
		"openChat": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.OpenChat, by, api.OpenChatInput{ChatName: api.ChatName{Chat: "main"}})
		}},
		"resetChat": {
			own: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.ResetChat, by, api.ResetChatInput{ChatName: api.ChatName{Chat: "main"}})
			},
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				_, err := servicetest.Reset(ctx, h.Service, by, chatOf(other(by)), "", "m")
				return err
			},
		},
		"getChatStatus": onChat(api.GetChatStatus, func(k api.ConversationKey) api.ConversationKey { return k }),
		"getChatHistory": onChat(api.GetChatHistory, func(k api.ConversationKey) api.ChatHistoryInput {
			return api.ChatHistoryInput{ConversationKey: k, Limit: 1}
		}),
		"stopChat":    stops(),
		"getBusyMode": onChat(api.GetBusyMode, func(k api.ConversationKey) api.ConversationKey { return k }),
		"setBusyMode": onChat(api.SetBusyMode, func(k api.ConversationKey) api.SetBusyModeInput {
			return api.SetBusyModeInput{ConversationKey: k, ID: "m", Mode: "collect"}
		}),
		"listAgents": onChat(api.ListAgents, func(k api.ConversationKey) api.ListAgentsInput {
			return api.ListAgentsInput{ConversationKey: k}
		}),
		"getActiveAgent": onChat(api.GetActiveAgent, func(k api.ConversationKey) api.ConversationKey { return k }),
		"switchAgent": onChat(api.SwitchAgent, func(k api.ConversationKey) api.SwitchAgentInput {
			return api.SwitchAgentInput{ConversationKey: k}
		}),
		"listCommands": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.ListCommands, by, api.None{})
		}},
	}
}

// onChat uses an operation on a conversation of the actor, and on one of another person.
func onChat[In, Out any](op api.Op[In, Out], in func(api.ConversationKey) In) use {
	on := func(ctx context.Context, h *house, by actor.Actor, key core.SessionKey) error {
		return do(ctx, h, op, by, in(api.ConversationKey{Key: key}))
	}
	return use{
		own:    func(ctx context.Context, h *house, by actor.Actor) error { return on(ctx, h, by, chatOf(by.Person)) },
		others: func(ctx context.Context, h *house, by actor.Actor) error { return on(ctx, h, by, chatOf(other(by))) },
	}
}

// stops writes each deed of stopChat: the first use ends a task and an approval, the second a turn.
func stops() use {
	u := onChat(api.StopChat, func(k api.ConversationKey) api.StopChatInput { return api.StopChatInput{ConversationKey: k, All: true} })
	write := func(h *house, by actor.Actor, id string) error {
		_, err := h.store.Accept(h.t.Context(), store.InboxMessage{Route: core.WebRoute("main"), Person: by.Person, Role: by.Role, MessageID: id, Text: "a secret"})
		return err
	}
	u.audits = []func(context.Context, *house, actor.Actor) error{
		func(ctx context.Context, h *house, by actor.Actor) error {
			id, key := h.session(by.Person), chatOf(by.Person)
			if err := write(h, by, "m1"); err != nil {
				return err
			}
			step := store.BeginStep{Key: core.StepKey{Owner: core.SessionOwner(id), Turn: 1, Step: 1}, Session: key, Window: 40, Rows: store.ClaimAll}
			h.askedIn(step, true)
			step.Key.Step = 2
			b, err := h.store.BeginStep(h.t.Context(), step)
			if err != nil {
				return err
			}
			if _, err := h.store.CommitStep(h.t.Context(), store.CommitStep{Step: b, Text: "I have asked."}); err != nil {
				return err
			}
			origin := core.Origin{Route: core.WebRoute("main"), Person: by.Person, Role: by.Role, Session: id, SessionKey: key, Depth: 1}
			if _, err := h.store.CreateTask(h.t.Context(), origin, store.NewTask{Agents: []core.AgentName{"trains"}, Text: "find trains"}, ""); err != nil {
				return err
			}
			return u.own(ctx, h, by)
		},
		func(ctx context.Context, h *house, by actor.Actor) error {
			if err := write(h, by, "m2"); err != nil {
				return err
			}
			return u.own(ctx, h, by)
		},
	}
	return u
}
