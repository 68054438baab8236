// Package llm calls models over the OpenAI-compatible wire, and falls back to other
// providers.
//
// A [Client] knows the configured models. Each has one or more providers; when
// one cannot answer, the next is tried within the same call. The client itself
// never repeats a call to the same provider: what to try again and when is the
// caller's (Temporal's) business, and [Error] carries what it needs to decide.
package llm
