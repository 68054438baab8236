package service

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/temporal/dispatch"
	"errand/internal/temporal/wire"
)

// maxChatName is in characters.
const maxChatName = 80

// Chats has the operations on current conversations, and on a person's list of them.
type Chats struct {
	*Env
	dispatch *dispatch.Dispatcher
	agents   *Agents
	tasks    *Tasks
	busy     wire.BusyMode     // the default
	models   map[string]string // see [Deps.Models]
}

func (c *Chats) bind(r *ops.Runner) {
	ops.Bind(r, api.ListChats, c.list)
	ops.Bind(r, api.ChangeChat, c.change)
	ops.Bind(r, api.ResetChat, c.reset)
	ops.Bind(r, api.GetChatStatus, c.status)
	ops.Bind(r, api.GetChatHistory, c.history)
	ops.Bind(r, api.StopChat, c.stop)
	ops.Bind(r, api.GetBusyMode, c.busyMode)
	ops.Bind(r, api.SetBusyMode, c.setBusyMode)
}

func (c *Chats) list(ctx context.Context, by actor.Actor, in api.ListChatsInput) (out api.List[core.Chat], err error) {
	after, err := ParseCursor(api.ListChats.Name, in.After.After)
	if err != nil {
		return out, err
	}
	list, err := paged(c.chatsOf(ctx, by, Page{After: after, Limit: in.Limit}))
	return page(api.ListChats.Name, in.Limit, list, store.PositionOfChat), err
}

// chatsOf returns the actor's chats. Waiting counts the open questions that the actor can answer.
func (e *Env) chatsOf(ctx context.Context, by actor.Actor, p Page) ([]core.Chat, error) {
	list, err := e.Store.Chats(ctx, by.Person, p)
	if err != nil || e.may(by, rights.QuestionsRead) != nil {
		return list, err
	}
	asked, err := e.Store.Questions(ctx, store.QuestionFilter{Person: by.Person, Open: true, Limit: maxWaiting})
	for _, q := range asked {
		i := slices.IndexFunc(list, func(c core.Chat) bool { return c.Route == q.Route })
		if i >= 0 && e.mayAnswer(by, q) {
			list[i].Waiting++
		}
	}
	return list, err
}

func (c *Chats) change(ctx context.Context, by actor.Actor, in api.ChangeChatInput) (api.ChangedChat, error) {
	to := core.ChatChange{Pinned: in.Body.Pinned, Archived: in.Body.Archived, Seen: in.Body.Seen}
	if in.Body.Name != nil {
		name, err := Words(strings.Join(strings.Fields(*in.Body.Name), " "), "name", maxChatName)
		if err != nil {
			return api.ChangedChat{}, err
		}
		to.Name = &name
	}
	if to == (core.ChatChange{}) {
		return api.ChangedChat{}, badRequest("empty", "name what to change: name, pinned, archived or seen")
	}
	return api.ChangedChat{Session: in.ID}, Known(c.Store.ChangeChat(ctx, by.Person, in.ID, to))
}

// reset ends the session of a conversation and starts another. A repeated message id resets it only
// once.
func (c *Chats) reset(ctx context.Context, by actor.Actor, in api.ResetChatInput) (out api.NewSession, err error) {
	key := in.Key
	if key == "" {
		if key, err = webKey(in.Chat, by.Person); err != nil {
			return out, err
		}
	}
	message, agent := cmp.Or(in.Body.MessageID, core.ShortID(16)), core.AgentName(strings.ToLower(strings.TrimSpace(in.Body.Agent)))
	if !IsExternalID(message) { // Temporal would refuse a longer one with an obscure error
		return out, BadMessageID()
	}
	command := "/new"
	if agent == "" {
		command = "/reset"
	}
	if err := cmp.Or(c.changes(by, key), c.forAll(by, key, command)); err != nil {
		return out, err
	}
	if agent == "" {
		out.Session, err = c.dispatch.ResetSession(ctx, key, message, wire.ResetUpdate{})
		return out, err
	}
	here := c.agents.rosterOf(key)
	if err := c.agents.maySwitch(by, here, here.Primary().Name, agent); err != nil {
		return out, err
	}
	active, err := c.agents.activeIn(ctx, key)
	if err != nil {
		return out, err
	}
	out.Session, err = c.dispatch.ResetSession(ctx, key, message, wire.ResetUpdate{Agent: agent, StickFor: here.StickFor(agent, c.agents.stickyFor)})
	if err == nil {
		c.agents.handedOver(key, active, agent, "new_session")
	}
	return out, err
}
