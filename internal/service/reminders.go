package service

import (
	"cmp"
	"context"
	"errors"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/temporal/dispatch"
	"errand/internal/texts"
	"errand/internal/when"
)

// Reminders has the operations on reminders, which wake a conversation when they are due.
type Reminders struct {
	*Env
	dispatch     *dispatch.Dispatcher
	agents       *Agents
	messageBytes int // limit of a text
}

func (r *Reminders) bind(runner *ops.Runner) {
	ops.Bind(runner, api.ListReminders, r.list)
	ops.Bind(runner, api.CreateReminder, r.create)
	ops.Bind(runner, api.ChangeReminder, r.change)
	ops.Bind(runner, api.CancelReminder, r.cancel)
	ops.Bind(runner, api.ListRemindersByTool, r.listByTool)
	ops.Bind(runner, api.CreateReminderByTool, r.createByTool)
	ops.Bind(runner, api.CancelReminderByTool, r.cancelByTool)
}

func (r *Reminders) list(ctx context.Context, by actor.Actor, in api.ListRemindersInput) (out api.List[core.Reminder], err error) {
	f := store.ReminderFilter{Person: by.Person, Limit: in.Limit}
	if in.Session != "" {
		f.Person, f.Key, err = "", in.Session, r.reads(by, in.Session)
	}
	if err != nil {
		return out, err
	}
	if f.After, err = ParseCursor(api.ListReminders.Name, in.After.After); err != nil {
		return out, err
	}
	found, err := paged(r.Store.Reminders(ctx, f, in.All))
	list := make([]core.Reminder, len(found))
	for i, one := range found {
		list[i] = r.worded(by, one)
	}
	return page(api.ListReminders.Name, in.Limit, list, store.PositionOfReminder), err
}

// inChat lists the actor's coming reminders in one of their conversations.
func (r *Reminders) inChat(ctx context.Context, by actor.Actor, key core.SessionKey) ([]core.Reminder, error) {
	found, err := r.Store.Reminders(ctx, store.ReminderFilter{Person: by.Person, Key: key, Limit: store.MaxReminders}, false)
	list := make([]core.Reminder, len(found))
	for i, one := range found {
		list[i] = r.worded(by, one)
	}
	return list, err
}

// create sets a reminder for the actor. A conversation without messages begins with it, so that the
// person finds it in the list of chats. Errors about the time are in the actor's language.
func (r *Reminders) create(ctx context.Context, by actor.Actor, in api.CreateReminderInput) (core.Reminder, error) {
	// The right to the tool applies here too. Otherwise people could bypass it.
	if err := r.MayUse(by, rights.Tool, "remind_me"); err != nil {
		return core.Reminder{}, err
	}
	route, err := WebRoute(cmp.Or(in.Body.Chat, "main"))
	if err != nil {
		return core.Reminder{}, err
	}
	to := store.Reminder{Key: core.NewSessionKey(route, by.Person), Role: by.Role}
	to.Person, to.Text = by.Person, in.Body.Text
	current, err := r.Store.Current(ctx, to.Key)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return core.Reminder{}, err
	}
	to.Session, to.Group = current.ID, current.Group
	out, err := r.add(ctx, to, when.Time{Words: in.Body.When}, by.TimeZone)
	if err == nil && to.Session == "" {
		if _, err := r.agents.openSession(ctx, to.Key); err != nil {
			r.Logger.Warn("the chat of a reminder is not in the list", "reminder", out.ID, "error", err) // the reminder is set
		}
	}
	return r.worded(by, out), r.timeError(by, err)
}

// change sets a reminder with the new time and text before it ends the old one: if it fails in
// between, the person is reminded twice, and not never.
func (r *Reminders) change(ctx context.Context, by actor.Actor, in api.ChangeReminderInput) (core.Reminder, error) {
	if err := r.MayUse(by, rights.Tool, "remind_me"); err != nil {
		return core.Reminder{}, err
	}
	old, err := r.Store.FindReminder(ctx, in.ID, store.ReminderFilter{Person: by.Person})
	if err != nil {
		return core.Reminder{}, Known(err)
	}
	if old.State != core.ReminderActive {
		return core.Reminder{}, conflict("over", "refusal.reminder_over", "reminder", old.ID)
	}
	if route, _, err := old.Key.Parse(); err != nil || route.Channel != core.ChannelWeb || old.Group {
		return core.Reminder{}, conflict("elsewhere", "refusal.reminder_elsewhere", "reminder", old.ID)
	}
	to := store.Reminder{Key: old.Key, Session: old.Session, Role: core.Lesser(old.Role, by.Role), Spec: old.Spec, Replaces: old.ID}
	to.Person, to.Agent, to.Text, to.Next = old.Person, old.Agent, cmp.Or(in.Body.Text, old.Text), old.Next
	var out store.Reminder
	if in.Body.When != "" {
		out, err = r.add(ctx, to, when.Time{Words: in.Body.When}, by.TimeZone)
	} else if to.Text, err = CleanText(to.Text, r.messageBytes); err == nil {
		out, err = r.set(ctx, to)
	}
	if err != nil {
		return core.Reminder{}, r.timeError(by, err)
	}
	_, err = r.end(ctx, old)
	return r.worded(by, out), err
}

// timeError returns an error about a time in the actor's language.
func (r *Reminders) timeError(by actor.Actor, err error) error {
	var bad *when.Error
	if errors.As(err, &bad) {
		return r.badTime(r.Texts.For(by.Language, r.Language), bad)
	}
	return err
}

// createFor sets a reminder for a tool call, once. Errors about the time are in English, for the
// model.
func (r *Reminders) createByTool(ctx context.Context, by actor.Actor, in api.CreateReminderByToolInput) (api.ToolReminder, error) {
	p, err := r.Store.Person(ctx, by.Person)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return api.ToolReminder{}, err
	}
	to := store.Reminder{Key: by.Here, Session: in.Session, Role: by.Role, Group: in.Group, Call: in.Call.String()}
	to.Person, to.Agent, to.Text = by.Person, by.Agent(), in.Text
	out, err := r.add(ctx, to, when.Time{At: in.At, Rule: in.Rule, Zone: in.Zone, Words: in.When}, p.TimeZone)
	var bad *when.Error
	if errors.As(err, &bad) {
		err = r.badTime(r.Texts.For(texts.English), bad)
	}
	if err != nil {
		return api.ToolReminder{}, err
	}
	return toolReminder(out), nil
}

func (r *Reminders) listByTool(ctx context.Context, by actor.Actor, in api.ListRemindersByToolInput) ([]api.ToolReminder, error) {
	found, err := r.Store.Reminders(ctx, store.RemindersFor(by.Person, by.Here, in.Group), false)
	list := make([]api.ToolReminder, len(found))
	for i, one := range found {
		list[i] = toolReminder(one)
	}
	return list, err
}

// cancel ends a reminder: the actor's own, or any if the actor may change other people's things.
func (r *Reminders) cancel(ctx context.Context, by actor.Actor, in api.CancelReminderInput) (core.Reminder, error) {
	found, err := r.Store.FindReminder(ctx, in.ID, store.ReminderFilter{Person: by.Person})
	if errors.Is(err, store.ErrNotFound) && r.changesOthers(by) == nil {
		found, err = r.Store.FindReminder(ctx, in.ID, store.ReminderFilter{})
	}
	if err != nil {
		return core.Reminder{}, Known(err)
	}
	out, err := r.end(ctx, found)
	return r.worded(by, out), err
}

func (r *Reminders) cancelByTool(ctx context.Context, by actor.Actor, in api.CancelReminderByToolInput) (core.Reminder, error) {
	found, err := r.Store.FindReminder(ctx, in.ID, store.RemindersFor(by.Person, by.Here, in.Group))
	if err != nil {
		return core.Reminder{}, Known(err)
	}
	out, err := r.end(ctx, found)
	return out.Reminder, err
}

// add sets a reminder. It reads at in zone or, if zone is empty, in the installation's zone. So it
// does in groups, because their people may be in several zones.
func (r *Reminders) add(ctx context.Context, in store.Reminder, at when.Time, zone string) (store.Reminder, error) {
	var err error
	if in.Text, err = CleanText(in.Text, r.messageBytes); err != nil {
		return in, err
	}
	if in.Call != "" {
		// At a retry the time may have passed, and Spec would refuse it.
		there, err := r.Store.ReminderOf(ctx, in.Call)
		if err == nil {
			return there, r.dispatch.StartReminder(ctx, there.ID)
		}
		if !errors.Is(err, store.ErrNotFound) {
			return in, err
		}
	}
	now := r.Store.Now()
	if in.Group || in.Key.Shared() {
		zone = ""
	}
	if in.Spec, err = at.Spec(now, when.ZoneOr(zone, r.Zone)); err != nil {
		return in, err
	}
	in.Next, _ = in.Spec.Next(now) // Spec has checked that there is a next time
	return r.set(ctx, in)
}

// set stores a reminder and starts its workflow.
func (r *Reminders) set(ctx context.Context, in store.Reminder) (store.Reminder, error) {
	out, err := r.Store.CreateReminder(ctx, in)
	switch {
	case errors.Is(err, store.ErrTooMany):
		return out, Refuse(KindTooMany, "too_many", "refusal.many_reminders", "number", store.MaxReminders)
	case errors.Is(err, store.ErrTooLarge):
		return out, Refuse(KindTooLarge, "too_large", "refusal.long_reminder", "most", store.MaxReminderText, "number", len(in.Text))
	case err != nil:
		return out, err
	}
	r.Logger.Info("reminder set", "reminder", out.ID, "channel", out.Channel, "chat", out.Chat, "next", out.Next)
	if err := r.dispatch.StartReminder(ctx, out.ID); err != nil {
		r.Logger.Warn("reminder not started; the watchdog will start it", "reminder", out.ID, "error", err)
	}
	return out, nil
}

// end closes the row first. After that the reminder cannot fire.
func (r *Reminders) end(ctx context.Context, found store.Reminder) (store.Reminder, error) {
	if found.State == core.ReminderDone {
		return found, conflict("over", "refusal.reminder_over", "reminder", found.ID)
	}
	out, err := r.Store.CancelReminder(ctx, found.ID)
	if err != nil {
		return out, Known(err)
	}
	if err := r.dispatch.StopReminder(ctx, out.ID); err != nil {
		// The workflow notices at the due time.
		r.Logger.Warn("canceled reminder: workflow not canceled", "reminder", out.ID, "error", err)
	}
	r.Logger.Info("reminder canceled", "reminder", out.ID)
	return out, nil
}

// worded returns a reminder for the actor. People read its time in their language.
func (r *Reminders) worded(by actor.Actor, one store.Reminder) core.Reminder {
	if by.Reads != "" {
		one.When = r.Texts.For(by.Reads).Schedule(one.Spec)
	}
	return one.Reminder
}

func toolReminder(r store.Reminder) api.ToolReminder {
	phrases := texts.Shipped()
	out := api.ToolReminder{Reminder: r.Reminder, Comes: phrases.Schedule(r.Spec)}
	switch {
	case r.Next.IsZero():
		out.Comes = phrases.Localize("reminder.over", "when", out.Comes)
	case r.Spec.Recurs():
		out.Comes = phrases.Localize("reminder.next", "when", out.Comes, "next", phrases.Date(r.Next.In(r.Spec.In())))
	}
	return out
}
