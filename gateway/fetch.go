package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"errand/internal/content"
	"errand/store"
	"errand/texts"
)

// Bounds of what a message may bring, besides AttachmentBytes.
const (
	mostAttachments = 10
	fetchTimeout    = 30 * time.Second // for each
	// mostFetches is how often a message is received before it is taken without
	// what could not be fetched: those behind it are waiting.
	mostFetches = 3
)

// A fetched is what came with a message, and what there is to say about what is
// not taken: to the agent in note, to the sender in told.
type fetched struct {
	kept []store.NewArtifact
	note []string
	told []string
}

// fetch reads what a message came with. An error says that it has to be received
// again.
func (g *Gateway) fetch(ctx context.Context, in Inbound, t texts.Texts) (fetched, error) {
	var out fetched
	room := g.AttachmentBytes
	for i, a := range in.Attachments {
		name := content.Name(a.Name, a.Type)
		switch {
		case i >= mostAttachments:
			out.refuse(name, "there are too many", t.Say("attachment.many", "name", name, "limit", fmt.Sprint(mostAttachments)))
			continue
		case g.AttachmentBytes <= 0:
			out.refuse(name, "none are taken here", t.Say("attachment.none", "name", name))
			continue
		case a.Voice && !g.Hears:
			out.refuse(name, "it is spoken, and nobody here can write it down", t.Say("voice.none"))
			continue
		}
		data, err := g.readAttachment(ctx, a, room)
		var large *TooLargeError
		switch {
		case errors.As(err, &large):
			limit := content.Size(min(large.Limit, g.AttachmentBytes))
			out.refuse(name, "it is too large: at most "+limit, t.Say("attachment.large", "name", name, "limit", limit))
			continue
		case errors.Is(err, ErrGone):
			out.note = append(out.note, "[attached and not there any more: "+name+"]")
			out.told = append(out.told, t.Say("attachment.gone", "name", name))
		case ctx.Err() != nil:
			return out, ctx.Err()
		case err != nil && g.tries.again(in.key()):
			return out, fmt.Errorf("fetch what a message came with: %w", err)
		case err != nil:
			g.Logger.Warn("taken without what it came with", "channel", in.Route.Channel, "chat", in.Route.Chat, "error", err)
			out.note = append(out.note, "[attached, and it could not be fetched: "+name+"]")
			out.told = append(out.told, t.Say("attachment.gone", "name", name))
		default:
			room -= int64(len(data))
			typ := content.TypeOf(data)
			out.kept = append(out.kept, store.NewArtifact{Name: content.Name(a.Name, typ), Type: typ, Voice: a.Voice, Data: data})
		}
	}
	g.tries.forget(in.key())
	return out, nil
}

func (f *fetched) refuse(name, why, told string) {
	f.note = append(f.note, "[attached and not taken, for "+why+": "+name+"]")
	f.told = append(f.told, told)
}

// readAttachment reads an attachment of at most limit bytes, whatever is claimed
// of its size.
func (g *Gateway) readAttachment(ctx context.Context, a Attachment, limit int64) ([]byte, error) {
	tooLarge := &TooLargeError{g.AttachmentBytes}
	if a.Most > 0 {
		tooLarge.Limit = min(tooLarge.Limit, a.Most)
	}
	if a.Size > min(limit, tooLarge.Limit) {
		return nil, tooLarge
	}
	if a.Open == nil {
		return nil, ErrGone
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	r, err := a.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = tooLarge
	}
	return data, err
}

// key names a message of a platform among all.
func (in Inbound) key() string {
	return strings.Join([]string{in.Route.Channel, in.Route.Account, in.Route.Chat, in.MessageID, fmt.Sprint(in.Revision)}, "\x00")
}

// tries counts how often messages could not be had whole. It is not kept over a
// restart: then they are tried as often once more.
type tries struct {
	mu     sync.Mutex
	counts map[string]int
}

// mostTries is how many messages are counted at once.
const mostTries = 1000

// again counts a failure, and reports whether it is worth another attempt.
func (t *tries) again(key string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil || len(t.counts) >= mostTries {
		t.counts = map[string]int{}
	}
	t.counts[key]++
	return t.counts[key] < mostFetches
}

func (t *tries) forget(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.counts, key)
}
