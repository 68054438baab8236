package openaiwire

import (
	"log/slog"
	"strings"
	"time"
)

type responseStream struct {
	*stream
	response response
	item     outputItem
	number   int
	text     strings.Builder // so far
}

func newResponseStream(log *slog.Logger, q *request, beat time.Duration, r response) *responseStream {
	return &responseStream{stream: newStream(log, q, beat), response: r, item: outputItem{"message", "", "in_progress", "assistant", []outputPart{}}}
}

func (o *responseStream) event(kind string, fields map[string]any) error {
	fields["type"], fields["sequence_number"] = kind, o.number
	o.number++
	return o.send(kind, fields)
}

func (o *responseStream) ofPart(name string, value any) map[string]any {
	return map[string]any{"item_id": o.item.ID, "output_index": 0, "content_index": 0, name: value}
}

func (o *responseStream) accepted(id string) error {
	o.response.ID, o.item.ID = id, itemID(id)
	for _, e := range []func() error{
		func() error { return o.event("response.created", map[string]any{"response": o.response}) },
		func() error { return o.event("response.in_progress", map[string]any{"response": o.response}) },
		func() error {
			return o.event("response.output_item.added", map[string]any{"output_index": 0, "item": o.item})
		},
		func() error {
			return o.event("response.content_part.added", o.ofPart("part", outputPart{"output_text", "", []any{}}))
		},
	} {
		if err := e(); err != nil {
			return err
		}
	}
	return nil
}

func (o *responseStream) piece(text string) error {
	if text == "" {
		return nil
	}
	o.text.WriteString(text)
	return o.event("response.output_text.delta", o.ofPart("delta", text))
}

func (o *responseStream) done(r response) error {
	item, last := r.message, "response.completed"
	item.Content = []outputPart{{"output_text", o.text.String(), []any{}}}
	if r.Status == "incomplete" {
		last = "response.incomplete"
	}
	r.Output = []any{item} // it has been announced, even if it is empty
	events := []func() error{
		func() error { return o.event("response.output_text.done", o.ofPart("text", o.text.String())) },
		func() error { return o.event("response.content_part.done", o.ofPart("part", item.Content[0])) },
		func() error {
			return o.event("response.output_item.done", map[string]any{"output_index": 0, "item": item})
		},
	}
	for _, c := range r.calls {
		at := len(r.Output)
		r.Output = append(r.Output, c)
		events = append(events, o.call(c, at)...)
	}
	events = append(events, func() error { return o.event(last, map[string]any{"response": r}) })
	for _, e := range events {
		if err := e(); err != nil {
			return err
		}
	}
	return nil
}

func (o *responseStream) call(c callItem, at int) []func() error {
	begun := c
	begun.Status, begun.Arguments = "in_progress", ""
	return []func() error{
		func() error {
			return o.event("response.output_item.added", map[string]any{"output_index": at, "item": begun})
		},
		func() error {
			return o.event("response.function_call_arguments.delta", map[string]any{"item_id": c.ID, "output_index": at, "delta": c.Arguments})
		},
		func() error {
			return o.event("response.function_call_arguments.done", map[string]any{"item_id": c.ID, "output_index": at, "name": c.Name, "arguments": c.Arguments})
		},
		func() error {
			return o.event("response.output_item.done", map[string]any{"output_index": at, "item": c})
		},
	}
}
