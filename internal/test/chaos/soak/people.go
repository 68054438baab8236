package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"errand/internal/test/sim/discord"
	"errand/internal/test/sim/telegram"
	"errand/internal/test/sim/whatsapp"
)

// A chat is one person's, and what they wrote there.
type chat struct {
	name     string
	commands bool // the person also sends /stop, /reset and /cancel
	random   *rand.Rand
	write    func(ctx context.Context, id, text string) error // until it is accepted
	reads    func(context.Context) ([]string, error)          // all that the person reads of errand, in order
	doubts   bool                                             // the platform cannot say what arrived: a repeat says so

	mu   sync.Mutex
	sent []string // the tokens of messages that were accepted
	at   map[string]time.Time
}

func (in *installation) platforms(onWhatsApp bool) (env []string, err error) {
	for i := range 6 {
		in.addWebChat(fmt.Sprintf("web%d", i), i%3 == 2)
	}
	in.telegram = telegram.New(telegram.Options{})
	web := httptest.NewServer(in.telegram)
	in.stopWith(func() error { web.CloseClientConnections(); web.Close(); return nil })
	in.telegramURL = web.URL
	bot := in.telegram.AddBot("errand_bot")
	if in.discord, err = discord.Start(discord.Options{}); err != nil {
		return nil, err
	}
	in.stopWith(func() error { in.discord.Close(); return nil })
	in.bot = in.discord.AddBot(discord.Bot{Name: "errand", Intents: discord.MessageContent})
	if onWhatsApp {
		if err := in.startWhatsApp(); err != nil {
			return nil, err
		}
	}
	var onDiscord []discord.Account
	for i := range 2 {
		in.addTelegramChat(fmt.Sprintf("telegram%d", i), bot)
		onDiscord = append(onDiscord, in.addDiscordPerson(fmt.Sprintf("discord%d", i)))
	}
	in.discord.AddGuild("team", append([]discord.Account{in.bot}, onDiscord...)...)
	for i, p := range onDiscord {
		in.addDiscordChat(fmt.Sprintf("discord%d", i), p.(*discord.Person))
	}
	return []string{"SOAK_TELEGRAM=" + bot.Token, "SOAK_DISCORD=" + in.bot.Token}, nil
}

func (in *installation) add(c *chat) {
	c.random = rand.New(rand.NewPCG(in.seed, uint64(len(in.chats))))
	in.chats = append(in.chats, c)
}

// addWebChat adds a chat of the API. A request that broke is made again with the same id,
// at either worker: that is what clients do.
func (in *installation) addWebChat(name string, commands bool) {
	c := &chat{name: name, commands: commands}
	c.write = func(ctx context.Context, id, text string) error {
		for try := 0; ; try++ {
			body := map[string]string{"text": text, "message_id": id}
			path := "/api/sessions/" + name + "/messages?wait=false"
			if in.call(ctx, (try+len(id))%workers, http.MethodPost, path, body, nil) == nil {
				if c.random.IntN(10) == 0 { // now and then a client does not hear that
					_ = in.call(ctx, (try+1)%workers, http.MethodPost, path, body, nil)
				}
				return nil
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
	c.reads = func(ctx context.Context) ([]string, error) {
		return in.texts(ctx, `SELECT text FROM events WHERE session_key LIKE $1 AND type IN ('reply', 'question', 'late', 'notice') ORDER BY id`,
			"session/web/local/"+name+"/%")
	}
	in.add(c)
}

func (in *installation) addTelegramChat(name string, bot *telegram.Bot) {
	person := in.telegram.AddPerson(telegram.Person{Name: name})
	at := in.telegram.Private(person, bot)
	in.add(&chat{name: name, doubts: true,
		write: func(_ context.Context, _, text string) error {
			in.telegram.Write(at, person, text)
			return nil
		},
		reads: func(context.Context) (texts []string, _ error) {
			for _, l := range in.telegram.Lines(at) {
				texts = append(texts, l.Text)
			}
			return texts, nil
		}})
}

func (in *installation) addDiscordPerson(name string) *discord.Person {
	return in.discord.AddPerson(discord.Person{Name: name})
}

func (in *installation) addDiscordChat(name string, person *discord.Person) {
	at := in.discord.DM(person, in.bot)
	in.add(&chat{name: name,
		write: func(_ context.Context, _, text string) error {
			in.discord.Write(at, person, text)
			return nil
		},
		reads: func(context.Context) (texts []string, _ error) {
			for _, l := range in.discord.Lines(at) {
				texts = append(texts, l.Text)
			}
			return texts, nil
		}})
}

func (in *installation) startWhatsApp() (err error) {
	if in.whatsapp, err = whatsapp.New(whatsapp.Options{}); err != nil {
		return err
	}
	in.stopWith(in.whatsapp.Close)
	if in.phone, err = in.whatsapp.AddAccount("Errand", "+4930100"); err != nil {
		return err
	}
	for i := range 2 {
		if err := in.addWhatsAppChat(fmt.Sprintf("whatsapp%d", i), fmt.Sprintf("+4917112345%d", i)); err != nil {
			return err
		}
	}
	return nil
}

func (in *installation) addWhatsAppChat(name, number string) error {
	person, err := in.whatsapp.AddPerson(name, number)
	if err != nil {
		return err
	}
	in.add(&chat{name: name,
		write: func(ctx context.Context, _, text string) error {
			_, err := person.Write(ctx, in.phone.JID(), text)
			return err
		},
		reads: func(context.Context) (texts []string, _ error) {
			for _, l := range person.Hears(in.phone.JID()) {
				if l.By == in.phone.Name {
					texts = append(texts, l.Text)
				}
			}
			return texts, nil
		}})
	return nil
}

func (in *installation) texts(ctx context.Context, query string, args ...any) (texts []string, err error) {
	rows, err := in.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, rows.Err()
}

// send writes a message of a kind: what a token of it is answered with, the ledger counts.
func (in *installation) send(ctx context.Context, c *chat, kind string) error {
	token := fmt.Sprintf("m%d", in.number.Add(1))
	err := c.write(ctx, token, fmt.Sprintf("%s %s k=%d", kind, token, 1+c.random.IntN(2)))
	if err == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.sent = append(c.sent, token)
		if c.at == nil {
			c.at = map[string]time.Time{}
		}
		c.at[token] = time.Now()
	}
	return err
}

// exchangeFirst has everybody write once, and waits for the answers: everything is up
// before the first fault, and a bot of Discord knows whose chats it has.
func (in *installation) exchangeFirst(ctx context.Context) error {
	for _, c := range in.chats {
		if err := in.send(ctx, c, "say"); err != nil {
			return err
		}
	}
	for _, c := range in.chats {
		err := eventually(ctx, 2*time.Minute, func() (bool, error) {
			texts, err := c.reads(ctx)
			return strings.Contains(strings.Join(texts, "\n"), "answers "+c.sent[0]), err
		})
		if err != nil {
			return fmt.Errorf("%s got no answer before the first fault: %w", c.name, err)
		}
	}
	in.log.add("all %d chats are answered", len(in.chats))
	return nil
}

// talk is what one person does until ctx is done. What was begun is brought to its end.
func (in *installation) talk(ctx context.Context, c *chat) error {
	going := context.WithoutCancel(ctx)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Duration(200+c.random.IntN(2500)) * time.Millisecond):
		}
		if c.commands && c.random.IntN(5) == 0 {
			all := []string{"/stop", "/stop all", "/reset", "/new", "/busy collect", "/busy steer", "/busy queue", "/busy interrupt", "/status", "/tasks", "/usage", "/history"}
			if err := c.write(going, fmt.Sprintf("c%d", in.number.Add(1)), all[c.random.IntN(len(all))]); err != nil {
				return err
			}
			continue
		}
		kinds := []string{"say", "say", "async", "async", "sync", "nest"}
		if err := in.send(going, c, kinds[c.random.IntN(len(kinds))]); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
}
