package tools

import "context"

type progressKey struct{}

// WithProgress returns a context in which [Progress] calls show.
func WithProgress(ctx context.Context, show func(text string)) context.Context {
	return context.WithValue(ctx, progressKey{}, show)
}

// Progress returns a function that shows a person how far a tool is. It takes a short
// text, or the key of a text in package texts, which people read in their own language. If
// the context has no receiver, it does nothing.
func Progress(ctx context.Context) func(text string) {
	if show, ok := ctx.Value(progressKey{}).(func(string)); ok {
		return show
	}
	return func(string) {}
}
