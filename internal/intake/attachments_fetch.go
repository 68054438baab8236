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

// Limits of a message's files, in addition to AttachmentBytes.
const (
	mostAttachments = service.MaxMessageFiles
	// mostFetches is how often a message is delivered before errand accepts it without its missing
	// files, because later messages wait for it.
	mostFetches = 3
)

const unheardNote = "[a voice message that was not transcribed: transcription is not set up. The user has been told]"

// A fetchResult has the accepted files, and the notes about refused ones: note for the agent,
// notices for the sender, and quotaNotices for the sender about a day's limit.
type fetchResult struct {
	kept         []store.NewArtifact
	note         []string
	notices      []string
	quotaNotices []string
}

// fetch returns an error if the channel has to deliver the message again.
func (i *Intake) fetch(ctx context.Context, in message, t texts.Texts) (fetchResult, error) {
	day, err := i.deps.Store.FilesLeft(ctx, in.by.Person)
	if err != nil {
		return fetchResult{}, err
	}
	var out fetchResult
	deadline := i.deadlineFor(in)
	defer func() { i.attempts.addTime(in.key(), deadline.elapsed()) }()
	left := i.quotaFor(day, i.deps.Store.Limits().Files)
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
			i.deps.Logger.Warn("message accepted without its attachments", "channel", in.Route.Channel, "chat", in.Route.Chat, "error", err)
			out.note = append(out.note, "[attached, and it took too long to fetch: "+name+"]")
			out.notices = append(out.notices, t.Localize("attachment.slow", "name", name))
		case errors.Is(err, ErrGone):
			out.note = append(out.note, "[attached and not there any more: "+name+"]")
			out.notices = append(out.notices, t.Localize("attachment.gone", "name", name))
		case ctx.Err() != nil:
			return out, ctx.Err()
		case err != nil && i.attempts.retry(in.key()):
			return out, fmt.Errorf("fetch a message's attachments: %w", err)
		case err != nil:
			i.deps.Logger.Warn("message accepted without its attachments", "channel", in.Route.Channel, "chat", in.Route.Chat, "error", err)
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
				// Keep it as a normal file, which people can still listen to.
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

// refuseRest refuses all of them with one notice, because there may be a million.
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

// briefly formats a duration in a form that needs no translation, such as "20 min".
func briefly(d time.Duration) string {
	if d%time.Minute == 0 {
		return strconv.Itoa(int(d/time.Minute)) + " min"
	}
	return strconv.Itoa(wholeSeconds(d)) + " s"
}

func (f *fetchResult) empty() bool {
	return len(f.kept) == 0 && len(f.note) == len(f.notices)+len(f.quotaNotices)
}

// readAttachment reads no more than the quota, whatever size is claimed. over is the limit that the
// file exceeds. After the duration in, it returns errSlow.
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
	defer func() { // replaces the reader's own error
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

var errSlow = errors.New("it took too long to fetch")

// A fetchDeadline is the time that is left for the files of a message.
type fetchDeadline struct {
	began time.Time
	left  time.Duration
}

func (i *Intake) deadlineFor(in message) fetchDeadline {
	return fetchDeadline{time.Now(), i.options.Fetching - i.attempts.time(in.key())}
}

func (d fetchDeadline) elapsed() time.Duration { return time.Since(d.began) }

// share returns half of the time that is left, or all of it for the last file, so that a slow file
// leaves time for the next.
func (d fetchDeadline) share(files int) time.Duration {
	left := d.left - d.elapsed()
	if files > 1 {
		left /= 2
	}
	return left
}
