// Package a2aclient calls agents of other systems over A2A: it sends them tasks, polls and
// cancels them. It limits and rephrases what a peer says, and treats it as untrusted.
package a2aclient

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"

	"errand/internal/core"
	"errand/internal/fetch"
)

const (
	exchange = 60 * time.Second // for a request and its response
	glance   = 10 * time.Second // for the card or the state of a task: a peer has these at hand
	keepCard = 10 * time.Minute // before it is read again: a peer may move
)

// A Peer is one agent of another system. It is safe for concurrent use.
type Peer struct {
	card   *url.URL
	http   *http.Client
	stream bool // follow streams, if the peer has them

	reading chan struct{} // held while the card is read, so that concurrent callers read it once
	streams chan struct{} // one slot per followed task; peers may share it

	mu        sync.Mutex
	client    *a2aclient.Client
	streaming bool      // the card offers streams
	read      time.Time // when the card was read
}

// Options configure a Peer.
type Options struct {
	// Card is the URL of its agent card, as configured. The host may be private.
	Card string
	// Headers are sent only to the host of Card, never to another host that the card or a
	// redirect names.
	Headers map[string]string
	// Stream enables following the peer's streams.
	Stream bool
	// Streams limits the tasks followed at once. Each takes a slot of a worker, so all peers of
	// a worker share one channel. Default: a channel of capacity eight.
	Streams chan struct{}
}

// New returns a peer. It does not read the card yet.
func New(o Options) (*Peer, error) {
	at, err := url.Parse(o.Card)
	if err != nil || at.Host == "" {
		return nil, errors.New("its card has no address")
	}
	guarded, err := fetch.New(fetch.Options{Allow: []string{net.JoinHostPort(at.Hostname(), portOf(at))}, Timeout: exchange})
	if err != nil {
		return nil, err
	}
	if o.Streams == nil {
		o.Streams = make(chan struct{}, 8)
	}
	client := *guarded.HTTP()
	client.Timeout = exchange
	client.Transport = &transport{next: client.Transport, card: at, headers: o.Headers}
	return &Peer{card: at, http: &client, stream: o.Stream, reading: make(chan struct{}, 1), streams: o.Streams}, nil
}

// Start sends a task. The message id in order is the same in each attempt.
func (p *Peer) Start(ctx context.Context, order core.PeerOrder) (core.PeerTask, error) {
	client, err := p.connect(ctx)
	if err != nil {
		return core.PeerTask{}, err
	}
	ctx, sent := noteSent(ctx)
	answer, err := client.SendMessage(ctx, &a2a.SendMessageRequest{
		Message: &a2a.Message{ID: order.Message, Role: a2a.MessageRoleUser, Parts: a2a.ContentParts{a2a.NewTextPart(order.Text)}},
		Config:  &a2a.SendMessageConfig{ReturnImmediately: true},
	})
	if err != nil {
		if err = p.lost(err); sent.Load() && !errors.Is(err, context.Canceled) {
			err = fmt.Errorf("%w: %w", core.ErrPeerMayHaveBegun, err)
		}
		return core.PeerTask{}, err
	}
	switch answer := answer.(type) {
	case *a2a.Task:
		if answer.ID == "" {
			return core.PeerTask{}, errors.New("the peer has made a task without an id")
		}
		if !isID(string(answer.ID)) {
			return core.PeerTask{State: core.Failed, Text: fmt.Sprintf("The peer has given the task an id that cannot be kept: it has control characters, or more than %d bytes. The task may go on there.", longestID)}, nil
		}
		return p.finished(ctx, peerTask(answer), partsOf(answer))
	case *a2a.Message:
		return p.finished(ctx, core.PeerTask{State: core.Completed, Text: partsText(answer.Parts, false)}, answer.Parts)
	}
	return core.PeerTask{}, errors.New("the peer has answered with neither a task nor a message")
}

// Answer sends text to a task of the peer. The message id is the same in each attempt.
func (p *Peer) Answer(ctx context.Context, task core.PeerTask, message, text string) (core.PeerTask, error) {
	client, err := p.connect(ctx)
	if err != nil {
		return core.PeerTask{}, err
	}
	answer, err := client.SendMessage(ctx, &a2a.SendMessageRequest{
		Message: &a2a.Message{ID: message, TaskID: a2a.TaskID(task.ID), ContextID: task.Context, Role: a2a.MessageRoleUser, Parts: a2a.ContentParts{a2a.NewTextPart(text)}},
		Config:  &a2a.SendMessageConfig{ReturnImmediately: true},
	})
	if err != nil {
		return core.PeerTask{}, p.lost(err)
	}
	switch answer := answer.(type) {
	case *a2a.Task:
		if string(answer.ID) == task.ID {
			return p.finished(ctx, peerTask(answer), partsOf(answer))
		}
	case *a2a.Message:
		return p.finished(ctx, core.PeerTask{ID: task.ID, State: core.Completed, Text: partsText(answer.Parts, false)}, answer.Parts)
	}
	return core.PeerTask{}, errors.New("the peer has answered about another task")
}

// Poll returns the state of a task, with the files of its result.
func (p *Peer) Poll(ctx context.Context, id string) (core.PeerTask, error) {
	looking, end := context.WithTimeout(ctx, 2*glance) // includes reading the card
	defer end()
	client, err := p.connect(looking)
	if err != nil {
		return core.PeerTask{}, err
	}
	task, err := client.GetTask(looking, &a2a.GetTaskRequest{ID: a2a.TaskID(id)})
	switch {
	case errors.Is(err, a2a.ErrTaskNotFound):
		return core.PeerTask{ID: id, State: core.Failed, Text: "The peer does not know the task any more.", Gone: true}, nil
	case err != nil:
		return core.PeerTask{}, p.lost(err)
	case string(task.ID) != id:
		return core.PeerTask{}, errors.New("the peer has answered about another task")
	}
	return p.finished(ctx, peerTask(task), partsOf(task))
}

// Cancel cancels a task. A task that is unknown or has ended is not an error.
func (p *Peer) Cancel(ctx context.Context, id string) error {
	client, err := p.connect(ctx)
	if err != nil {
		return err
	}
	_, err = client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: a2a.TaskID(id)})
	if errors.Is(err, a2a.ErrTaskNotFound) || errors.Is(err, a2a.ErrTaskNotCancelable) {
		return nil
	}
	return p.lost(err)
}

// Check reads the card again. An error says why the peer cannot be reached.
func (p *Peer) Check(ctx context.Context) error {
	p.mu.Lock()
	p.client = nil
	p.mu.Unlock()
	_, err := p.connect(ctx)
	return err
}

func (p *Peer) connect(ctx context.Context) (*a2aclient.Client, error) {
	if client := p.known(); client != nil {
		return client, nil
	}
	ctx, end := context.WithTimeout(ctx, glance)
	defer end()
	select {
	case p.reading <- struct{}{}:
		defer func() { <-p.reading }()
	case <-ctx.Done():
		return nil, fmt.Errorf("read the card: %w", ctx.Err())
	}
	if client := p.known(); client != nil {
		return client, nil
	}
	resolver := agentcard.Resolver{Client: p.http, CardParser: a2av0.NewAgentCardParser()}
	base := url.URL{Scheme: p.card.Scheme, Host: p.card.Host}
	card, err := resolver.Resolve(ctx, base.String(), agentcard.WithPath(p.card.Path))
	if err != nil {
		return nil, fmt.Errorf("read the card: %w", short(err))
	}
	client, err := a2aclient.NewFromCard(ctx, card,
		a2aclient.WithJSONRPCTransport(p.http), a2aclient.WithRESTTransport(p.http),
		a2av0.WithJSONRPCTransport(a2av0.JSONRPCTransportConfig{Client: p.http}), a2av0.WithRESTTransport(a2av0.RESTTransportConfig{Client: p.http}))
	if err != nil {
		return nil, fmt.Errorf("by its card: %w", short(err))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.client, p.streaming, p.read = client, card.Capabilities.Streaming, time.Now()
	return client, nil
}

func (p *Peer) known() *a2aclient.Client {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.read) >= keepCard {
		return nil
	}
	return p.client
}

// lost returns a shortened err and makes the next call read the card again.
func (p *Peer) lost(err error) error {
	if err == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.client = nil
	return short(err)
}

// short limits the length of an error, because the peer may have written it.
func short(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return errors.New(core.Cut(err.Error(), 300))
}
