package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	openai "github.com/sashabaranov/go-openai"

	"errand"
)

// longestAnswer bounds an answer that goes on and on: what there is of it by then
// is the answer.
const longestAnswer = 2 * time.Hour

// call makes one call to one provider. What it took, and what it cost if it
// fails, is added to lost.
func (c *Client) call(ctx context.Context, p *provider, maxOutput int, r Request, tell func(Delta), lost *Loss) (Response, error) {
	watched, w := newWatch(ctx, p.firstToken, p.idle)
	defer w.stop()
	x := &exchange{client: p.client, alive: w.alive}
	said := 0
	running := startStopwatch()
	answer, err := stream(watched, p, x, chatRequest(r, p.Provider, maxOutput), func(d Delta) {
		said += utf8.RuneCountInString(d.Text)
		tell(d)
	})
	lost.Took += running.stop()
	var out Response
	if err == nil {
		if out, err = c.finish(p, r, answer); err == nil {
			return out, nil
		}
		lost.add(usage(p, r, answer, answer.response()))
		return Response{}, err
	}
	if x.charged() {
		lost.add(estimated(p, r, errand.TokensOf(said)))
	}
	if ctx.Err() != nil {
		return Response{}, fmt.Errorf("model call: %w", context.Cause(ctx))
	}
	if cause := context.Cause(watched); cause != nil {
		err = cause
	}
	return Response{}, c.classify(p, r, x, err)
}

// estimated is what a call cost that nobody counted.
func estimated(p *provider, r Request, output int) errand.Usage {
	u := errand.Usage{Model: p.Model, Provider: p.Name, InputTokens: Estimate(r), OutputTokens: output}
	u.Cost = p.price.Cost(u.InputTokens, u.OutputTokens)
	return u
}

// stream reads an answer to its end, or to where it is cut off.
func stream(ctx context.Context, p *provider, x *exchange, req openai.ChatCompletionRequest, tell func(Delta)) (*assembly, error) {
	cfg := openai.DefaultConfig(p.APIKey)
	cfg.BaseURL = p.BaseURL
	cfg.HTTPClient = x
	cfg.EmptyMessagesLimit = maxStream // the watch and the limits of the reader stand guard
	s, err := openai.NewClientWithConfig(cfg).CreateChatCompletionStream(ctx, req)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	a := &assembly{}
	end := time.Now().Add(longestAnswer)
	add := func(event []byte) error {
		text, err := a.add(event)
		if errors.Is(err, errErrorChunk) {
			x.body.plain = event
		}
		if text != "" {
			tell(Delta{Text: text})
		}
		return err
	}
	for !a.cut {
		event, err := s.RecvRaw()
		switch {
		case errors.Is(err, io.EOF):
			if x.body.done || a.finish != "" {
				return a, nil
			}
			if !x.body.data {
				return nil, errNoStream
			}
			return nil, io.ErrUnexpectedEOF
		case errors.Is(err, errTooLong):
			a.cut = true
		case errors.Is(err, errNoStream):
			// A server that does not stream sends the whole answer as one object.
			if add(x.body.plain) == nil && a.finish != "" {
				return a, nil
			}
			return nil, err
		case err != nil:
			return nil, err
		default:
			if err := add(event); err != nil {
				return nil, err
			}
			a.cut = a.cut || time.Now().After(end)
		}
	}
	return a, nil
}

// finish turns what was put together into a response, or into an error when
// there is nothing in it.
func (c *Client) finish(p *provider, r Request, a *assembly) (Response, error) {
	out := a.response()
	if r.NoTools {
		out.Calls = nil
	}
	if strings.TrimSpace(out.Text) == "" && len(out.Calls) == 0 {
		return Response{}, emptyAnswer(p, a, r.NoTools && len(a.calls) > 0)
	}
	out.Usage = usage(p, r, a, out)
	return out, nil
}

func emptyAnswer(p *provider, a *assembly, called bool) *Error {
	e, code := &Error{Kind: BadAnswer, Reason: Empty, Provider: p.Name}, "empty"
	switch {
	case a.finish == "content_filter":
		e.Kind, e.Reason, code = Refused, Filtered, "filtered"
	case a.finish == "error":
		e.Kind, e.Reason, code = Overloaded, BrokenOff, "broken_off"
	case a.finish == "length":
		code = "used_up"
	case called:
		code = "tools"
	}
	return e.about(Hint{Code: code})
}

// usage is what the provider counted, or an estimate where it did not.
func usage(p *provider, r Request, a *assembly, out Response) errand.Usage {
	u := errand.Usage{Model: p.Model, Provider: p.Name, InputTokens: a.input, OutputTokens: a.output}
	if u.InputTokens == 0 {
		u.InputTokens = Estimate(r)
	}
	if u.OutputTokens == 0 {
		n := utf8.RuneCountInString(out.Text)
		for _, call := range out.Calls {
			n += len(call.Name) + utf8.RuneCountInString(call.Arguments)
		}
		u.OutputTokens = errand.TokensOf(n)
	}
	u.Cost = p.price.Cost(u.InputTokens, u.OutputTokens)
	return u
}
