package whatsapp_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/proto"

	"errand/internal/test/sim/whatsapp"
)

// racing is whether the race detector looks on. It objects to whatsmeow itself
// when a connection breaks under a message: both the sender and the reconnection
// wait for the same event, whose GetChan writes under a read lock.
var racing bool

// A scene is a platform with errand's account and somebody else on it.
type scene struct {
	*whatsapp.Server
	t       *testing.T
	ctx     context.Context
	account *whatsapp.Account
	alice   *whatsapp.Person
}

func stage(t *testing.T) *scene {
	t.Helper()
	s := must(whatsapp.New(whatsapp.Options{}))(t)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return &scene{Server: s, t: t, ctx: ctx, account: must(s.AddAccount("Errand", "+4930100"))(t), alice: must(s.AddPerson("Alice", "+4930200"))(t)}
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func (s *scene) until(what string, true func() bool) {
	s.t.Helper()
	if err := s.Wait(s.ctx, true); err != nil {
		s.t.Fatalf("%s: %v", what, err)
	}
}

// A bot is errand's client, as errand sets it up.
type bot struct {
	*whatsmeow.Client
	scene  *scene
	refuse bool // to have handled a message

	mu       sync.Mutex
	messages []*events.Message
	logins   int
	changed  chan struct{}
}

func (s *scene) linked() *bot {
	s.t.Helper()
	devices := must(whatsapp.OpenStore(s.ctx, filepath.Join(s.t.TempDir(), "errand.db")))(s.t)
	s.t.Cleanup(func() { devices.Close() })
	dev := devices.NewDevice()
	if err := s.account.Link(s.ctx, dev); err != nil {
		s.t.Fatal(err)
	}
	b := s.client(dev)
	b.connect()
	return b
}

func (s *scene) client(dev *store.Device) *bot {
	b := &bot{Client: whatsmeow.NewClient(dev, nil), scene: s, changed: make(chan struct{})}
	s.Configure(b.Client)
	b.SynchronousAck, b.EnableDecryptedEventBuffer = true, true
	b.AddEventHandlerWithSuccessStatus(b.handle)
	s.t.Cleanup(b.Disconnect)
	return b
}

func (b *bot) connect() {
	b.scene.t.Helper()
	b.mu.Lock()
	before := b.logins
	b.mu.Unlock()
	if err := b.Connect(); err != nil {
		b.scene.t.Fatal(err)
	}
	b.until("login", func() bool { return b.logins > before })
}

func (b *bot) handle(event any) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer func() { close(b.changed); b.changed = make(chan struct{}) }()
	if m, ok := event.(*events.Message); ok && m.Info.Category != "peer" {
		b.messages = append(b.messages, m)
		return !b.refuse
	}
	if _, ok := event.(*events.Connected); ok {
		b.logins++
	}
	return true
}

// got waits for the nth message, counted from 1.
func (b *bot) got(n int) *events.Message {
	b.scene.t.Helper()
	var m *events.Message
	b.until("message", func() bool {
		if len(b.messages) >= n {
			m = b.messages[n-1]
		}
		return m != nil
	})
	return m
}

func (b *bot) until(what string, true func() bool) {
	b.scene.t.Helper()
	for {
		b.mu.Lock()
		done, changed := true(), b.changed
		b.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-b.scene.ctx.Done():
			b.scene.t.Fatalf("%s: %v", what, b.scene.ctx.Err())
		}
	}
}

func (b *bot) write(to types.JID, id, words string) error {
	_, err := b.SendMessage(b.scene.ctx, to, &waE2E.Message{Conversation: proto.String(words)}, whatsmeow.SendRequestExtra{ID: id})
	return err
}
