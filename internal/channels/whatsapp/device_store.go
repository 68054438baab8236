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

	"errand/internal/platform/whatsapp"
)

// whatsmeow takes any error while it decrypts for one of the message: it asks the
// sender for it once more, acknowledges it, and goes on with those behind it. After
// some attempts nobody has it any more. Where it is the store of the device that
// fails, the message must stay with WhatsApp instead, as one that the inbox does not
// take ([line.message]). What whatsmeow does not acknowledge is what ends with
// [context.Canceled].

// watchStore has the line know when the store of its device fails. A device has a store
// once it is linked, so each connection begins with it.
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

// checked returns err. If it is not nil, the store has failed: the connection ends, and
// nothing more of it is taken.
func (l *line) checked(err error) error {
	if err != nil && !errors.Is(err, context.Canceled) {
		l.storeFailed.Store(true)
		l.refuseRest(fmt.Errorf("the store of devices: %w", err))
	}
	return err
}

// unacknowledged is err, so that whatsmeow leaves the message with WhatsApp if the store
// has failed since the connection began.
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
	var ofMessage error // or of the stores that it has asked, which have said so
	err := s.EventBuffer.DoDecryptionTxn(ctx, func(ctx context.Context) error {
		ofMessage = decrypt(ctx)
		return ofMessage
	})
	if ofMessage == nil {
		err = s.l.checked(err) // it could not begin, or commit
	}
	return s.l.unacknowledged(err)
}

func (s watchedEvents) PutBufferedEvent(ctx context.Context, hash [32]byte, plaintext []byte, at time.Time) error {
	return s.l.checked(s.EventBuffer.PutBufferedEvent(ctx, hash, plaintext, at))
}

// sessions keep sending and receiving from overwriting what the other has made of the
// session with a device. whatsmeow reads it, encrypts or decrypts, and writes it back;
// it has a lock for sending only. Where a message that comes puts back the counter of what
// is sent, the next one is sent under a number that the other side has seen, and is
// dropped there without a word.
//
// A message that comes wins over one that is encrypted, for it cannot be put off for long.
// Somebody who writes all the time would so keep every answer in a group that they are in
// from being sent. After one was overtaken, messages that come wait for those that are
// encrypted, for [overtakenFor]: until these are written, at most for [longestHold]. Nothing
// that is encrypted waits for what is decrypted meanwhile: in between whatsmeow only asks
// WhatsApp for keys, and takes the answer past the messages that wait.
type sessions struct {
	mu        sync.Mutex        // of what is decrypted, and of writing what is encrypted
	read      map[string][]byte // by whoever encrypts: whatsmeow sends one after the other
	overtaken time.Time         // when something that was encrypted was last overtaken
	held      <-chan struct{}   // closed when messages that come need not wait any more; nil: they need not
	release   context.CancelFunc
}

const (
	// overtakenFor is longer than the pause before a delivery is tried again.
	overtakenFor = 10 * time.Minute
	// longestHold is for keys that WhatsApp is asked for. What fails in between does not
	// end the wait.
	longestHold = 5 * time.Second
)

// hold has messages that come wait until ctx is over, or done. The caller has the lock.
func (s *sessions) hold(ctx context.Context) {
	ctx, s.release = context.WithTimeout(ctx, longestHold)
	s.held = ctx.Done()
}

// done lets messages that wait come. The caller has the lock.
func (s *sessions) done() {
	if s.release != nil {
		s.release()
	}
	s.held, s.release = nil, nil
}

// lockToDecrypt locks mu when nobody holds back what is to be decrypted.
func (s *sessions) lockToDecrypt() {
	for {
		s.mu.Lock()
		held := s.held
		if held == nil {
			return
		}
		select {
		case <-held: // it took too long, or was given up
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

// PutManySessions keeps what was made of sessions by encrypting, before it is sent. It
// fails with [whatsapp.ErrOvertaken] if a message has come meanwhile: nothing is sent then,
// and it is encrypted anew.
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
			return whatsapp.ErrOvertaken
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
