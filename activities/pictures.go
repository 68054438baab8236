package activities

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/prompt"
	"errand/internal/sandbox"
	"errand/internal/store"
)

type pictureModel interface{ Sees(model string) bool }

var _ pictureModel = (*llm.Client)(nil)

// An illustrator puts pictures into the prompts of models that can see.
type illustrator struct {
	*worker
	prompts  *Prompter
	shrinker sandbox.PictureShrinker
	decoder  decoder
	sizes    pictureSizes
}

func (i *illustrator) sees(name core.AgentName) bool {
	m, ok := i.prompts.model.(pictureModel)
	return ok && m.Sees(i.prompts.modelOf(name))
}

func (i *illustrator) seeing() map[core.AgentName]bool {
	m, ok := i.prompts.model.(pictureModel)
	if !ok {
		return nil
	}
	agents := map[core.AgentName]bool{}
	for _, name := range i.prompts.roster.Names() {
		agents[name] = m.Sees(i.prompts.modelOf(name))
	}
	return agents
}

func (i *illustrator) showPictures(ctx context.Context, b *store.StepInput) error {
	sees := i.sees(b.Agent)
	kept, err := i.keptPictures(ctx, b, sees)
	if err != nil {
		return err
	}
	for _, f := range b.Pictures {
		var p core.Picture
		switch {
		case f.LeftOut:
			p = prompt.Unshown(b.Nonce, f.Artifact, 0, 0, prompt.PictureLeftOut)
		case sees:
			p, err = i.picture(ctx, b, f, kept)
		default:
			p, err = i.described(ctx, b, f)
		}
		if err != nil {
			return fmt.Errorf("picture %s: %w", f.Artifact, err)
		}
		m := &b.Transcript[f.Message]
		m.Pictures = append(m.Pictures, p)
	}
	return nil
}

func (i *illustrator) keptPictures(ctx context.Context, b *store.StepInput, sees bool) (map[core.ArtifactID]store.ShownPicture, error) {
	if !sees {
		return nil, nil
	}
	var ids []core.ArtifactID
	for _, f := range b.Pictures {
		if !f.LeftOut {
			ids = append(ids, f.Artifact)
		}
	}
	return i.store.ShownPictures(ctx, ids)
}

// picture returns an artifact as a model sees it. The result is made once and stored, so that it is
// the same in every prompt.
func (i *illustrator) picture(ctx context.Context, b *store.StepInput, f store.PromptPicture, kept map[core.ArtifactID]store.ShownPicture) (core.Picture, error) {
	shown, ok := kept[f.Artifact]
	var err error
	if !ok {
		shown, err = i.shrink(ctx, f)
	}
	switch {
	case errors.Is(err, store.ErrNotFound): // deleted in the meantime
		return prompt.Unshown(b.Nonce, f.Artifact, 0, 0, prompt.PictureDeleted), nil
	case err != nil:
		return core.Picture{}, err
	case shown.Fault != "":
		return prompt.Unshown(b.Nonce, f.Artifact, 0, 0, prompt.PictureBroken+shown.Fault), nil
	}
	p := prompt.Unshown(b.Nonce, f.Artifact, shown.Width, shown.Height, prompt.PictureUnseen)
	p.Type, p.Data, p.Label = shown.Type, shown.Data, prompt.PictureLabel(b.Nonce, f.Artifact)
	return p, nil
}

// headBytes is how much is read to find a picture's size in pixels. Cameras write a lot before it.
const headBytes = 256 << 10

func (i *illustrator) described(ctx context.Context, b *store.StepInput, f store.PromptPicture) (core.Picture, error) {
	size, ok := i.sizes.of(f.Artifact)
	if !ok {
		head, err := i.store.ArtifactPart(ctx, f.Artifact, 0, headBytes)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return core.Picture{}, err
		}
		size, _ = sandbox.ReadPictureHeader(f.Type, head) // the size of a broken picture is left out
		i.sizes.keep(f.Artifact, size)
	}
	return prompt.Unshown(b.Nonce, f.Artifact, size.Width, size.Height, prompt.PictureUnseen), nil
}

const maxSizes = 10_000

// pictureSizes caches sizes, which never change for an id. The zero value is ready.
type pictureSizes struct {
	mu    sync.Mutex
	known map[core.ArtifactID]sandbox.PictureHeader
}

func (s *pictureSizes) of(id core.ArtifactID) (sandbox.PictureHeader, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.known[id]
	return h, ok
}

func (s *pictureSizes) keep(id core.ArtifactID, h sandbox.PictureHeader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[core.ArtifactID]sandbox.PictureHeader{}
	}
	for other := range s.known {
		if len(s.known) < maxSizes {
			break
		}
		delete(s.known, other) // any one of them
	}
	s.known[id] = h
}
