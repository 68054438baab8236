// Package llm calls models over the OpenAI-compatible wire, and falls back to other
// providers.
//
// A [Client] holds the configured models. Each has one or more providers. If one cannot
// answer, the client tries the next within the same call. It never repeats a call to the
// same provider: the caller (Temporal) decides about retries, and [Error] has what it needs
// to decide.
package llm
