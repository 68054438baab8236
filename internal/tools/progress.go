package tools

import "context"

type progressKey struct{}

// WithProgress has what a tool tells by [Progress] shown by show.
func WithProgress(ctx context.Context, show func(text string)) context.Context {
	return context.WithValue(ctx, progressKey{}, show)
}

// Progress returns what shows a person how far a tool is, in a few words of its own or by
// the key of a text of errand's, which they then read in their own language. Where
// nobody looks it does nothing.
func Progress(ctx context.Context) func(text string) {
	if show, ok := ctx.Value(progressKey{}).(func(string)); ok {
		return show
	}
	return func(string) {}
}
