package discord

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"errand/internal/channels"
)

// The opcodes of the gateway (https://docs.discord.com/developers/topics/gateway).
const (
	opDispatch  = 0
	opHeartbeat = 1
	opIdentify  = 2
	opResume    = 6
	opReconnect = 7
	opInvalid   = 9
	opHello     = 10
)

type frame struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d,omitempty"`
	Seq  int64           `json:"s,omitempty"`
	Name string          `json:"t,omitempty"`
}

// mostFrame allows for an event with all channels of a server.
const mostFrame = 64 << 20

type wire struct {
	ws       *websocket.Conn
	interval time.Duration // of heartbeats

	mu  sync.Mutex // guards writing and seq
	seq int64
}

func (w *wire) read() (f frame, err error) {
	kind, raw, err := w.ws.ReadMessage()
	if err != nil {
		return f, err
	}
	if kind == websocket.BinaryMessage {
		z, err := zlib.NewReader(bytes.NewReader(raw))
		if err != nil {
			return f, err
		}
		if raw, err = io.ReadAll(io.LimitReader(z, mostFrame)); err != nil {
			return f, err
		}
	}
	return f, json.Unmarshal(raw, &f)
}

func (w *wire) write(op int, data any) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ws.SetWriteDeadline(time.Now().Add(10 * time.Second))
	return w.ws.WriteJSON(map[string]any{"op": op, "d": data})
}

func (w *wire) noteSequence(seq int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seq = seq
}

func (w *wire) pulse() error {
	w.mu.Lock()
	seq := any(w.seq)
	if w.seq == 0 {
		seq = nil
	}
	w.mu.Unlock()
	return w.write(opHeartbeat, seq)
}

// beat sends the first heartbeat at a random time, so that clients do not all send at once. The
// reader detects failures.
func (w *wire) beat(ctx context.Context) {
	wait := time.Duration(rand.Int64N(int64(w.interval)))
	for {
		channels.Sleep(ctx, wait)
		if ctx.Err() != nil || w.pulse() != nil {
			return
		}
		wait = w.interval
	}
}

func (w *wire) close(code int) {
	w.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second))
	w.ws.Close()
}
