// Package client speaks the HTTP API of a running errand, for programs in Go.
//
// There is a method for each operation of the API and a type for all that it takes and
// answers, generated from the API's OpenAPI document; what the API calls as errand's own
// code does is of package errand. Answers of one type come as an [Answer]; streams and
// files as the response, whose body the caller closes; [ReadStream] reads a stream. What errand refuses is a [*Problem].
//
// A new operation of the API comes here by
//
//	go generate ./client
package client

//go:generate go test ../internal/web -run TestClientIsGenerated -update
