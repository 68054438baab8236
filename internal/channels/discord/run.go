package discord

import (
	"context"
	"sync"

	"github.com/bwmarrin/discordgo"

	"errand/internal/channels"
	"errand/internal/intake"
	"errand/internal/platform/discord"
)

// A run is what a channel knows from when it is started until it is stopped.
type run struct {
	*Channel
	ctx   context.Context // of the chats, which outlive a connection
	stop  context.CancelFunc
	group sync.WaitGroup

	// Of the goroutine that is connected.
	session  session
	failures int // in a row
	cursors  []intake.Cursor
	shown    bool // our commands

	me  discordgo.User // set before the first event
	app string

	since    uint64        // what came before was told by the session before
	fetching chan struct{} // few ask for missed messages at once

	mu      sync.Mutex
	over    bool // no chat begins to work any more
	status  channels.Status
	waiting map[string]error // what cannot be taken in, by chat
	chats   map[string]*chat
	places  map[string]place
	lost    map[uint64]bool           // servers that we are not in any more
	roles   map[string]string         // names by id
	seen    map[string]intake.Inbound // by message: who wrote it, and where
	pressed map[string]bool           // interactions
	newest  uint64                    // the message with the highest number that was taken in, anywhere
}

// A place is what is known of a channel.
type place struct {
	guild string          // empty: direct messages
	with  *discordgo.User // whose they are
	name  string
}

// mostSeen bounds what is remembered of messages and interactions.
const mostSeen = 10_000

func newRun(c *Channel) *run {
	ctx, stop := context.WithCancel(context.Background()) // ends with Run, after what it waits for
	return &run{Channel: c, ctx: ctx, stop: stop, fetching: make(chan struct{}, 3), waiting: map[string]error{}, chats: map[string]*chat{},
		places: map[string]place{}, lost: map[uint64]bool{}, roles: map[string]string{}, seen: map[string]intake.Inbound{}, pressed: map[string]bool{}}
}

// end stops everything, and waits until nothing of it goes on. What is not taken
// in is fetched by whoever runs next.
func (r *run) end() {
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	r.stop()
	r.group.Wait()
}

func (r *run) ended() bool { return r.ctx.Err() != nil }

// loadCursors finds out how far our chats have come, before a session begins: what
// happens from now on will be told by it.
func (r *run) loadCursors(ctx context.Context) error {
	list, err := r.Memory.Cursors(ctx, discord.Channel, r.Account)
	if err != nil {
		return &intakeError{err}
	}
	r.cursors = list
	return nil
}

// begin begins a session: whatever came since the last is fetched, in each chat
// before what comes next.
func (r *run) begin(e *discordgo.Ready) {
	if r.me.ID == "" { // who reads it was not there before
		r.me = *e.User
		if e.Application != nil {
			r.app = e.Application.ID
		}
	}
	r.mu.Lock()
	after := map[string]uint64{}
	for _, c := range r.cursors {
		last := discord.ParseID(c.Last)
		if c.Last == "" {
			last = discord.LastIDBefore(c.Since)
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

// unsettled is how much later a message of one chat may be taken in than one of
// another that was written after it, as snowflakes count: two minutes.
const unsettled = uint64(2*60*1000) << 22

// guild notes a guild. Of its channels that we have taken nothing from yet, those
// are fetched in which something was written since we took in anything at all.
func (r *run) guild(g *discordgo.Guild) {
	after := max(discord.LastIDBefore(g.JoinedAt), r.since-min(r.since, unsettled))
	r.mu.Lock()
	if r.lost[discord.ParseID(g.ID)] { // we are asked in again
		delete(r.lost, discord.ParseID(g.ID))
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
		if last := discord.ParseID(c.LastMessageID); !known && r.since > 0 && last > after {
			r.put(c.ID, item{fetch: true, after: after})
		}
	}
}

// forgetGuild notes that a guild is not there any more, for a while or for us.
func (r *run) forgetGuild(g *discordgo.Guild) {
	if g.Unavailable {
		r.Logger.Warn("Discord has trouble with a server: what is written there comes in later", "server", discord.ParseID(g.ID))
		return
	}
	r.Logger.Warn("the bot was taken out of a server, or there is no such server any more", "server", discord.ParseID(g.ID))
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.lost) >= mostSeen {
		clear(r.lost)
	}
	r.lost[discord.ParseID(g.ID)] = true
	r.show()
}

// place notes a channel; true if messages of it were taken in before.
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

// remember notes who wrote a message, for when it is deleted: that is told
// without saying whose it was.
func (r *run) remember(in intake.Inbound) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.seen) >= mostSeen {
		clear(r.seen)
	}
	r.seen[in.MessageID] = intake.Inbound{Route: in.Route, Sender: in.Sender, Group: in.Group, MessageID: in.MessageID}
	r.newest = max(r.newest, discord.ParseID(in.MessageID))
}

// first reports whether an interaction is told for the first time.
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
