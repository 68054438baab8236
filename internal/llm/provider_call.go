package llm

import (
	"context"
	"errors"
	"io"
	"time"

	"errand/internal/core"
)

// longestAnswer limits the time of an answer. The text so far becomes the answer.
const longestAnswer = 2 * time.Hour

type providerCall struct {
	p         *provider
	w         *watch
	r         Request
	maxOutput int
	a         *assembly
	send      func(Delta)
	x         *exchange // the latest
	kept      core.PendingResponse
	pieces    bool // something was streamed
}

func (c *providerCall) exchange() *exchange {
	c.x = &exchange{client: c.p.client, alive: c.w.alive}
	return c.x
}

func (c *providerCall) run(ctx context.Context) error {
	if c.p.Background && c.r.Keep != nil {
		return c.runPending(ctx)
	}
	s, err := c.p.wire.open(ctx, c.p, c.exchange(), c.r, c.maxOutput)
	if err != nil {
		return err
	}
	return c.read(s)
}

func (c *providerCall) read(s eventStream) error {
	defer s.Close()
	a, x := c.a, c.x
	end := time.Now().Add(longestAnswer)
	for !a.cut {
		event, err := s.RecvRaw()
		switch {
		case errors.Is(err, io.EOF):
			if x.body.done || a.finish != "" {
				return nil
			}
			if !x.body.data {
				return errNoStream
			}
			return io.ErrUnexpectedEOF
		case errors.Is(err, errTooLong):
			a.cut = true
		case errors.Is(err, errNoStream):
			// The whole answer of a server that does not stream is one object.
			if c.add(x.body.plain) == nil && a.finish != "" {
				return nil
			}
			return err
		case err != nil:
			return err
		default:
			if err := c.add(event); err != nil {
				return err
			}
			a.cut = a.cut || time.Now().After(end)
		}
	}
	return nil
}

func (c *providerCall) add(event []byte) error {
	text, err := c.p.wire.add(c.a, event)
	var reported *reportedError
	switch {
	case errors.As(err, &reported):
		c.x.body.plain = reported.report
	case errors.Is(err, errErrorChunk):
		c.x.body.plain = event
	}
	c.w.think(c.a.thinking)
	if text != "" {
		c.pieces = true
		c.send(Delta{Text: text})
	}
	return err
}
