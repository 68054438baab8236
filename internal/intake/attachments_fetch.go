package intake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"errand/internal/content"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/texts"
)

// Bounds of what a message may bring, besides AttachmentBytes.
const (
	mostAttachments = service.MaxMessageFiles
	// mostFetches is how often a message is received before it is taken without
	// what could not be fetched: those behind it are waiting.
	mostFetches = 3
)

const unheardNote = "[it was spoken: nothing is set up here that writes it down, and the person has been told so]"

// A fetchResult is what came with a message, and what there is to say about what is
// not taken: to the agent in note, to the sender in notices, and in quotaNotices where it is
// that a day's bytes are used up.
type fetchResult struct {
	kept         []store.NewArtifact
	note         []string
	notices      []string
	quotaNotices []string
}

// fetch reads what a message came with. An error says that it has to be received
// again.
func (i *Intake) fetch(ctx context.Context, in message, t texts.Texts) (fetchResult, error) {
	day, err := i.service.Store.FilesLeft(ctx, in.by.Person)
	if err != nil {
		return fetchResult{}, err
	}
	var out fetchResult
	deadline := i.deadlineFor(in)
	defer func() { i.attempts.addTime(in.key(), deadline.elapsed()) }()
	left := i.quotaFor(day, i.service.Store.FileLimits())
	for n, a := range in.Attachments {
		name := content.Name(a.Name, a.Type)
		switch {
		case n > mostAttachments:
			out.refuseRest(in.Attachments[n:], t)
			return out, nil
		case n == mostAttachments:
			out.refuse(name, "there are too many", t.Localize("attachment.many", "name", name, "limit", fmt.Sprint(mostAttachments)))
			continue
		case i.options.AttachmentBytes <= 0:
			out.refuse(name, "none are taken here", t.Localize("attachment.none", "name", name))
			continue
		}
		data, over, err := readAttachment(ctx, a, left.forFile(a.Most), deadline.share(len(in.Attachments)-n))
		switch {
		case over != nil:
			out.refuseFor(over, name, t)
		case errors.Is(err, errSlow):
			i.service.Logger.Warn("taken without what it came with", "channel", in.Route.Channel, "chat", in.Route.Chat, "error", err)
			out.note = append(out.note, "[attached, and it took too long to fetch: "+name+"]")
			out.notices = append(out.notices, t.Localize("attachment.slow", "name", name))
		case errors.Is(err, ErrGone):
			out.note = append(out.note, "[attached and not there any more: "+name+"]")
			out.notices = append(out.notices, t.Localize("attachment.gone", "name", name))
		case ctx.Err() != nil:
			return out, ctx.Err()
		case err != nil && i.attempts.retry(in.key()):
			return out, fmt.Errorf("fetch what a message came with: %w", err)
		case err != nil:
			i.service.Logger.Warn("taken without what it came with", "channel", in.Route.Channel, "chat", in.Route.Chat, "error", err)
			out.note = append(out.note, "[attached, and it could not be fetched: "+name+"]")
			out.notices = append(out.notices, t.Localize("attachment.gone", "name", name))
		case a.Voice && i.options.VoiceLength > 0 && content.AudioLength(data) > i.options.VoiceLength:
			limit := briefly(i.options.VoiceLength)
			out.refuse(name, "it is spoken for too long: at most "+limit, t.Localize("voice.long", "limit", limit))
		default:
			left.subtract(int64(len(data)))
			typ := content.TypeOf(data)
			out.kept = append(out.kept, store.NewArtifact{Name: content.Name(a.Name, typ), Type: typ, Voice: a.Voice && i.options.Transcribes, Data: data})
			if a.Voice && !i.options.Transcribes {
				// It is a file like others, which somebody may listen to.
				out.note = append(out.note, unheardNote)
				out.notices = append(out.notices, t.Localize("voice.none"))
			}
		}
	}
	return out, nil
}

func (f *fetchResult) refuse(name, why, notice string) {
	f.note = append(f.note, refusalNote(name, why))
	f.notices = append(f.notices, notice)
}

const mostNamed = 10

// refuseRest notes at once that all these files are too many: there may be a million.
func (f *fetchResult) refuseRest(rest []Attachment, t texts.Texts) {
	var names []string
	for _, a := range rest[:min(len(rest), mostNamed)] {
		names = append(names, content.Name(a.Name, a.Type))
	}
	if more := len(rest) - mostNamed; more > 0 {
		names = append(names, "+"+strconv.Itoa(more))
	}
	all := strings.Join(names, ", ")
	f.refuse(all, "there are too many", t.Localize("attachment.rest", "names", all))
}

func refusalNote(name, why string) string {
	return "[attached and not taken, for " + why + ": " + name + "]"
}

// briefly says how long something may take, in words of every language: "20 min".
func briefly(d time.Duration) string {
	if d%time.Minute == 0 {
		return strconv.Itoa(int(d/time.Minute)) + " min"
	}
	return strconv.Itoa(wholeSeconds(d)) + " s"
}

// empty reports whether there is nothing in it that an agent need hear of.
func (f *fetchResult) empty() bool {
	return len(f.kept) == 0 && len(f.note) == len(f.notices)+len(f.quotaNotices)
}

// readAttachment reads an attachment for which there is quota, whatever is claimed
// of its size; over is the bound that it exceeds. What is not there in time is
// errSlow.
func readAttachment(ctx context.Context, a Attachment, q quota, in time.Duration) (data []byte, over *bound, err error) {
	tight := q.tightest()
	switch {
	case q.exceeded(a.Size) != nil:
		return nil, q.exceeded(a.Size), nil
	case tight.left <= 0:
		return nil, tight, nil
	case a.Open == nil:
		return nil, nil, ErrGone
	}
	timed, cancel := context.WithTimeout(ctx, in)
	defer cancel()
	defer func() { // whatever was made of it by whoever read
		if err != nil && timed.Err() != nil && ctx.Err() == nil {
			err = errSlow
		}
	}()
	if timed.Err() != nil {
		return nil, nil, timed.Err()
	}
	body, err := a.Open(timed)
	var large *TooLargeError
	switch {
	case errors.As(err, &large):
		alone := q.forFile(large.Limit)
		return nil, &alone[0], nil
	case err != nil:
		return nil, nil, err
	}
	defer body.Close()
	data, err = io.ReadAll(io.LimitReader(body, tight.left+1))
	switch {
	case err != nil:
		return nil, nil, err
	case int64(len(data)) > tight.left:
		return nil, tight, nil
	}
	return data, nil, nil
}

// errSlow says that something was not there in time.
var errSlow = errors.New("it took too long to fetch")

// A fetchDeadline is how much longer what a message brings is waited for.
type fetchDeadline struct {
	began time.Time
	left  time.Duration
}

func (i *Intake) deadlineFor(in message) fetchDeadline {
	return fetchDeadline{time.Now(), i.options.Fetching - i.attempts.time(in.key())}
}

func (d fetchDeadline) elapsed() time.Duration { return time.Since(d.began) }

// share is how long the next of so many may take: all that is left for the last
// one, half of it for others, lest one leaves nothing to those behind it.
func (d fetchDeadline) share(files int) time.Duration {
	left := d.left - d.elapsed()
	if files > 1 {
		left /= 2
	}
	return left
}
