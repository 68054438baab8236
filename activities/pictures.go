package activities

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"errand"
	"errand/internal/llm"
	"errand/internal/picture"
	"errand/internal/store"
)

// pictureModel is a capability of models: to say whether a model sees pictures.
type pictureModel interface{ Sees(model string) bool }

var _ pictureModel = (*llm.Client)(nil)

// sees reports whether the model of an agent sees pictures, at one of its providers at
// least.
func (a *Activities) sees(name errand.AgentName) bool {
	m, ok := a.Model.(pictureModel)
	return ok && m.Sees(a.modelOf(name))
}

// seeing are the agents whose models see.
func (a *Activities) seeing() map[errand.AgentName]bool {
	m, ok := a.Model.(pictureModel)
	if !ok {
		return nil
	}
	agents := map[errand.AgentName]bool{}
	for _, name := range a.Roster.Names() {
		agents[name] = m.Sees(a.modelOf(name))
	}
	return agents
}

// showPictures gives the messages of a step the pictures that they came with. For a model
// that cannot see there are words.
func (a *Activities) showPictures(ctx context.Context, b *store.StepInput) error {
	sees := a.sees(b.Agent)
	kept, err := a.keptPictures(ctx, b, sees)
	if err != nil {
		return err
	}
	for _, f := range b.Pictures {
		var p errand.Picture
		switch {
		case f.LeftOut:
			p = unshown(b, f.Artifact, 0, 0, "it is left out here, for there are many newer ones")
		case sees:
			p, err = a.picture(ctx, b, f, kept)
		default:
			p, err = a.described(ctx, b, f)
		}
		if err != nil {
			return fmt.Errorf("picture %s: %w", f.Artifact, err)
		}
		m := &b.Transcript[f.Message]
		m.Pictures = append(m.Pictures, p)
	}
	return nil
}

func (a *Activities) keptPictures(ctx context.Context, b *store.StepInput, sees bool) (map[errand.ArtifactID]store.ShownPicture, error) {
	if !sees {
		return nil, nil
	}
	var ids []errand.ArtifactID
	for _, f := range b.Pictures {
		if !f.LeftOut {
			ids = append(ids, f.Artifact)
		}
	}
	return a.Store.ShownPictures(ctx, ids)
}

// picture is an artifact as a model sees it. It is made when a model is to see it for the
// first time, and kept: it is the same in every prompt.
func (a *Activities) picture(ctx context.Context, b *store.StepInput, f store.PromptPicture, kept map[errand.ArtifactID]store.ShownPicture) (errand.Picture, error) {
	shown, ok := kept[f.Artifact]
	var err error
	if !ok {
		shown, err = a.shrink(ctx, f)
	}
	switch {
	case errors.Is(err, store.ErrNotFound): // deleted just now
		return unshown(b, f.Artifact, 0, 0, "it is not there any more"), nil
	case err != nil:
		return errand.Picture{}, err
	case shown.Fault != "":
		return unshown(b, f.Artifact, 0, 0, "it cannot be shown: "+shown.Fault), nil
	}
	p := unshown(b, f.Artifact, shown.Width, shown.Height, blind)
	p.Type, p.Data, p.Label = shown.Type, shown.Data, b.Nonce.Mark("picture "+string(f.Artifact)+":")
	return p, nil
}

// blind is why a model that cannot see is not shown a picture.
const blind = "this model cannot see pictures"

const tooSlow = "it took too long to decode"

// headBytes is how much of a file is read for its size in pixels: cameras write much in
// front of that.
const headBytes = 256 << 10

// described is an artifact for a model that cannot see.
func (a *Activities) described(ctx context.Context, b *store.StepInput, f store.PromptPicture) (errand.Picture, error) {
	size, ok := a.sizes.of(f.Artifact)
	if !ok {
		head, err := a.Store.ArtifactPart(ctx, f.Artifact, 0, headBytes)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return errand.Picture{}, err
		}
		size, _ = picture.ReadHeader(f.Type, head) // of one that is broken the size is not told
		a.sizes.keep(f.Artifact, size)
	}
	return unshown(b, f.Artifact, size.Width, size.Height, blind), nil
}

const maxSizes = 10_000

// pictureSizes keeps how large pictures are, which a model that cannot see is told in
// every prompt: what an id stands for never changes. The zero value is ready.
type pictureSizes struct {
	mu    sync.Mutex
	known map[errand.ArtifactID]picture.Header
}

func (s *pictureSizes) of(id errand.ArtifactID) (picture.Header, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.known[id]
	return h, ok
}

func (s *pictureSizes) keep(id errand.ArtifactID, h picture.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[errand.ArtifactID]picture.Header{}
	}
	for other := range s.known {
		if len(s.known) < maxSizes {
			break
		}
		delete(s.known, other) // any
	}
	s.known[id] = h
}

func unshown(b *store.StepInput, id errand.ArtifactID, width, height int, why string) errand.Picture {
	size := ""
	if width > 0 && height > 0 {
		size = fmt.Sprintf(", %d×%d", width, height)
	}
	return errand.Picture{ID: id, Width: width, Height: height, Instead: b.Nonce.Mark(fmt.Sprintf("picture%s, artifact %s: %s", size, id, why))}
}
