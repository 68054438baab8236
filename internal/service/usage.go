package service

import (
	"context"
	"strings"
	"time"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
)

// UsageBy says what usage is summed up by, under the name that pages and programs use.
type UsageBy = store.UsageBy

// What usage is summed up by.
const (
	UsageByDay    = store.UsageByDay
	UsageByAgent  = store.UsageByAgent
	UsageByPerson = store.UsageByPerson
	UsageByModel  = store.UsageByModel
	UsageByTree   = store.UsageByTree
)

// UsageBys returns all of them.
func UsageBys() []UsageBy {
	return []UsageBy{UsageByDay, UsageByAgent, UsageByPerson, UsageByModel, UsageByTree}
}

// A UsageGroup is what was used for one day, agent, person, model or tree.
type UsageGroup struct {
	store.UsageGroup
	Title   string           `json:"title,omitempty" description:"of a tree: its first task that is known, else the chat of its message, or nothing"`
	Task    errand.TaskID    `json:"task_id,omitempty" description:"of a tree: that task"`
	Session errand.SessionID `json:"session_id,omitempty" description:"of a tree that a message has set to work: of the chat; likewise where the key begins with title:, of what finding a title for it has cost"`
}

// UsageGroups returns what somebody has used since the beginning of a day, UTC, summed up:
// the actor, or, for those who may look at it, another; "*" is everybody.
func (s *Service) UsageGroups(ctx context.Context, by Actor, person errand.PersonID, since time.Time, sums UsageBy, limit int) ([]UsageGroup, error) {
	if err := s.may(by, rights.UsageRead); err != nil {
		return nil, err
	}
	person, err := s.whose(by, person)
	if err != nil {
		return nil, err
	}
	rows, err := s.Store.UsageGroups(ctx, person, since, sums, limit)
	if err != nil {
		return nil, err
	}
	list := make([]UsageGroup, len(rows))
	for i, r := range rows {
		list[i] = UsageGroup{UsageGroup: r}
	}
	if sums == UsageByTree {
		err = s.nameTrees(ctx, list)
	}
	return list, err
}

// nameTrees says of trees which they are. What was deleted meanwhile has no name.
func (s *Service) nameTrees(ctx context.Context, list []UsageGroup) error {
	roots := make([]string, len(list))
	for i := range list {
		roots[i] = list[i].Key
		if session, ok := strings.CutPrefix(roots[i], store.TitleTree); ok {
			list[i].Session = errand.SessionID(session)
		} else if rest, ok := strings.CutPrefix(roots[i], "turn:"); ok {
			if at := strings.LastIndexByte(rest, ':'); at > 0 {
				list[i].Session = errand.SessionID(rest[:at])
			}
		}
	}
	first, err := s.Store.FirstTasks(ctx, roots)
	if err != nil {
		return err
	}
	var chats []errand.SessionID
	for i := range list {
		t := first[list[i].Key]
		if list[i].Task, list[i].Title = t.ID, t.Title; t.ID == "" && list[i].Session != "" {
			chats = append(chats, list[i].Session)
		}
	}
	titles, err := s.Store.ChatTitles(ctx, chats)
	for i := range list {
		if list[i].Task == "" {
			list[i].Title = titles[list[i].Session]
		}
	}
	return err
}
