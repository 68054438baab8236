package whatsapp

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"time"

	"go.mau.fi/util/random"
	"go.mau.fi/whatsmeow/appstate"
	"go.mau.fi/whatsmeow/proto/waCommon"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/proto/waHistorySync"
	"go.mau.fi/whatsmeow/proto/waWeb"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"
)

// welcome is the phone telling a device that was just linked what it has to know:
// the key of the settings, among which is the account's name, and what was
// written before.
func (a *Account) welcome(ctx context.Context, number uint16) error {
	key, err := a.settings(ctx)
	if err != nil {
		return fmt.Errorf("prepare the settings of %s: %w", a.Name, err)
	}
	history, err := a.history()
	if err != nil {
		return fmt.Errorf("pack the history of %s: %w", a.Name, err)
	}
	for _, m := range []*waE2E.ProtocolMessage{
		{Type: waE2E.ProtocolMessage_HISTORY_SYNC_NOTIFICATION.Enum(), HistorySyncNotification: &waE2E.HistorySyncNotification{
			SyncType: waE2E.HistorySyncType_INITIAL_BOOTSTRAP.Enum(), ChunkOrder: proto.Uint32(1), Progress: proto.Uint32(100), InitialHistBootstrapInlinePayload: history}},
		{Type: waE2E.ProtocolMessage_APP_STATE_SYNC_KEY_SHARE.Enum(), AppStateSyncKeyShare: &waE2E.AppStateSyncKeyShare{Keys: []*waE2E.AppStateSyncKey{key}}},
	} {
		if err := a.send(ctx, at(a.LID(), number), &waE2E.Message{ProtocolMessage: m}); err != nil {
			return fmt.Errorf("welcome a device of %s: %w", a.Name, err)
		}
	}
	return nil
}

func (a *Account) settings(ctx context.Context) (*waE2E.AppStateSyncKey, error) {
	fingerprint := &waE2E.AppStateSyncKeyFingerprint{RawID: proto.Uint32(1), CurrentIndex: proto.Uint32(0), DeviceIndexes: []uint32{0}}
	raw, err := proto.Marshal(fingerprint)
	if err != nil {
		return nil, err
	}
	keys := a.phone.Store.AppStateKeys
	id, err := keys.GetLatestAppStateSyncKeyID(ctx)
	if err != nil {
		return nil, err
	}
	if id == nil {
		id = []byte{0, 0, 0, 0, 0, 1}
		key := store.AppStateSyncKey{Data: random.Bytes(32), Fingerprint: raw, Timestamp: time.Now().UnixMilli()}
		if err := keys.PutAppStateSyncKey(ctx, id, key); err != nil {
			return nil, err
		}
		if err := a.phone.SendAppState(ctx, appstate.BuildSettingPushName(a.Name)); err != nil {
			return nil, err
		}
	}
	key, err := keys.GetAppStateSyncKey(ctx, id)
	if err != nil {
		return nil, err
	}
	return &waE2E.AppStateSyncKey{KeyID: &waE2E.AppStateSyncKeyId{KeyID: id},
		KeyData: &waE2E.AppStateSyncKeyData{KeyData: key.Data, Fingerprint: fingerprint, Timestamp: &key.Timestamp}}, nil
}

// history packs what the phone shows, as a linked device gets it.
func (a *Account) history() ([]byte, error) {
	a.s.mu.Lock()
	all := &waHistorySync.HistorySync{SyncType: waHistorySync.HistorySync_INITIAL_BOOTSTRAP.Enum(), ChunkOrder: proto.Uint32(1), Progress: proto.Uint32(100)}
	for chat, lines := range a.seen.chats {
		name := chat
		if p := a.s.people[chat]; p != nil {
			name = p.LID().String()
		}
		c := &waHistorySync.Conversation{ID: &name}
		for _, l := range lines {
			c.Messages = append(c.Messages, &waHistorySync.HistorySyncMsg{Message: &waWeb.WebMessageInfo{Message: l.message, PushName: proto.String(l.By),
				MessageTimestamp: proto.Uint64(uint64(time.Now().Unix())), Participant: proto.String(l.Sender.String()),
				Key: &waCommon.MessageKey{RemoteJID: &name, FromMe: &l.Mine, ID: &l.ID}}})
		}
		all.Conversations = append(all.Conversations, c)
	}
	raw, err := proto.Marshal(all)
	a.s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, err = w.Write(raw)
	err = errors.Join(err, w.Close())
	return packed.Bytes(), err
}

// send sends something to one of the phone's own devices. whatsmeow, which is
// never a phone elsewhere, has no other way for it.
func (a *Account) send(ctx context.Context, to types.JID, m *waE2E.Message) error {
	raw, err := proto.Marshal(m)
	if err != nil {
		return err
	}
	id := a.phone.GenerateMessageID()
	//lint:ignore SA1019 the phone's half of the protocol is not whatsmeow's business
	inner := a.phone.DangerousInternals()
	list, _, err := inner.EncryptMessageForDevices(ctx, []types.JID{to}, id, raw, nil, attrs{})
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return errors.New("nothing could be encrypted")
	}
	content := append([]node{{Tag: "meta", Attrs: attrs{"appdata": "default"}}, inner.MakeDeviceIdentityNode()}, list[0].GetChildren()...)
	return inner.SendNode(ctx, node{Tag: "message", Attrs: attrs{"id": id, "type": "text", "category": "peer", "to": to}, Content: content})
}
