package telegram

import (
	"cmp"
	"context"
	"slices"

	"github.com/go-telegram/bot/models"
)

// Telegram delivers each picture of an album in a separate update and does not say how many there
// are. A polling channel leaves the updates of an album unconfirmed until all of them have arrived.
// A webhook has to confirm each update before Telegram sends the next.

// https://core.telegram.org/bots/api#sendmediagroup
const mostOfAlbum = 10

// https://core.telegram.org/bots/api#getupdates
const mostUpdates = 100

const mostAlbums = 200

type albumKey struct {
	chat  int64
	group string
}

func albumOf(u *models.Update) (albumKey, bool) {
	if u.Message == nil || u.Message.MediaGroupID == "" {
		return albumKey{}, false
	}
	return keyOf(u.Message), true
}

func keyOf(m *models.Message) albumKey { return albumKey{m.Chat.ID, m.MediaGroupID} }

// albums are lost in a restart. Telegram delivers unconfirmed albums again as a whole.
type albums struct {
	ours map[albumKey]bool              // albums that are addressed to errand
	held map[albumKey][]*models.Message // parts that arrived before it was known to be addressed
}

// block returns how many of the updates must be confirmed together, so that no album is confirmed
// in part.
func block(updates []*models.Update) int {
	n := 1
	for i := 0; i < n; i++ {
		key, ok := albumOf(updates[i])
		if !ok {
			continue
		}
		for j := len(updates) - 1; j >= n; j-- {
			if other, ok := albumOf(updates[j]); ok && other == key {
				n = j + 1
			}
		}
	}
	return n
}

// takeAll is false if it left updates because more parts of their album may follow.
func (c *Channel) takeAll(ctx context.Context, updates []*models.Update) (settled bool, err error) {
	before := c.waiting
	c.waiting = map[albumKey]int{}
	for _, u := range updates {
		if key, ok := albumOf(u); ok {
			c.waiting[key]++
		}
	}
	full := len(updates) >= mostUpdates
	for begin := 0; begin < len(updates); {
		end := begin + block(updates[begin:])
		grows := slices.ContainsFunc(updates[begin:end], func(u *models.Update) bool {
			key, ok := albumOf(u)
			return ok && c.waiting[key] < mostOfAlbum && c.waiting[key] != before[key]
		})
		cut := full && begin > 0 && end == len(updates) // the answer was full, so more parts may follow
		if _, album := albumOf(updates[end-1]); grows || album && cut {
			return false, nil
		}
		if err := c.takeBlock(ctx, updates[begin:end]); err != nil {
			return false, err
		}
		c.offset = max(c.offset, updates[end-1].ID+1)
		begin = end
	}
	return true, nil
}

func (c *Channel) takeBlock(ctx context.Context, updates []*models.Update) error {
	left := map[albumKey][]*models.Message{}
	for _, u := range updates {
		if key, ok := albumOf(u); ok {
			left[key] = append(left[key], u.Message)
		}
	}
	counts := map[albumKey]int{}
	for _, u := range updates {
		key, ok := albumOf(u)
		if !ok {
			if err := c.receiveUpdate(ctx, u); err != nil {
				return err
			}
			continue
		}
		if counts[key]++; counts[key] < len(left[key]) {
			continue
		}
		if err := c.guarded(u.ID, func() error { return c.album(ctx, left[key]) }); err != nil {
			return err
		}
	}
	return nil
}

// album combines the parts of an album into one message. In a group the album is addressed to
// errand if one part is.
func (c *Channel) album(ctx context.Context, parts []*models.Message) error {
	key := keyOf(parts[0])
	if !isGroup(parts[0].Chat) {
		return c.message(ctx, parts, 0)
	}
	parts = c.together(key, parts)
	if !slices.ContainsFunc(parts, c.addressed) {
		c.remember(func(a *albums) { a.held[key] = parts })
		return nil
	}
	if err := c.message(ctx, parts, 0); err != nil {
		return err
	}
	c.remember(func(a *albums) {
		a.ours[key] = true
		delete(a.held, key)
	})
	return nil
}

func (c *Channel) together(key albumKey, parts []*models.Message) []*models.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.Concat(c.albums.held[key], parts)
	slices.SortStableFunc(all, func(a, b *models.Message) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(all, func(a, b *models.Message) bool { return a.ID == b.ID })
}

func (c *Channel) remember(change func(*albums)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.albums.ours == nil || len(c.albums.ours) >= mostAlbums {
		c.albums.ours = map[albumKey]bool{}
	}
	if c.albums.held == nil || len(c.albums.held) >= mostAlbums {
		c.albums.held = map[albumKey][]*models.Message{}
	}
	change(&c.albums)
}

func (c *Channel) ours(m *models.Message) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return m.MediaGroupID != "" && c.albums.ours[keyOf(m)]
}

// head returns the part with the text, because an edit has the id of that part.
func head(parts []*models.Message) *models.Message {
	for _, m := range parts {
		if textOf(m) != "" {
			return m
		}
	}
	return parts[0]
}
