package config

import (
	"math"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"errand/internal/agents"
)

func (l *loader) sections(root *mapping) {
	c := l.cfg
	if m := root.section("sessions"); m != nil {
		s := &c.Sessions
		m.duration("suspend_after", &s.SuspendAfter, time.Second)
		choice(m, "busy", &s.Busy, Collect, Steer, Queue, Interrupt)
		m.duration("patience", &s.Patience, 0)
		m.duration("fold_window", &s.FoldWindow, 0)
		m.duration("fold_timeout", &s.FoldTimeout, time.Second)
		m.number("max_steps", &s.MaxSteps, 1, agents.MaxMaxSteps)
		m.number("window", &s.Window, 1, 10_000)
		m.age("end_after", &s.EndAfter)
		m.text("title_model", &s.TitleModel)
		l.titleLine = m.lineOf("title_model")
		choice(m, "begin_with", &s.BeginWith, BeginPrimary, BeginLast)
		m.boolean("check_promises", &s.Promises)
		m.boolean("sticky", &s.Sticky)
		m.duration("sticky_for", &s.StickyFor, time.Minute)
		l.groups(m)
		m.done()
	}
	if m := root.section("delegation"); m != nil {
		m.number("max_depth", &c.Delegation.MaxDepth, 1, 10)
		m.number("pair_per_hour", &c.Delegation.PairPerHour, 0, 100_000)
		m.done()
	}
	if m := root.section("team"); m != nil {
		m.number("at_once", &c.Team.AtOnce, 1, 1000)
		m.number("per_minute", &c.Team.PerMinute, 1, 1000)
		m.number("pair_per_minute", &c.Team.PairPerMinute, 1, 1000)
		m.number("messages", &c.Team.Messages, 1, 20)
		m.boolean("admins_only", &c.Team.AdminsOnly)
		m.done()
	}
	if m := root.section("budgets"); m != nil {
		m.budget("turn", &c.Budgets.Turn)
		m.budget("person_day", &c.Budgets.PersonDay)
		m.done()
	}
	if m := root.section("temporal"); m != nil {
		m.boolean("titles", &c.Temporal.Titles)
		m.boolean("search_attributes", &c.Temporal.SearchAttributes)
		m.done()
	}
	choice(root, "durability", &c.Durability, DurabilityNormal, DurabilityFull)
	if m := root.section("slots"); m != nil {
		c.Slots.read(m)
		m.done()
	}
	if m := root.section("limits"); m != nil {
		m.number("message_bytes", &c.Limits.MessageBytes, 1, 1<<20)
		m.number("attachment_bytes", &c.Limits.AttachmentBytes, 0, 200_000_000)
		if d := m.section("attachment_bytes_per_day"); d != nil {
			d.number("person", &c.Limits.PerDay.Person, 0, math.MaxInt)
			d.number("all", &c.Limits.PerDay.All, 0, math.MaxInt)
			d.done()
		}
		if w := m.section("workspace_bytes"); w != nil {
			w.number("person", &c.Limits.Workspaces.Person, 0, math.MaxInt)
			w.number("all", &c.Limits.Workspaces.All, 0, math.MaxInt)
			w.done()
		}
		m.number("open_tasks", &c.Limits.OpenTasks, 0, 1_000_000)
		m.number("downloads", &c.Limits.Downloads, 1, 100)
		if r := m.section("messages_per_minute"); r != nil {
			r.number("person", &c.Limits.PerMinute.Person, 0, 100_000)
			r.number("channel", &c.Limits.PerMinute.Channel, 0, 1_000_000)
			r.done()
		}
		m.done()
	}
	root.zone("time_zone", &c.TimeZone)
	if m := root.section("retention"); m != nil {
		m.age("transcripts", &c.Retention.Transcripts)
		m.age("deliveries", &c.Retention.Deliveries)
		m.age("usage_detail", &c.Retention.UsageDetail)
		m.age("memory", &c.Retention.Memory)
		m.age("audit", &c.Retention.Audit)
		m.done()
	}
	if m := root.section("maintenance"); m != nil {
		m.boolean("enabled", &c.Maintenance.Enabled)
		m.clock("at", &c.Maintenance.At)
		m.done()
	}
	l.approvals(root.section("approvals"))
	if m := root.section("questions"); m != nil {
		m.questions(&c.Questions)
		m.done()
	}
	if m := root.section("quiet_hours"); m != nil {
		m.quietHours(&c.QuietHours)
		m.done()
	}
}

// budget reads one budget; what it leaves out keeps its default.
func (m *mapping) budget(key string, b *Budget) {
	s := m.section(key)
	s.number("calls", &b.Calls, 0, math.MaxInt)
	s.number("tokens", &b.Tokens, 0, math.MaxInt)
	s.money("cost", &b.Cost)
	s.done()
}

// groups reads group_sessions: one mode for all group chats, or one for each.
func (l *loader) groups(sessions *mapping) {
	s, n := &l.cfg.Sessions, sessions.get("group_sessions")
	if n == nil || n.Kind != yaml.MappingNode {
		choice(sessions, "group_sessions", &s.Groups, OwnSessions, SharedSessions)
		return
	}
	m := sessions.section("group_sessions")
	s.GroupChats = make(map[string]GroupMode, len(m.names))
	for _, chat := range m.names {
		mode := OwnSessions
		choice(m, chat, &mode, OwnSessions, SharedSessions)
		switch {
		case chat == "default":
			s.Groups = mode
		case strings.Count(chat, "/") < 2:
			m.fault(m.lineOf(chat), chat, "a chat is named as channel/account/chat, such as telegram/main/-1001234567")
		default:
			s.GroupChats[chat] = mode
		}
	}
}

func (s *Slots) read(m *mapping) {
	m.number("turns", &s.Turns, 1, 10_000)
	m.number("tasks", &s.Tasks, 1, 10_000)
	m.number("store", &s.Store, 1, 10_000)
	m.number("deliveries", &s.Deliveries, 1, 10_000)
}
