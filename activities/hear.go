package activities

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"go.temporal.io/sdk/activity"

	"errand"
	"errand/internal/content"
	"errand/llm"
	"errand/store"
)

// Ears write down what was said; *llm.Client is the one in production.
type Ears interface {
	Transcribe(context.Context, llm.Recording) (string, error)
}

// Bounds of what is written down for a step.
const (
	mostHeard    = 100 // messages
	hearingTries = 3   // attempts of the step, after which the person is asked to write
)

// hear writes down the voice notes of messages before a step takes them: the
// intake of others does not wait for it, and a worker that dies over it has lost
// nothing. What cannot be written down is told to whoever said it.
func (a *Activities) hear(ctx context.Context, in ThinkInput) error {
	if in.Session == "" || in.Rows == store.ClaimNone {
		return nil
	}
	list, err := a.Store.Unheard(ctx, in.Session, mostHeard)
	if err != nil || len(list) == 0 {
		return err
	}
	if paused, err := a.Store.Paused(ctx); err != nil || paused {
		return err // the step itself is refused
	}
	for _, m := range list {
		words, err := a.words(ctx, m)
		var e *llm.Error
		switch {
		case err == nil && words != "":
			err = a.Store.Heard(ctx, in.Session, m.Row, words)
		case err == nil, errors.As(err, &e) && (!e.Retryable() || activity.GetInfo(ctx).Attempt >= hearingTries):
			if err != nil {
				a.Logger.Warn("a voice note could not be written down", "session", in.Key.Owner, "error", err)
			}
			err = a.misheard(ctx, in, m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// words are what was said in the voice notes of a message.
func (a *Activities) words(ctx context.Context, m store.Spoken) (string, error) {
	if a.Ears == nil {
		return "", nil
	}
	var all []string
	for _, note := range m.Notes {
		data, err := a.Store.ArtifactData(ctx, note.ID)
		if errors.Is(err, store.ErrNotFound) {
			continue // taken back just now
		}
		if err != nil {
			return "", err
		}
		// Not under the name it came with: providers go by the ending.
		said, err := a.Ears.Transcribe(ctx, llm.Recording{Name: "voice" + path.Ext(content.Name("", note.Type)), Data: data})
		if err != nil {
			return "", err
		}
		if said = strings.TrimSpace(said); said != "" {
			all = append(all, said)
		}
	}
	return strings.Join(all, "\n"), nil
}

func (a *Activities) misheard(ctx context.Context, in ThinkInput, m store.Spoken) error {
	p, err := a.Store.Person(ctx, m.Person)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	told, err := a.Store.Misheard(ctx, errand.SessionID(in.Key.Owner), m, "[it was spoken, and nobody could write down what]", errand.Notification{
		Key: fmt.Sprintf("answer:misheard:%d", m.Row), Route: m.Route, Session: in.Session, Event: errand.EventNotice,
		Text: a.Texts.For(p.Language, a.Language).Say("voice.failed"), ReplyTo: m.MessageID,
	})
	if err == nil && told {
		err = a.Sessions.WakeOutbox(ctx, m.Route)
	}
	return err
}
