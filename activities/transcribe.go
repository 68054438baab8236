package activities

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"

	"errand"
	"errand/internal/content"
	"errand/internal/llm"
	"errand/internal/store"
)

// A Transcriber writes down what was said; *llm.Client is the one in production.
type Transcriber interface {
	Transcribe(context.Context, llm.Recording) (llm.Transcript, error)
}

// transcriptionPricer is a capability of a [Transcriber]: to say beforehand what a recording that is so
// long may cost, in USD. Without it that costs nothing.
type transcriptionPricer interface {
	TranscriptionCost(length time.Duration) float64
}

var _ transcriptionPricer = (*llm.Client)(nil)

// Bounds of what is written down for a step.
const (
	maxTranscriptions     = 100 // messages
	transcriptionAttempts = 3   // attempts of the step, after which the person is asked to write
)

// What the agent reads of words that it does not get.
const (
	untranscribed = "[it was spoken, and nobody could write down what]"
	notPaid       = "[it was spoken, and the budget for writing it down is used up]"
)

// transcribe writes down the voice notes of the messages that a step would take: the
// intake of others does not wait for it, and a worker that dies over it has lost
// nothing. What cannot be written down is told to whoever said it.
func (a *Activities) transcribe(ctx context.Context, in ThinkInput) error {
	list, err := a.Store.Untranscribed(ctx, in.Session, maxTranscriptions)
	if err != nil {
		return err
	}
	for _, m := range list {
		if err := a.listen(ctx, in, m); err != nil {
			return err
		}
	}
	return nil
}

func (a *Activities) listen(ctx context.Context, in ThinkInput, m store.VoiceMessage) error {
	if a.Transcriber == nil {
		return a.transcriptionFailed(ctx, in, m, nil, untranscribed, nil)
	}
	notes, err := a.recordings(ctx, m)
	if err != nil {
		return err
	}
	h, err := a.Store.BeginTranscription(ctx, in.Key, in.Session, m, a.transcriptionCost(notes))
	var budget *store.BudgetError
	switch {
	case errors.As(err, &budget):
		return a.transcriptionFailed(ctx, in, m, nil, notPaid, budget)
	case err != nil:
		return err
	}
	words, err := a.words(ctx, notes, h)
	// What was paid is kept also if this is stopped now.
	kept := context.WithoutCancel(ctx)
	var e *llm.Error
	switch {
	case err == nil && words != "":
		return a.Store.SaveTranscription(kept, in.Session, m.Row, words, h)
	case err == nil, errors.As(err, &e) && (!e.Retryable() || activity.GetInfo(ctx).Attempt >= transcriptionAttempts):
		if err != nil {
			a.Logger.Warn("a voice note could not be written down", "session", in.Key.Owner, "error", err)
		}
		return a.transcriptionFailed(kept, in, m, h, untranscribed, nil)
	}
	if failed := a.Store.EndTranscription(kept, h); failed != nil {
		a.Logger.Warn("what was reserved for a voice note is not given back", "session", in.Key.Owner, "error", failed)
	}
	return err
}

// recordings are the voice notes of a message: all that it brought is no more than
// a message may bring.
func (a *Activities) recordings(ctx context.Context, m store.VoiceMessage) ([]llm.Recording, error) {
	var list []llm.Recording
	for _, note := range m.Notes {
		data, err := a.Store.ArtifactData(ctx, note.ID)
		if errors.Is(err, store.ErrNotFound) {
			continue // taken back just now
		}
		if err != nil {
			return nil, err
		}
		// Not under the name it came with: providers go by the ending.
		list = append(list, llm.Recording{
			Name: "voice" + path.Ext(content.Name("", note.Type)), Data: data, For: string(m.Person), Length: content.AudioLength(data)})
	}
	return list, nil
}

func (a *Activities) transcriptionCost(notes []llm.Recording) store.Amount {
	amount := store.Amount{Calls: len(notes)}
	if p, ok := a.Transcriber.(transcriptionPricer); ok {
		for _, note := range notes {
			amount.Cost += p.TranscriptionCost(note.Length)
		}
	}
	return amount
}

// words are what was said in voice notes. What they cost is noted in h.
func (a *Activities) words(ctx context.Context, notes []llm.Recording, h *store.Transcription) (string, error) {
	var all []string
	for _, note := range notes {
		transcript, err := a.Transcriber.Transcribe(ctx, note)
		if err != nil {
			return "", err
		}
		h.Usage = append(h.Usage, transcript.Usage)
		if text := strings.TrimSpace(transcript.Text); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n"), nil
}

// transcriptionFailed gives up on a message. The person is told which budget is used up, or, where
// none is, that they were not understood.
func (a *Activities) transcriptionFailed(ctx context.Context, in ThinkInput, m store.VoiceMessage, h *store.Transcription, note string, budget *store.BudgetError) error {
	p, err := a.Store.Person(ctx, m.Person)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	phrases := a.Texts.For(p.Language, a.Language)
	why := phrases.Localize("voice.failed")
	if budget != nil {
		why = stopped(phrases, budget)
	}
	notified, err := a.Store.FailTranscription(ctx, errand.SessionID(in.Key.Owner), m, note, errand.Notification{
		Key: fmt.Sprintf("answer:misheard:%d", m.Row), Route: m.Route, Session: in.Session, Event: errand.EventNotice,
		Text: why, ReplyTo: m.MessageID,
	}, h)
	if err == nil && notified {
		err = a.Sessions.WakeOutbox(ctx, m.Route)
	}
	return err
}
