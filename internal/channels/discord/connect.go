package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"errand/internal/channels"
	"errand/internal/telemetry"
)

// MESSAGE_CONTENT has to be enabled for the bot.
const intents = discordgo.IntentGuilds | discordgo.IntentGuildMessages | discordgo.IntentDirectMessages | discordgo.IntentMessageContent

// The zero value of session cannot be resumed.
type session struct {
	id, url string
	seq     int64
}

// These errors end a connection that did not fail.
var (
	errReconnect = errors.New("the gateway asks to connect again")
	errInvalid   = errors.New("the session is not valid any more")
	errSilent    = errors.New("nothing is heard any more")
)

// keepSession is a close code that allows the session to be resumed; 1000 ends it.
const keepSession = 4900

func (r *run) connect(ctx context.Context) error {
	if r.session.id == "" {
		if err := r.loadCursors(ctx); err != nil {
			return err
		}
	}
	w, err := r.dial(ctx)
	if err != nil {
		return err
	}
	open, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() { w.beat(open) })
	done.Go(func() { // end the pending read when the connection ends
		<-open.Done()
		w.ws.SetReadDeadline(time.Now())
	})
	defer done.Wait()
	defer cancel()
	err = r.listen(ctx, w)
	code := keepSession
	if ctx.Err() != nil { // the session will not be resumed
		code, r.session = websocket.CloseNormalClosure, session{}
	}
	w.close(code)
	return err
}

func (r *run) dial(ctx context.Context) (*wire, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	address := r.session.url
	if address == "" {
		// This call also distinguishes an invalid token from an unreachable gateway.
		var found struct {
			URL   string `json:"url"`
			Limit struct {
				Remaining  *int  `json:"remaining"`
				ResetAfter int64 `json:"reset_after"` // ms
			} `json:"session_start_limit"`
		}
		if err := r.rest.Call(ctx, http.MethodGet, discordgo.EndpointGatewayBot, nil, &found); err != nil {
			return nil, err
		}
		if left := found.Limit.Remaining; left != nil && *left == 0 {
			return nil, &spentError{time.Duration(found.Limit.ResetAfter) * time.Millisecond}
		}
		address = found.URL
	}
	ws, _, err := r.Dialer.DialContext(ctx, address+"/?v="+discordgo.APIVersion+"&encoding=json", nil)
	if err != nil {
		return nil, fmt.Errorf("connect to the gateway: %w", err)
	}
	w := &wire{ws: ws, seq: r.session.seq}
	ws.SetReadLimit(mostFrame)
	ws.SetReadDeadline(time.Now().Add(20 * time.Second))
	f, err := w.read()
	var hello struct {
		Interval int64 `json:"heartbeat_interval"`
	}
	if err == nil && (f.Op != opHello || json.Unmarshal(f.Data, &hello) != nil || hello.Interval <= 0 || hello.Interval > mostInterval) {
		err = errors.New("the gateway does not greet")
	}
	if err == nil {
		w.interval = time.Duration(hello.Interval) * time.Millisecond
		err = r.introduce(w)
	}
	if err != nil {
		ws.Close()
		return nil, err
	}
	return w, nil
}

func (r *run) introduce(w *wire) error {
	if s := r.session; s.id != "" {
		return w.write(opResume, map[string]any{"token": "Bot " + r.Token, "session_id": s.id, "seq": s.seq})
	}
	return w.write(opIdentify, map[string]any{"token": "Bot " + r.Token, "intents": intents, "compress": true, "large_threshold": 50,
		"properties": map[string]string{"os": runtime.GOOS, "browser": "errand", "device": "errand"}})
}

// mostInterval is in ms. Discord's heartbeat interval is shorter.
const mostInterval = 10 * 60 * 1000

func (r *run) listen(ctx context.Context, w *wire) error {
	for {
		// Discord answers each heartbeat, so a read always gets something in time.
		w.ws.SetReadDeadline(time.Now().Add(2*w.interval + w.interval/4))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f, err := w.read()
		var slow interface{ Timeout() bool }
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &slow) && slow.Timeout():
			return errSilent
		case err != nil:
			return err
		}
		switch f.Op {
		case opDispatch:
			w.noteSequence(f.Seq)
			r.session.seq = f.Seq
			r.event(ctx, f)
		case opHeartbeat:
			if err := w.pulse(); err != nil {
				return err
			}
		case opReconnect:
			return errReconnect
		case opInvalid:
			if string(bytes.TrimSpace(f.Data)) != "true" {
				r.session = session{}
			}
			return errInvalid
		}
	}
}

// event must not wait, because its goroutine also receives heartbeats.
func (r *run) event(ctx context.Context, f frame) {
	var err error
	defer telemetry.RecoverPanic(r.Logger, "event skipped", nil) // it must not block later events
	switch f.Name {
	case "READY":
		var e struct {
			discordgo.Ready
			URL string `json:"resume_gateway_url"`
		}
		if err = json.Unmarshal(f.Data, &e); err == nil && e.User != nil {
			r.session.id, r.session.url = e.SessionID, e.URL
			r.begin(&e.Ready)
		}
	case "RESUMED":
		r.well()
	case "GUILD_CREATE":
		var g discordgo.Guild
		if err = json.Unmarshal(f.Data, &g); err == nil {
			r.guild(&g)
		}
	case "GUILD_DELETE":
		var g discordgo.Guild
		if err = json.Unmarshal(f.Data, &g); err == nil {
			r.forgetGuild(&g)
		}
	case "CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE":
		var c discordgo.Channel
		if err = json.Unmarshal(f.Data, &c); err == nil {
			r.place(&c)
		}
	default:
		err = r.sort(ctx, f)
	}
	if err != nil {
		r.Logger.Error("event skipped, because it cannot be read", "event", f.Name, "error", err)
	}
}

func (r *run) well() {
	r.failures = 0
	r.report(channels.Status{State: channels.Connected, Detail: "as " + r.me.Username, Handles: []string{r.me.ID}})
}
