// Package a2aclient reaches agents of other systems over A2A: it sends them tasks, looks how
// those stand, and has them end. What a peer says is bounded and turned into errand's words;
// nothing of it is believed.
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

	"errand"
	"errand/internal/fetch"
)

const (
	exchange = 60 * time.Second // a request and its answer
	glance   = 10 * time.Second // reading the card, or how a task stands: who is asked has it at hand
	keepCard = 10 * time.Minute // before it is read again: a peer may move
)

// A Peer is one agent of another system. It is safe for concurrent use.
type Peer struct {
	card   *url.URL
	http   *http.Client
	stream bool // it may be followed

	reading chan struct{} // has one while the card is read: once for all who wait
	streams chan struct{} // has one for each task that is followed, of all peers that share it

	mu        sync.Mutex
	client    *a2aclient.Client
	streaming bool      // by its card
	read      time.Time // when the card was read that client is made of
}

// Options say where a peer is, and whether errand follows its streams.
type Options struct {
	// Card is its address, as the operator has written it: its host may be private.
	Card string
	// Headers go to that host alone, wherever the card or a redirect leads.
	Headers map[string]string
	// Stream is whether a peer that has streams is followed on them.
	Stream bool
	// Streams has room for as many tasks as are followed at once. Each takes a slot of a worker
	// while it is followed, so all peers of a worker share one. Default: room for eight.
	Streams chan struct{}
}

// New returns the agent of a card.
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

// Start sends a task as a message with an id that each attempt repeats.
func (p *Peer) Start(ctx context.Context, order errand.PeerOrder) (errand.PeerTask, error) {
	client, err := p.connect(ctx)
	if err != nil {
		return errand.PeerTask{}, err
	}
	ctx, sent := noteSent(ctx)
	answer, err := client.SendMessage(ctx, &a2a.SendMessageRequest{
		Message: &a2a.Message{ID: order.Message, Role: a2a.MessageRoleUser, Parts: a2a.ContentParts{a2a.NewTextPart(order.Text)}},
		Config:  &a2a.SendMessageConfig{ReturnImmediately: true},
	})
	if err != nil {
		if err = p.lost(err); sent.Load() && !errors.Is(err, context.Canceled) {
			err = fmt.Errorf("%w: %w", errand.ErrPeerMayHaveBegun, err)
		}
		return errand.PeerTask{}, err
	}
	switch answer := answer.(type) {
	case *a2a.Task:
		if answer.ID == "" {
			return errand.PeerTask{}, errors.New("the peer has made a task without an id")
		}
		if !isID(string(answer.ID)) {
			return errand.PeerTask{State: errand.Failed, Text: fmt.Sprintf("The peer has given the task an id that cannot be kept: it has control characters, or more than %d bytes. The task may go on there.", longestID)}, nil
		}
		return p.finished(ctx, peerTask(answer), partsOf(answer))
	case *a2a.Message:
		return p.finished(ctx, errand.PeerTask{State: errand.Completed, Text: partsText(answer.Parts, false)}, answer.Parts)
	}
	return errand.PeerTask{}, errors.New("the peer has answered with neither a task nor a message")
}

// Answer sends text as a message to a task that the peer has, with an id that each attempt
// repeats.
func (p *Peer) Answer(ctx context.Context, task errand.PeerTask, message, text string) (errand.PeerTask, error) {
	client, err := p.connect(ctx)
	if err != nil {
		return errand.PeerTask{}, err
	}
	answer, err := client.SendMessage(ctx, &a2a.SendMessageRequest{
		Message: &a2a.Message{ID: message, TaskID: a2a.TaskID(task.ID), ContextID: task.Context, Role: a2a.MessageRoleUser, Parts: a2a.ContentParts{a2a.NewTextPart(text)}},
		Config:  &a2a.SendMessageConfig{ReturnImmediately: true},
	})
	if err != nil {
		return errand.PeerTask{}, p.lost(err)
	}
	switch answer := answer.(type) {
	case *a2a.Task:
		if string(answer.ID) == task.ID {
			return p.finished(ctx, peerTask(answer), partsOf(answer))
		}
	case *a2a.Message:
		return p.finished(ctx, errand.PeerTask{ID: task.ID, State: errand.Completed, Text: partsText(answer.Parts, false)}, answer.Parts)
	}
	return errand.PeerTask{}, errors.New("the peer has answered about another task")
}

// Poll returns how a task stands, and with its result the files of that.
func (p *Peer) Poll(ctx context.Context, id string) (errand.PeerTask, error) {
	looking, end := context.WithTimeout(ctx, 2*glance) // with the card
	defer end()
	client, err := p.connect(looking)
	if err != nil {
		return errand.PeerTask{}, err
	}
	task, err := client.GetTask(looking, &a2a.GetTaskRequest{ID: a2a.TaskID(id)})
	switch {
	case errors.Is(err, a2a.ErrTaskNotFound):
		return errand.PeerTask{ID: id, State: errand.Failed, Text: "The peer does not know the task any more.", Gone: true}, nil
	case err != nil:
		return errand.PeerTask{}, p.lost(err)
	case string(task.ID) != id:
		return errand.PeerTask{}, errors.New("the peer has answered about another task")
	}
	return p.finished(ctx, peerTask(task), partsOf(task))
}

// Cancel has a task end.
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

// Check reads the card of the peer anew; an error says why it cannot be reached.
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

// known is the client by a card that was read lately, or nil.
func (p *Peer) known() *a2aclient.Client {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.read) >= keepCard {
		return nil
	}
	return p.client
}

// lost is err, after which the card is read anew.
func (p *Peer) lost(err error) error {
	if err == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.client = nil
	return short(err)
}

// short keeps what a peer has written into an error from being long.
func short(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return errors.New(errand.Cut(err.Error(), 300))
}
