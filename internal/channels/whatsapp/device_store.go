package whatsapp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/util/keys"
)

// whatsmeow treats any error during decryption as an error of the message: it asks the sender to
// send it again, acknowledges it, and continues. After some attempts the message is lost. If the
// store of the device fails, the message must stay with WhatsApp instead, like one that the inbox
// did not commit ([line.message]). whatsmeow does not acknowledge a message if the error is
// [context.Canceled].

// watchStore runs for each connection, because a device has a store only once it is linked.
func (l *line) watchStore() {
	dev := l.client.Store
	if _, watched := dev.EventBuffer.(watchedEvents); watched || !dev.Initialized {
		return
	}
	dev.EventBuffer = watchedEvents{dev.EventBuffer, l}
	dev.Sessions = watchedSessions{dev.Sessions, l}
	dev.Identities = watchedIdentities{dev.Identities, l}
	dev.PreKeys = watchedPreKeys{dev.PreKeys, l}
	dev.SenderKeys = watchedSenderKeys{dev.SenderKeys, l}
	dev.LIDs = watchedLIDs{dev.LIDs, l}
}

// checked ends the connection if err is a failure of the store.
func (l *line) checked(err error) error {
	if err != nil && !errors.Is(err, context.Canceled) {
		l.storeFailed.Store(true)
		l.refuseRest(fmt.Errorf("the store of devices: %w", err))
	}
	return err
}

// unacknowledged leaves the message with WhatsApp if the store has failed.
func (l *line) unacknowledged(err error) error {
	if err != nil && l.storeFailed.Load() {
		return fmt.Errorf("%w: the store of devices fails: %w", context.Canceled, err)
	}
	return err
}

type watchedEvents struct {
	store.EventBuffer
	l *line
}

func (s watchedEvents) GetBufferedEvent(ctx context.Context, hash [32]byte) (*store.BufferedEvent, error) {
	e, err := s.EventBuffer.GetBufferedEvent(ctx, hash)
	return e, s.l.unacknowledged(s.l.checked(err))
}

func (s watchedEvents) DoDecryptionTxn(ctx context.Context, decrypt func(context.Context) error) error {
	s.l.sessions.lockToDecrypt()
	defer s.l.sessions.mu.Unlock()
	var ofMessage error // of the message, or of a store, which has called checked
	err := s.EventBuffer.DoDecryptionTxn(ctx, func(ctx context.Context) error {
		ofMessage = decrypt(ctx)
		return ofMessage
	})
	if ofMessage == nil {
		err = s.l.checked(err) // the transaction could not begin or commit
	}
	return s.l.unacknowledged(err)
}

func (s watchedEvents) PutBufferedEvent(ctx context.Context, hash [32]byte, plaintext []byte, at time.Time) error {
	return s.l.checked(s.EventBuffer.PutBufferedEvent(ctx, hash, plaintext, at))
}

// sessions prevent that sending and receiving overwrite each other's encryption session with a
// device. whatsmeow reads a session, encrypts or decrypts, and writes the session back. Its lock
// covers sending only. If a received message reset the counter of sent messages, the other side
// would silently drop the next one.
//
// A received message wins over one that is being encrypted, because it cannot wait for long. But a
// person who writes all the time could then stop every reply in a group. For [overtakenFor] after a
// send was overtaken, received messages therefore wait until the sessions of a send are written,
// but at most for [longestHold]. This cannot deadlock: meanwhile whatsmeow only requests keys from
// WhatsApp, and it handles the answer before the messages that wait.
type sessions struct {
	mu        sync.Mutex        // held to decrypt, and to write sessions after encryption
	read      map[string][]byte // sessions read for encryption; whatsmeow sends one message at a time
	overtaken time.Time         // when a send was last overtaken
	held      <-chan struct{}   // closed when received messages may continue; nil: they need not wait
	release   context.CancelFunc
}

const (
	// overtakenFor is longer than the pause before a delivery is retried.
	overtakenFor = 10 * time.Minute
	// longestHold allows for a request for keys. An error during encryption does not end the
	// wait.
	longestHold = 5 * time.Second
)

// hold requires that the caller holds mu.
func (s *sessions) hold(ctx context.Context) {
	ctx, s.release = context.WithTimeout(ctx, longestHold)
	s.held = ctx.Done()
}

// done releases waiting messages. The caller holds mu.
func (s *sessions) done() {
	if s.release != nil {
		s.release()
	}
	s.held, s.release = nil, nil
}

// lockToDecrypt locks mu after any hold on received messages has ended.
func (s *sessions) lockToDecrypt() {
	for {
		s.mu.Lock()
		held := s.held
		if held == nil {
			return
		}
		select {
		case <-held: // the hold timed out or was cancelled
			s.done()
			return
		default:
		}
		s.mu.Unlock()
		<-held
	}
}

type watchedSessions struct {
	store.SessionStore
	l *line
}

func (s watchedSessions) GetManySessions(ctx context.Context, addresses []string) (map[string][]byte, error) {
	s.l.sessions.mu.Lock()
	defer s.l.sessions.mu.Unlock()
	s.l.sessions.done()
	found, err := s.SessionStore.GetManySessions(ctx, addresses)
	s.l.sessions.read = found
	if err == nil && time.Since(s.l.sessions.overtaken) < overtakenFor {
		s.l.sessions.hold(ctx)
	}
	return found, err
}

// PutManySessions stores sessions before a message is sent. It returns [ErrOvertaken] if a message
// was received since the sessions were read. The message is then not sent and must be encrypted
// again.
func (s watchedSessions) PutManySessions(ctx context.Context, made map[string][]byte) error {
	s.l.sessions.mu.Lock()
	defer s.l.sessions.mu.Unlock()
	defer s.l.sessions.done()
	for address := range made {
		now, err := s.SessionStore.GetSession(ctx, address)
		if err != nil {
			return err
		}
		if !bytes.Equal(now, s.l.sessions.read[address]) {
			s.l.sessions.overtaken = time.Now()
			return ErrOvertaken
		}
	}
	return s.SessionStore.PutManySessions(ctx, made)
}

func (s watchedSessions) GetSession(ctx context.Context, address string) ([]byte, error) {
	v, err := s.SessionStore.GetSession(ctx, address)
	return v, s.l.checked(err)
}

func (s watchedSessions) HasSession(ctx context.Context, address string) (bool, error) {
	v, err := s.SessionStore.HasSession(ctx, address)
	return v, s.l.checked(err)
}

func (s watchedSessions) PutSession(ctx context.Context, address string, session []byte) error {
	return s.l.checked(s.SessionStore.PutSession(ctx, address, session))
}

func (s watchedSessions) DeleteSession(ctx context.Context, address string) error {
	return s.l.checked(s.SessionStore.DeleteSession(ctx, address))
}

func (s watchedSessions) MigratePNToLID(ctx context.Context, pn, lid types.JID) error {
	return s.l.checked(s.SessionStore.MigratePNToLID(ctx, pn, lid))
}

type watchedIdentities struct {
	store.IdentityStore
	l *line
}

func (s watchedIdentities) PutIdentity(ctx context.Context, address string, key [32]byte) error {
	return s.l.checked(s.IdentityStore.PutIdentity(ctx, address, key))
}

func (s watchedIdentities) DeleteIdentity(ctx context.Context, address string) error {
	return s.l.checked(s.IdentityStore.DeleteIdentity(ctx, address))
}

func (s watchedIdentities) IsTrustedIdentity(ctx context.Context, address string, key [32]byte) (bool, error) {
	v, err := s.IdentityStore.IsTrustedIdentity(ctx, address, key)
	return v, s.l.checked(err)
}

type watchedPreKeys struct {
	store.PreKeyStore
	l *line
}

func (s watchedPreKeys) GetPreKey(ctx context.Context, id uint32) (*keys.PreKey, error) {
	v, err := s.PreKeyStore.GetPreKey(ctx, id)
	return v, s.l.checked(err)
}

func (s watchedPreKeys) RemovePreKey(ctx context.Context, id uint32) error {
	return s.l.checked(s.PreKeyStore.RemovePreKey(ctx, id))
}

type watchedSenderKeys struct {
	store.SenderKeyStore
	l *line
}

func (s watchedSenderKeys) PutSenderKey(ctx context.Context, group, user string, session []byte) error {
	return s.l.checked(s.SenderKeyStore.PutSenderKey(ctx, group, user, session))
}

func (s watchedSenderKeys) GetSenderKey(ctx context.Context, group, user string) ([]byte, error) {
	v, err := s.SenderKeyStore.GetSenderKey(ctx, group, user)
	return v, s.l.checked(err)
}

type watchedLIDs struct {
	store.LIDStore
	l *line
}

func (s watchedLIDs) GetLIDForPN(ctx context.Context, pn types.JID) (types.JID, error) {
	v, err := s.LIDStore.GetLIDForPN(ctx, pn)
	return v, s.l.checked(err)
}
