package activities

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"

	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/prompt"
	"errand/internal/store"
	"errand/internal/temporal/wire"
)

// A Transcriber converts speech to text. In production it is *llm.Client.
type Transcriber interface {
	Transcribe(context.Context, llm.Recording) (llm.Transcript, error)
}

// A transcriptionPricer returns the maximum cost of a recording, in USD. Without it the cost is 0.
type transcriptionPricer interface {
	TranscriptionCost(length time.Duration) float64
}

var _ transcriptionPricer = (*llm.Client)(nil)

const (
	maxTranscriptions     = 100 // messages
	transcriptionAttempts = 3   // attempts of the step; after them errand asks the person to write
)

type listener struct {
	*worker
	transcriber Transcriber
	sessions    Sessions
}

// transcribe runs in the step and not in the intake, so that others do not wait for it, and a
// worker that dies during it loses no message.
func (l *listener) transcribe(ctx context.Context, in wire.ThinkInput) error {
	list, err := l.store.Untranscribed(ctx, in.Session, maxTranscriptions)
	if err != nil {
		return err
	}
	for _, m := range list {
		if err := l.listen(ctx, in, m); err != nil {
			return err
		}
	}
	return nil
}

func (l *listener) listen(ctx context.Context, in wire.ThinkInput, m store.VoiceMessage) error {
	if l.transcriber == nil {
		return l.transcriptionFailed(ctx, in, m, nil, prompt.Untranscribed, nil)
	}
	notes, err := l.recordings(ctx, m)
	if err != nil {
		return err
	}
	h, err := l.store.BeginTranscription(ctx, in.Key, in.Session, m, l.transcriptionCost(notes))
	var budget *store.BudgetError
	switch {
	case errors.As(err, &budget):
		return l.transcriptionFailed(ctx, in, m, nil, prompt.TranscriptionNotPaid, budget)
	case err != nil:
		return err
	}
	words, err := l.words(ctx, notes, h)
	// Keep what was paid for, even if the turn is stopped now.
	kept := context.WithoutCancel(ctx)
	var e *llm.Error
	switch {
	case err == nil && words != "":
		return l.store.SaveTranscription(kept, in.Session, m.Row, words, h)
	case err == nil, errors.As(err, &e) && (!e.Retryable() || activity.GetInfo(ctx).Attempt >= transcriptionAttempts):
		if err != nil {
			l.logger.Warn("voice message not transcribed", "session", in.Key.Owner, "error", err)
		}
		return l.transcriptionFailed(kept, in, m, h, prompt.Untranscribed, nil)
	}
	if failed := l.store.EndTranscription(kept, h); failed != nil {
		l.logger.Warn("budget reserved for a voice message not released", "session", in.Key.Owner, "error", failed)
	}
	return err
}

// recordings reads all recordings of a message into memory. The size of a message is limited.
func (l *listener) recordings(ctx context.Context, m store.VoiceMessage) ([]llm.Recording, error) {
	var list []llm.Recording
	for _, note := range m.Notes {
		data, err := l.store.ArtifactData(ctx, note.ID)
		if errors.Is(err, store.ErrNotFound) {
			continue // deleted in the meantime
		}
		if err != nil {
			return nil, err
		}
		// Do not use the original name: providers detect the format by the extension.
		list = append(list, llm.Recording{
			Name: "voice" + path.Ext(content.Name("", note.Type)), Data: data, For: string(m.Person), Length: content.AudioLength(data)})
	}
	return list, nil
}

func (l *listener) transcriptionCost(notes []llm.Recording) store.Amount {
	amount := store.Amount{Calls: len(notes)}
	if p, ok := l.transcriber.(transcriptionPricer); ok {
		for _, note := range notes {
			amount.Cost += p.TranscriptionCost(note.Length)
		}
	}
	return amount
}

func (l *listener) words(ctx context.Context, notes []llm.Recording, h *store.Transcription) (string, error) {
	var all []string
	for _, note := range notes {
		transcript, err := l.transcriber.Transcribe(ctx, note)
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

func (l *listener) transcriptionFailed(ctx context.Context, in wire.ThinkInput, m store.VoiceMessage, h *store.Transcription, note string, budget *store.BudgetError) error {
	p, err := l.store.Person(ctx, m.Person)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	phrases := l.phrases(p.Language)
	why := phrases.Localize("voice.failed")
	if budget != nil {
		why = stopped(phrases, budget)
	}
	notified, err := l.store.FailTranscription(ctx, core.SessionID(in.Key.Owner), m, note, core.Notification{
		Key: fmt.Sprintf("answer:misheard:%d", m.Row), Route: m.Route, Session: in.Session, Event: core.EventNotice,
		Text: why, ReplyTo: m.MessageID,
	}, h)
	if err == nil && notified {
		err = l.sessions.WakeOutbox(ctx, m.Route)
	}
	return err
}
