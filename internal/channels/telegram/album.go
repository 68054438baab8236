package telegram

import (
	"cmp"
	"context"
	"slices"

	"github.com/go-telegram/bot/models"
)

// Telegram delivers each picture of an album in an update of its own, and does not
// say how many there will be. When it is asked for updates, it keeps those of an
// album until all of them are there; a webhook has to confirm each before it gets
// the next.

// mostOfAlbum is how many pictures an album has at most
// (https://core.telegram.org/bots/api#sendmediagroup).
const mostOfAlbum = 10

// mostUpdates is how many one answer has at most
// (https://core.telegram.org/bots/api#getupdates).
const mostUpdates = 100

const mostAlbums = 200

// An albumKey names an album among all.
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

// albums is what is remembered of albums in groups. Not over a restart: those that
// are not confirmed come again whole.
type albums struct {
	ours map[albumKey]bool              // those that are for us
	held map[albumKey][]*models.Message // parts that came before it was known for whom they are
}

// block is how many of the updates are confirmed together, so that no album is
// confirmed in part: the first, or all up to the end of the albums that begin
// among them.
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

// takeAll takes updates in; settled is false if some are left, for more of their
// album may come.
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
		cut := full && begin > 0 && end == len(updates) // there may be more that did not fit
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

// album takes the parts of an album as one message. In a group, only one of them
// has its words, or replies: they are for us if that is.
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

// together is parts with those of the album that came before, each once.
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

// ours reports whether a message is a part of an album that was for us.
func (c *Channel) ours(m *models.Message) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return m.MediaGroupID != "" && c.albums.ours[keyOf(m)]
}

// head is the part of a message whose id is the message's: an edit of the words
// comes with the id of the part that has them.
func head(parts []*models.Message) *models.Message {
	for _, m := range parts {
		if textOf(m) != "" {
			return m
		}
	}
	return parts[0]
}
