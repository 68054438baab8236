//go:build !nowhatsapp

// Command try is a simulated WhatsApp in a terminal, with a phone that errand is
// linked to and one person to chat as, to try errand on without a number.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"errand/internal/sim/try"
	"errand/internal/sim/whatsapp"
)

func main() {
	worker := flag.String("worker", "http://127.0.0.1:8080", "where errand's page is, with the code that !scan scans")
	try.Main("127.0.0.1:8083", func(listen string) (try.Platform, error) { return open(listen, *worker) })
}

type platform struct {
	*whatsapp.Server
	worker string
	phone  *whatsapp.Account // errand's
	ana    *whatsapp.Person
}

func open(listen, worker string) (try.Platform, error) {
	server, err := whatsapp.New(whatsapp.Options{Addr: listen})
	if err != nil {
		return nil, err
	}
	p := &platform{Server: server, worker: worker}
	if p.phone, err = server.AddAccount("Errand", "+4930123456"); err == nil {
		p.ana, err = server.AddPerson("Ana", "+491711234567")
	}
	if err != nil {
		return nil, errors.Join(err, server.Close())
	}
	return p, nil
}

func (p *platform) HowTo() string {
	return fmt.Sprintf(`This is a WhatsApp of your own, at %[1]s. You are Ana, +%[2]s, and write to
errand's number, +%[3]s. In another terminal:
  go run ./starter channels add whatsapp --url %[1]s
  go run ./worker
and when the page /channels shows a code, !scan here.
`, p.URL(), p.ana.Number, p.phone.Number) + try.How(`!scan is errand's phone scanning the code on the page
(!scan TEXT: that text), !code CODE is typing that of channels add --phone into it,
!edit TEXT changes what you wrote last, !reply TEXT answers to errand's last message,
!unlink logs errand out, !drop breaks its connection, !replace takes it. `)
}

func (p *platform) Acts() map[string]try.Act {
	return map[string]try.Act{"!scan": p.scan,
		"!code": func(ctx context.Context, code string) (string, error) {
			return "errand is linked", p.phone.EnterCode(ctx, code)
		},
		"!unlink": try.Does(p.phone.Unlink), "!drop": try.Does(p.phone.Drop), "!replace": try.Does(p.phone.Replace)}
}

// scan is the phone scanning a code: that on errand's page, unless another is given.
func (p *platform) scan(ctx context.Context, text string) (_ string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if text == "" {
		if text, err = p.shown(); err != nil {
			return "", err
		}
	}
	return "errand is linked", p.phone.Scan(ctx, text)
}

func (p *platform) shown() (string, error) {
	resp, err := (&http.Client{Timeout: 10 * time.Second}).Get(p.worker + "/api/channels")
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var list []struct{ Link string }
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
		return "", fmt.Errorf("%s/api/channels: %w", p.worker, err)
	}
	for _, ch := range list {
		if ch.Link != "" {
			return ch.Link, nil
		}
	}
	return "", errors.New("no code is shown on " + p.worker + "/channels; another worker is named with --worker")
}

func (p *platform) Sees() (lines []try.Line) {
	for _, l := range p.ana.Sees(p.phone.JID()) {
		lines = append(lines, try.Line{ID: l.ID, Mine: l.Mine, Text: l.Text, Mark: strings.Join(slices.Sorted(maps.Values(l.Reactions)), " ")})
	}
	return lines
}

func (p *platform) Typing() bool { return p.ana.Typing(p.phone.JID()) }

func (p *platform) Write(ctx context.Context, text, to string) (string, error) {
	if to != "" {
		return p.ana.Reply(ctx, p.phone.JID(), to, text)
	}
	return p.ana.Write(ctx, p.phone.JID(), text)
}

func (p *platform) Edit(ctx context.Context, id, text string) error {
	_, err := p.ana.Edit(ctx, p.phone.JID(), id, text)
	return err
}

func (p *platform) Press(string, string) error { return errors.New("there are no buttons here") }
