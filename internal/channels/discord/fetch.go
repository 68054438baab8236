package discord

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"
)

const onePage = 100

func (r *run) fetch(c *chat) error {
	where, err := r.whereIs(c.id)
	if err != nil {
		return r.unreadable(c, err)
	}
	for {
		r.mu.Lock()
		after := max(c.last, LastIDBefore(time.Now().Add(-r.Back)))
		r.mu.Unlock()
		var raw []json.RawMessage
		select {
		case r.fetching <- struct{}{}:
		case <-r.ctx.Done():
			return r.ctx.Err()
		}
		err := r.rest.Call(r.ctx, http.MethodGet, fmt.Sprintf("%s?limit=%d&after=%d", discordgo.EndpointChannelMessages(c.id), onePage, after), nil, &raw)
		<-r.fetching
		if err != nil {
			return r.unreadable(c, err)
		}
		list := r.readAll(raw)
		slices.SortFunc(list, func(a, b *discordgo.Message) int { return cmp.Compare(ParseID(a.ID), ParseID(b.ID)) })
		for _, m := range list {
			m.GuildID = where.guild // only events contain it
			if err := r.message(c, m, false); err != nil {
				return err
			}
		}
		if len(raw) < onePage || len(list) == 0 {
			return nil
		}
	}
}

func (r *run) readAll(raw []json.RawMessage) (list []*discordgo.Message) {
	for _, one := range raw {
		m, err := r.read(one)
		if err != nil {
			r.Logger.Error("message skipped, because it cannot be read", "error", err)
			continue
		}
		list = append(list, m)
	}
	return list
}

func (r *run) whereIs(id string) (place, error) {
	r.mu.Lock()
	known, ok := r.places[id]
	r.mu.Unlock()
	if ok {
		return known, nil
	}
	var c discordgo.Channel
	if err := r.rest.Call(r.ctx, http.MethodGet, discordgo.EndpointChannel(id), nil, &c); err != nil {
		return place{}, err
	}
	r.place(&c)
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.places[id], nil
}

// unreadable returns nil if the missed messages can never be read.
func (r *run) unreadable(c *chat, err error) error {
	if HasCode(err, discordgo.ErrCodeUnknownChannel, discordgo.ErrCodeMissingAccess, discordgo.ErrCodeMissingPermissions) {
		r.Logger.Info("cannot read missed messages of a chat", "chat", c.id, "error", err)
		return nil
	}
	return fmt.Errorf("fetch missed messages: %w", err)
}
