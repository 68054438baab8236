package chaos

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"errand/internal/test/sim/telegram"
)

var stages = map[string]func(*testing.T) stage{
	"telegram": onTelegram,
	"discord":  onDiscord,
	"whatsapp": onWhatsApp,
}

var names = [people]string{"Ana", "Ben"}

type telegramStage struct {
	*telegram.Server
	bot    *telegram.Bot
	people [people]*telegram.Person
	chats  [people]*telegram.Chat
	shut   atomic.Bool
	web    *httptest.Server
}

func onTelegram(t *testing.T) stage { return onTelegramWith(t, telegram.Options{}) }

func onTelegramWith(t *testing.T, o telegram.Options) *telegramStage {
	s := &telegramStage{Server: telegram.New(o)}
	s.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.shut.Load() {
			panic(http.ErrAbortHandler)
		}
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { s.web.CloseClientConnections(); s.web.Close() })
	s.bot = s.AddBot("errand_bot")
	for i, name := range names {
		s.people[i] = s.AddPerson(telegram.Person{Name: name})
		s.chats[i] = s.Private(s.people[i], s.bot)
	}
	return s
}

func (s *telegramStage) config() (string, []string) {
	return fmt.Sprintf("  telegram: [{account: main, token_env: CHAOS_TOKEN, access: open, role: member, url: %q}]\n", s.web.URL), []string{"CHAOS_TOKEN=" + s.bot.Token}
}

func (s *telegramStage) certain() bool { return false }

func (s *telegramStage) write(_ *testing.T, person int, text string) {
	s.Write(s.chats[person], s.people[person], text)
}

func (s *telegramStage) reads(person int) []string {
	return textsOf(s.Lines(s.chats[person]))
}

func (s *telegramStage) files(person int) (files []sentFile) {
	for _, l := range s.Lines(s.chats[person]) {
		if l.File != "" {
			files = append(files, sentFile{l.File, string(l.Data), l.Text})
		}
	}
	return files
}

func textsOf(lines []telegram.Line) (texts []string) {
	for _, l := range lines {
		texts = append(texts, l.Text)
	}
	return texts
}

func (s *telegramStage) meet(f fault) (func(), bool) {
	send := func(f telegram.Fault) (func(), bool) {
		s.Order("sendMessage", f)
		return nil, true
	}
	switch f {
	case dropped:
		s.web.CloseClientConnections()
		return nil, true
	case away:
		s.shut.Store(true)
		s.web.CloseClientConnections()
		return func() { s.shut.Store(false) }, true
	case twice:
		return func() { s.Repeat(s.bot, 10) }, true
	case disordered, held:
		release := s.Hold(s.bot)
		return func() {
			if f == disordered {
				s.Shuffle(s.bot)
			}
			release()
		}, true
	case slowDown:
		return send(telegram.Fault{Kind: telegram.TooMany, RetryAfter: 2})
	case broken:
		return send(telegram.Fault{Kind: telegram.Broken})
	case diesBeforeReceipt:
		return send(telegram.Fault{Kind: telegram.DieBefore})
	case diesAfterReceipt:
		return send(telegram.Fault{Kind: telegram.DieAfter})
	}
	return nil, false
}

func (s *telegramStage) words() int { return 1771 } // of 4,096 units a message

func (s *telegramStage) breakOff(acknowledged int, received bool, met func()) {
	kind := telegram.DieBefore
	if received {
		kind = telegram.DieAfter
	}
	s.Order("sendMessage", append(make([]telegram.Fault, acknowledged), telegram.Fault{Kind: kind, Met: met})...)
}

func (s *telegramStage) gatherings(*testing.T) []*gathering {
	chat := func(how string, by int, end func(*telegram.Chat)) *gathering {
		c, topic := s.AddGroup("Team", true, s.bot), 0
		if end == nil {
			topic = s.AddTopic(c)
			end = func(c *telegram.Chat) { s.RemoveTopic(c, topic) }
		}
		return &gathering{how: how, by: by, chat: fmt.Sprint(c.ID),
			write: func(text string) {
				s.Post(c, s.people[by], telegram.Post{Text: "@" + s.bot.Username + " " + text, Thread: topic})
			},
			reads: func() []string { return textsOf(s.Lines(c)) }, end: func() { end(c) }}
	}
	kick := func(c *telegram.Chat) { s.Kick(c, s.bot) }
	alone := chat("the bot is removed from a group of somebody who has not pressed Start", 0, kick)
	alone.open = func() { s.Start(s.people[0], s.bot) }
	return []*gathering{alone, chat("the bot is removed from the group", 1, kick), chat("the group is deleted", 1, s.Delete), chat("the topic is deleted", 1, nil)}
}
