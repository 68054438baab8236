//go:build !nowhatsapp

package app_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"errand/internal/config"
	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/sandbox"
	"errand/internal/test/sim/discord"
	"errand/internal/test/sim/models"
	"errand/internal/test/sim/telegram"
	"errand/internal/test/sim/whatsapp"
)

// A provider is a server of models that keeps what it was asked.
type provider struct {
	*models.Server
	web *httptest.Server

	mu    sync.Mutex
	asked []string
}

func newProvider(t *testing.T, kind models.Kind) *provider {
	p := &provider{Server: models.New(kind)}
	p.web = httptest.NewServer(p)
	t.Cleanup(p.down)
	return p
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has left
	}
	p.mu.Lock()
	p.asked = append(p.asked, string(body))
	p.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(body))
	p.Server.ServeHTTP(w, r)
}

func (p *provider) down() {
	p.web.CloseClientConnections()
	p.web.Close()
}

// with returns the first request that has all of some texts; empty: there is none.
func (p *provider) with(texts ...string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
next:
	for _, body := range p.asked {
		for _, text := range texts {
			if !strings.Contains(body, text) {
				continue next
			}
		}
		return body
	}
	return ""
}

func photo(t *testing.T, grey uint8) (sent []byte, shown string) {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 3000, 1000))
	for i := range m.Pix {
		m.Pix[i] = grey
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	small, err := sandbox.PictureShrinker{}.Shrink(t.Context(), "image/jpeg", b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), `"data:image/jpeg;base64,` + base64.StdEncoding.EncodeToString(small.Data) + `"`
}

// TestPictures proves that a picture that somebody sends, by the API of the page, on
// Telegram, Discord or WhatsApp, is in the request that the server of a model with vision
// gets, scaled, and the same after a restart; that a tool which reads it says what it is;
// and that a model which cannot see, asked in the place of the one that does, is told of it.
func TestPictures(t *testing.T) {
	t.Parallel()
	sees, blind := newProvider(t, models.Ollama), newProvider(t, models.VLLM)
	onTelegram := newTelegram(t)
	bot := onTelegram.AddBot("errand_bot")
	chat := onTelegram.Start(onTelegram.ana, bot)
	onDiscord, err := discord.Start(discord.Options{IdentifyEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(onDiscord.Close)
	discordBot := onDiscord.AddBot(discord.Bot{Name: "errand", Intents: discord.MessageContent})
	discordAna := onDiscord.AddPerson(discord.Person{Name: "Ana"})
	onDiscord.AddGuild("Team", discordAna, discordBot)
	onWhatsApp, err := whatsapp.New(whatsapp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { onWhatsApp.Close() })
	phone, err := onWhatsApp.AddAccount("Errand", "+4930100")
	if err != nil {
		t.Fatal(err)
	}
	whatsAppAna, err := onWhatsApp.AddPerson("Ana", "+491711234567")
	if err != nil {
		t.Fatal(err)
	}
	in := install(t, nil, nil, func(c *config.Config) {
		c.Demo = false
		c.Models = map[string]config.Model{"default": {Providers: []config.Provider{
			{Name: "sees", BaseURL: sees.web.URL + "/v1", Vision: new(true)}, {Name: "blind", BaseURL: blind.web.URL + "/v1"}}}}
		linkWhatsApp(t, c, "main", phone)
		c.Channels = []config.Channel{
			onTelegram.account("main", bot),
			{Kind: config.Discord, Account: "main", Token: config.Secret(discordBot.Token), TokenFrom: "TOKEN", URL: onDiscord.URL(), Agent: "nikki", Line: 2},
			{Kind: config.WhatsApp, Account: "main", URL: onWhatsApp.URL(), Agent: "nikki", Line: 3},
		}
		open := config.Access{Mode: config.AccessOpen, Role: core.Member}
		c.Access = map[string]config.Access{"telegram": open, "discord": open, "whatsapp": open}
	})

	onPage := in.browser(t)
	sent, shown := photo(t, 10)
	onPage.says("what is it?", sent)
	eventually(t, "the picture that was sent by the API in a request", func() bool { return sees.with("what is it?", shown) != "" })
	artifact := regexp.MustCompile(`picture (a-[2-9a-z]{8}):`).FindStringSubmatch(sees.with(shown))
	if artifact == nil {
		t.Fatalf("it is not said which picture it is: %.2000s", sees.with(shown))
	}

	onPage.says(fmt.Sprintf(`use read_artifact with {"id": %q}`, artifact[1]), nil)
	said := fmt.Sprintf("error: %s (photo.jpg) is image/jpeg, %s: only text can be read", artifact[1], content.Size(int64(len(sent))))
	eventually(t, "the tool to say what it is", func() bool { return sees.with(`"role":"tool"`, said, shown) != "" })

	eventually(t, "Discord to be connected", func() bool { return onDiscord.Connected(discordBot) })
	for i, way := range []struct {
		name string
		send func(data []byte)
	}{
		{"Telegram", func(data []byte) { onTelegram.Post(chat, onTelegram.ana, telegram.Post{Photo: data}) }},
		{"Discord", func(data []byte) {
			onDiscord.Post(onDiscord.DM(discordAna, discordBot), discordAna, discord.Post{Files: []discord.File{{Name: "photo.jpg", Data: data}}})
		}},
		{"WhatsApp", func(data []byte) {
			if _, err := whatsAppAna.SendImage(t.Context(), phone.JID(), "image/jpeg", data, ""); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		data, want := photo(t, uint8(60+40*i))
		way.send(data)
		eventually(t, "the picture that was sent on "+way.name+" in a request", func() bool { return sees.with(want) != "" })
	}

	in.stop()
	in.start()
	onPage = in.browser(t)
	onPage.says("and after a restart?", nil)
	eventually(t, "the same picture", func() bool { return sees.with("and after a restart?", shown) != "" })

	sees.down()
	onPage.says("and who cannot see?", nil)
	eventually(t, "words in the place of the picture", func() bool {
		return blind.with("and who cannot see?", "picture, 1536×512, artifact "+artifact[1]+": this model cannot see pictures") != ""
	})
	if got := blind.with("base64,"); got != "" {
		t.Errorf("a model that cannot see was sent a picture: %.2000s", got)
	}
}

// A browser is the owner's.
type browser struct {
	t      *testing.T
	client *http.Client
	at     string
}

// browser logs the owner in.
func (in *installation) browser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	link, err := in.OpenLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at, code, _ := strings.Cut(link, "/open#")
	b := &browser{t, &http.Client{Jar: jar}, at}
	if resp, body := exchange(t, b.client, http.MethodPost, at+"/login/link", `{"link":"`+code+`"}`); resp.StatusCode != http.StatusOK {
		t.Fatalf("the link: %s %s", resp.Status, body)
	}
	return b
}

func (b *browser) says(text string, picture []byte) {
	b.t.Helper()
	message := map[string]any{"text": text}
	if picture != nil {
		message["files"] = []any{map[string]any{"name": "photo.jpg", "data": picture}}
	}
	raw, err := json.Marshal(message)
	if err != nil {
		b.t.Fatal(err)
	}
	if resp, body := exchange(b.t, b.client, http.MethodPost, b.at+"/api/sessions/main/messages?wait=false", string(raw)); resp.StatusCode >= 300 {
		b.t.Fatalf("a message is answered %s %s", resp.Status, body)
	}
}
