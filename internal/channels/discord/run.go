package discord

import (
	"context"
	"sync"

	"github.com/bwmarrin/discordgo"

	"errand/internal/channels"
	"errand/internal/intake"
)

type run struct {
	*Channel
	ctx   context.Context // for the chats, which outlive a connection
	stop  context.CancelFunc
	group sync.WaitGroup

	// Used only by the goroutine that is connected.
	session  session
	failures int // in a row
	cursors  []intake.Cursor
	shown    bool // the command list is set

	me  discordgo.User // set before the first event
	app string

	since    uint64        // newest when the session began
	fetching chan struct{} // limits concurrent fetches of missed messages

	mu      sync.Mutex
	over    bool // no further chat may start to work
	status  channels.Status
	waiting map[string]error // errors of chats whose messages cannot be committed
	chats   map[string]*chat
	places  map[string]place
	lost    map[uint64]bool           // servers that removed the bot
	roles   map[string]string         // names by id
	seen    map[string]intake.Inbound // author and chat by message id
	pressed map[string]bool           // ids of handled interactions
	newest  uint64                    // the highest id of a received message in any chat
}

type place struct {
	guild string          // empty: direct messages
	with  *discordgo.User // the other person in direct messages
	name  string
}

// mostSeen limits the remembered messages and interactions.
const mostSeen = 10_000

func newRun(c *Channel) *run {
	ctx, stop := context.WithCancel(context.Background()) // cancelled at the end of Run
	return &run{Channel: c, ctx: ctx, stop: stop, fetching: make(chan struct{}, 3), waiting: map[string]error{}, chats: map[string]*chat{},
		places: map[string]place{}, lost: map[uint64]bool{}, roles: map[string]string{}, seen: map[string]intake.Inbound{}, pressed: map[string]bool{}}
}

// end waits until nothing runs. The next run fetches messages that were not committed.
func (r *run) end() {
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	r.stop()
	r.group.Wait()
}

func (r *run) ended() bool { return r.ctx.Err() != nil }

// loadCursors has to run before a session begins.
func (r *run) loadCursors(ctx context.Context) error {
	list, err := r.Memory.Cursors(ctx, Name, r.Account)
	if err != nil {
		return &intakeError{err}
	}
	r.cursors = list
	return nil
}

// begin fetches what arrived since the last session, before later messages are received.
func (r *run) begin(e *discordgo.Ready) {
	if r.me.ID == "" { // no goroutine reads it before this
		r.me = *e.User
		if e.Application != nil {
			r.app = e.Application.ID
		}
	}
	r.mu.Lock()
	after := map[string]uint64{}
	for _, c := range r.cursors {
		last := ParseID(c.Last)
		if c.Last == "" {
			last = LastIDBefore(c.Since)
		}
		after[c.Chat] = last
		r.newest = max(r.newest, last)
	}
	for id, c := range r.chats {
		after[id] = max(after[id], c.last)
		if after[id] == 0 {
			after[id] = r.newest
		}
	}
	r.since = r.newest
	since := r.since - min(r.since, unsettled)
	r.mu.Unlock()
	known := map[string]bool{}
	for id, last := range after {
		known[id] = true
		r.put(id, item{fetch: true, after: last})
	}
	r.firstMessages(known, since)
	if !r.shown && r.app != "" && len(r.Commands) > 0 {
		r.shown = true
		r.spawn(r.showCommands)
	}
	r.well()
}

// unsettled is two minutes in snowflakes. A chat may commit a message that much later than another
// chat commits a newer one.
const unsettled = uint64(2*60*1000) << 22

// guild fetches missed messages from channels that are not in the inbox yet: those that are newer
// than the last message in any chat.
func (r *run) guild(g *discordgo.Guild) {
	after := max(LastIDBefore(g.JoinedAt), r.since-min(r.since, unsettled))
	r.mu.Lock()
	if r.lost[ParseID(g.ID)] { // the bot was invited again
		delete(r.lost, ParseID(g.ID))
		r.show()
	}
	for _, role := range g.Roles {
		if role != nil {
			r.roles[role.ID] = role.Name
		}
	}
	r.mu.Unlock()
	for _, c := range append(g.Channels, g.Threads...) {
		if c == nil {
			continue
		}
		c.GuildID = g.ID
		known := r.place(c)
		if last := ParseID(c.LastMessageID); !known && r.since > 0 && last > after {
			r.put(c.ID, item{fetch: true, after: after})
		}
	}
}

// forgetGuild records that the bot was removed from a server. It only logs an outage of a server.
func (r *run) forgetGuild(g *discordgo.Guild) {
	if g.Unavailable {
		r.Logger.Warn("Discord has trouble with a server: what is written there comes in later", "server", ParseID(g.ID))
		return
	}
	r.Logger.Warn("the bot was removed from a server, or the server no longer exists", "server", ParseID(g.ID))
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.lost) >= mostSeen {
		clear(r.lost)
	}
	r.lost[ParseID(g.ID)] = true
	r.show()
}

// place stores what is known about a channel, and reports whether it was a chat before.
func (r *run) place(c *discordgo.Channel) (known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.places) >= mostSeen {
		clear(r.places)
	}
	p := place{guild: c.GuildID, name: c.Name}
	if c.GuildID == "" && len(c.Recipients) == 1 {
		p.with = c.Recipients[0]
	}
	r.places[c.ID] = p
	return r.chats[c.ID] != nil
}

// remember stores the author, because a deletion does not name them.
func (r *run) remember(in intake.Inbound) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.seen) >= mostSeen {
		clear(r.seen)
	}
	r.seen[in.MessageID] = intake.Inbound{Route: in.Route, Sender: in.Sender, Group: in.Group, MessageID: in.MessageID}
	r.newest = max(r.newest, ParseID(in.MessageID))
}

func (r *run) first(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pressed[id] {
		return false
	}
	if len(r.pressed) >= mostSeen {
		clear(r.pressed)
	}
	r.pressed[id] = true
	return true
}
