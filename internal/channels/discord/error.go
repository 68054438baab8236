package discord

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"
)

// An Error is a failed call.
type Error struct {
	Status int      // of the answer; 0: no answer
	Code   int      // Discord's, such as 50001
	Text   string   // Discord's or errand's text; never the request body
	Fields []string // rejected fields (50035): "content: BASE_TYPE_MAX_LENGTH"
	// RetryAfter is the wait that Discord asked for. Global means that it applies to all calls.
	RetryAfter time.Duration
	Global     bool
	NotSent    bool // the request never reached Discord
	Err        error
}

func (e *Error) Error() string {
	text := e.Text
	if e.Status > 0 {
		text = fmt.Sprintf("%s (%d)", text, e.Status)
	}
	if e.Code > 0 {
		text = fmt.Sprintf("%s, code %d", text, e.Code)
	}
	if len(e.Fields) > 0 {
		text = fmt.Sprintf("%s: %v", text, e.Fields)
	}
	if e.Err != nil {
		text = fmt.Sprintf("%s: %v", text, e.Err)
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// HasCode reports whether err is an error response with one of these codes.
func HasCode(err error, codes ...int) bool {
	var e *Error
	return errors.As(err, &e) && slices.Contains(codes, e.Code)
}

type watch struct {
	to     http.RoundTripper
	status int
	header http.Header
}

// mostAnswer allows for a hundred messages of maximum length.
const mostAnswer = 16 << 20

func (w *watch) RoundTrip(r *http.Request) (*http.Response, error) {
	to := w.to
	if to == nil {
		to = http.DefaultTransport
	}
	resp, err := to.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	w.status, w.header = resp.StatusCode, resp.Header
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, mostAnswer), resp.Body}
	return resp, nil
}

func explain(seen *watch, err error) *Error {
	e := &Error{Status: seen.status}
	var asked *url.Error
	if errors.As(err, &asked) {
		err = asked.Err // without the URL, which may contain a token
	}
	var busy *discordgo.RateLimitError
	var no *discordgo.RESTError
	var dial *net.OpError
	switch {
	case seen.status == http.StatusTooManyRequests:
		e.Text, e.RetryAfter = "too many calls", seconds(seen.header.Get("Retry-After"))
		if errors.As(err, &busy) {
			e.RetryAfter = busy.RetryAfter
		}
		e.Global = seen.header.Get("X-RateLimit-Global") != ""
		e.RetryAfter = max(e.RetryAfter, 100*time.Millisecond)
	case errors.As(err, &no):
		e.Text = http.StatusText(seen.status)
		if no.Message != nil && no.Message.Message != "" {
			e.Code, e.Text = no.Message.Code, no.Message.Message
			e.Fields = fields(no.ResponseBody)
		}
	case seen.status > 0:
		e.Text = "the answer is not Discord's"
	case errors.As(err, &dial) && dial.Op == "dial":
		e.NotSent, e.Text, e.Err = true, "Discord cannot be reached", dial
	default:
		e.Text, e.Err = "no answer from Discord", err
	}
	return e
}

// fields omits Discord's explanations, which may repeat the request body.
func fields(body []byte) []string {
	var answer struct {
		Errors json.RawMessage `json:"errors"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return nil
	}
	list := walk("", answer.Errors, 0)
	slices.Sort(list)
	return list
}

func walk(path string, raw json.RawMessage, depth int) (list []string) {
	var at map[string]json.RawMessage
	if depth > 8 || json.Unmarshal(raw, &at) != nil {
		return nil
	}
	for name, below := range at {
		if name != "_errors" {
			list = append(list, walk(path+"."+name, below, depth+1)...)
			continue
		}
		var why []struct {
			Code string `json:"code"`
		}
		if json.Unmarshal(below, &why) == nil && len(why) > 0 && path != "" {
			list = append(list, path[1:]+": "+why[0].Code)
		}
	}
	return list
}

func seconds(s string) time.Duration {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f < 0 || f > 1e6 {
		return 0
	}
	return time.Duration(f * float64(time.Second))
}
