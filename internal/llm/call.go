package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"errand/internal/core"
)

// call makes one call to one provider. It adds the time, and the cost of failed attempts, to
// lost.
//
// If the provider refuses the form of the request and another form may work, call tries that
// form. A tool that the provider refuses is left out of later requests only if the provider
// accepts this request without it; otherwise the error may have had another cause.
func (c *Client) call(ctx context.Context, p *provider, maxOutput int, r Request, send func(Delta), lost *Loss) (Response, error) {
	r.offer(p.accepted(r.Tools))
	var leftOut []Tool
	for {
		out, err := c.callOnce(ctx, p, maxOutput, r, send, lost)
		var e *Error
		switch {
		case err == nil:
			if p.triesVision(r) {
				p.learnVision(out)
			}
			for _, t := range leftOut {
				p.refused.Store(t.content(), true)
				c.log.Warn("a provider refuses a tool of an MCP server, and gets its requests without it", "provider", p.Name, "tool", t.Name)
			}
			return out, nil
		case !errors.As(err, &e):
			return out, err
		case e.tool != "":
			leftOut = append(leftOut, r.leaveOut(e.tool))
			continue
		case !p.takesOtherForm(e, &r):
			return out, err
		}
		c.log.Info("the provider wants the request in another form", "provider", p.Name, "hint", e.Hint.Code)
	}
}

func (c *Client) callOnce(ctx context.Context, p *provider, maxOutput int, r Request, send func(Delta), lost *Loss) (Response, error) {
	watched, w := newWatch(ctx, p.firstToken, p.idle)
	defer w.stop()
	length := 0
	running := startStopwatch()
	one := &providerCall{p: p, w: w, r: r, maxOutput: maxOutput, a: &assembly{}, send: func(d Delta) {
		length += utf8.RuneCountInString(d.Text)
		send(d)
	}}
	err := one.run(watched)
	lost.Took += running.stop()
	var out Response
	if err == nil {
		if out, err = c.finish(p, r, one.a); err == nil {
			return out, nil
		}
		lost.add(usage(p, r, one.a, one.a.response()))
		one.forget(ctx) // the background answer of a failed call is of no use
		return Response{}, err
	}
	if one.x.charged() && !one.isPending() {
		lost.add(estimated(p, r, core.TokensOf(length)))
	}
	if ctx.Err() != nil {
		return Response{}, fmt.Errorf("model call: %w", context.Cause(ctx))
	}
	if cause := context.Cause(watched); cause != nil {
		err = cause
	}
	return Response{}, c.classify(p, r, one.x, err)
}

func estimated(p *provider, r Request, output int) core.Usage {
	u := core.Usage{Model: p.Model, Provider: p.Name, InputTokens: p.calibration.apply(Estimate(r)), OutputTokens: output}
	u.Cost = p.price.Cost(u)
	return u
}

func (c *Client) finish(p *provider, r Request, a *assembly) (Response, error) {
	out := a.response()
	if r.NoTools {
		out.Calls = nil
	}
	if strings.TrimSpace(out.Text) == "" && len(out.Calls) == 0 {
		return Response{}, emptyAnswer(p, a, r.NoTools && len(a.calls) > 0)
	}
	out.State = stateOf(p, a, out)
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

func usage(p *provider, r Request, a *assembly, out Response) core.Usage {
	u := core.Usage{Model: p.Model, Provider: p.Name, InputTokens: a.tokens.input, OutputTokens: a.tokens.output,
		CachedTokens: a.tokens.cached, WrittenTokens: a.tokens.written, EstimatedTokens: Estimate(r)}
	if u.InputTokens == 0 {
		u.InputTokens, u.EstimatedTokens = p.calibration.apply(u.EstimatedTokens), 0
	} else {
		p.calibration.learn(u)
	}
	if u.OutputTokens == 0 {
		n := utf8.RuneCountInString(out.Text)
		for _, call := range out.Calls {
			n += len(call.Name) + utf8.RuneCountInString(call.Arguments)
		}
		u.OutputTokens = core.TokensOf(n)
	}
	u.Cost = p.price.Cost(u)
	return u
}
