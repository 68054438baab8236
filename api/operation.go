// Package api declares every operation of errand once, and has a Go client for them. The
// declarations have no behaviour: package service binds a function to each operation, and package
// ops checks rights and runs it.
//
// # Inputs
//
// Each field of an input has a tag path, query, header or wire, or is called Body. More tags
// describe it:
//
//	path:"id" id:"task"          the id of a task, or the beginning of one
//	query:"limit" maximum:"1000" a number from 1 to 1000; also default
//	query:"agent" maxLength:"60" text, trimmed; without maxLength it is not trimmed
//	query:"state"                one value of a type that lists its values; a slice takes several
//	query:"before"               of type [DateOrTime]
//	wire:"-"                     never read from a request: only callers inside the program set it
//
// The HTTP door checks only the form of an input. The operation's function checks every rule,
// because commands and tools do not use the door.
package api

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"time"

	"errand/internal/core"
)

// A Spec describes an operation for the runner, the doors, the client and the documents.
type Spec struct {
	Name  string // unique, such as "cancelTask": also the operationId, and part of cursors
	Needs string // the capability that each call needs; the runner checks it
	// Least is the least role for the route; empty: that of the capability Needs.
	Least   core.Role
	Also    []string    // capabilities that the function checks, depending on the input or a row
	Route   string      // a pattern of [net/http.ServeMux]; empty: not offered over HTTP
	Status  int         // of success; 0: 200. A method HTTPStatus() int of the answer overrides it.
	Rate    Rate        // how calls are limited
	Deeds   []core.Deed // what the store may write to the audit log
	Tool    bool        // only tools of agents call it
	Waits   bool        // it may wait; the caller's rights are checked again before it answers
	Media   string      // the media type of a File or an Upload
	MaxBody int64       // of a request, in bytes; 0: 1 MB
	About   string      // one sentence
	More    string      // what About leaves out
	Answer  string      // describes a successful answer; empty: About
}

// A Rate says how calls are limited.
type Rate int

// The rates.
const (
	RateNone    Rate = iota
	RateMessage      // one message; the runner counts it before it reads the input
	RateHandler      // the function counts
)

// An Op is an operation with one answer. In may have a field Body of type [Upload]. Out may be a
// [File] or a [List].
type Op[In, Out any] Spec

// A Stream is an operation that sends events until its context ends.
type Stream[In, Event any] Spec

// Any is an [Op] or a [Stream] of any types.
type Any interface {
	Spec() Spec
	In() reflect.Type
	Out() reflect.Type
	Streams() bool
}

func (o Op[In, Out]) Spec() Spec        { return Spec(o) }
func (o Op[In, Out]) In() reflect.Type  { return reflect.TypeFor[In]() }
func (o Op[In, Out]) Out() reflect.Type { return reflect.TypeFor[Out]() }
func (o Op[In, Out]) Streams() bool     { return false }

func (o Stream[In, Event]) Spec() Spec        { return Spec(o) }
func (o Stream[In, Event]) In() reflect.Type  { return reflect.TypeFor[In]() }
func (o Stream[In, Event]) Out() reflect.Type { return reflect.TypeFor[Event]() }
func (o Stream[In, Event]) Streams() bool     { return true }

// None is the input of an operation that needs none.
type None struct{}

// A List is one page. On the wire it is a JSON array ([] if it is empty) and a header Link.
type List[T any] struct {
	Items []T
	Next  string // cursor of the next page; empty: this is the last page
}

// Page returns the items and the cursor of the next page.
func (l List[T]) Page() (items any, next string) {
	if l.Items == nil {
		return []T{}, l.Next
	}
	return l.Items, l.Next
}

// Item is the type of the list's items.
func (List[T]) Item() reflect.Type { return reflect.TypeFor[T]() }

// A File is the content of a file.
type File struct {
	io.Reader
	Name    string // under which a browser saves it; empty: the browser shows it
	Type    string // its media type; empty: that of the operation
	Size    int64  // in bytes; 0: unknown
	Version int    // number of this version; 0: the file has no versions
}

// An Upload is the body of a request, as bytes. The HTTP door refuses a body that is longer than
// MaxBody.
type Upload struct{ io.Reader }

// NewUpload returns an Upload with the content raw.
func NewUpload(raw []byte) Upload { return Upload{bytes.NewBuffer(raw)} }

// Bytes returns what is left to read. It copies nothing of bytes that were read already.
func (u Upload) Bytes() ([]byte, error) {
	if b, ok := u.Reader.(*bytes.Buffer); ok {
		return b.Bytes(), nil
	}
	return io.ReadAll(u.Reader)
}

// A DateOrTime is a date or an RFC 3339 time in a query; zero: not given.
type DateOrTime struct{ time.Time }

// ParseDateOrTime reads an RFC 3339 time or a date; empty: none.
func ParseDateOrTime(text string) (at DateOrTime, err error) {
	if text == "" {
		return at, nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if at.Time, err = time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return at, fmt.Errorf("want a time like 2026-11-21T09:00:00Z or a date like 2026-11-21, not %q", core.Cut(text, 40))
}

// Person is part of inputs that can name another person.
type Person struct {
	Person core.PersonID `query:"person" description:"id of a person; default: you. Partners and master_admins may name another person, or * for all"`
}

// After is part of inputs that read a list in pages.
type After struct {
	After string `query:"after" description:"cursor of the next page, from the header Link (rel=\"next\") of the page before. A full page has that header. The cursor stays valid when entries are added or removed"`
}

// ChatName is part of inputs with a chat of the page or the API in the path.
type ChatName struct {
	Chat string `path:"chat" description:"name of the chat, \"main\" on the page"`
}
