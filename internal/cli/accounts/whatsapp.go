package accounts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"rsc.io/qr"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"

	"errand/internal/config"
)

func newAddWhatsApp(c *console.Console, w *console.Worker) *cobra.Command {
	a := &addition{Console: c, Worker: w, kind: config.WhatsApp}
	cmd := &cobra.Command{
		Use: "whatsapp", Short: "Link a phone's WhatsApp with a QR code or a code to type",
		Long: `Adds the account to errand.yaml. If a running worker knows the account, shows the QR
code that links errand to the phone as a device, and updates it until the phone is
linked. With --phone it shows a code of eight letters instead, to type into the phone
with that number. Run it again to link later. There is no token: the worker keeps the
link.

With --json it prints one object a line: {"account", "qr"} or {"account", "code"} for
each code, and {"account", "linked": true} at the end. If no worker knows the account
yet, it prints {"account", "detail"}.`,
		Example: "  errand channels add whatsapp\n  errand channels add whatsapp --phone '+49 171 1234567'\n  errand channels add whatsapp --account finn --agent finn",
	}
	cmd.Flags().StringVar(&a.phone, "phone", "", "link with a code for the phone with this number, instead of a QR code")
	cmd.Flags().DurationVar(&a.wait, "wait", 10*time.Minute, "how long to wait for the phone")
	return a.command(cmd, a.whatsapp)
}

type scan struct {
	Account string `json:"account"`
	QR      string `json:"qr,omitempty"`
	Code    string `json:"code,omitempty"`
	Linked  bool   `json:"linked,omitempty"`
	Detail  string `json:"detail,omitempty"`
}

func (a *addition) whatsapp(ctx context.Context) error {
	name := a.kind + "/" + a.account
	if !a.there { // the worker knows a new account only after a restart
		if err := a.keep("", &added{}); err != nil {
			return err
		}
	}
	ch, err := a.accountState(ctx, name)
	var gone *console.ConnectError
	switch {
	case errors.As(err, &gone) && !a.there:
		return a.noted(name, "run errand serve, then run this again to link the phone")
	case errors.As(err, &gone):
		return &console.Failure{Code: console.ExitUnreachable, Text: fmt.Sprintf("%s is in %s, but no worker answers at %s: run errand serve, then run this again to link the phone", name, a.file, a.Base)}
	case err != nil:
		return err
	case ch == nil && !a.there:
		return a.noted(name, "restart the worker, then run this again to link the phone")
	case ch == nil:
		return console.Failf("%s is in %s, but the worker at %s does not know it yet: restart the worker, then run this again to link the phone", name, a.file, a.Base)
	}
	ctx, cancel := context.WithTimeout(ctx, a.wait)
	defer cancel()
	return a.link(ctx, name)
}

func (a *addition) noted(name, next string) error {
	if a.JSON {
		return a.PrintJSONLine(scan{Account: name, Detail: next})
	}
	a.printf("Next: %s.", next)
	return nil
}

// accountState returns nil if the worker has no such account.
func (a *addition) accountState(ctx context.Context, name string) (*api.Connection, error) {
	connections, err := api.Call(ctx, a.API(), api.ListChannels, api.None{})
	if err != nil {
		return nil, err
	}
	for _, ch := range connections.Value {
		if console.AccountName(ch) == name {
			return &ch, nil
		}
	}
	return nil, nil
}

// The worker is polled often after a change and then less often. A code is valid for at
// least 20 s.
const (
	pollSoon  = 50 * time.Millisecond
	pollEvery = 500 * time.Millisecond
)

func (a *addition) link(ctx context.Context, name string) error {
	last, drawn := "", 0 // the last message, and how many of its lines are a code
	for wait := pollSoon; ; wait = min(2*wait, pollEvery) {
		ch, err := a.accountState(ctx, name)
		before := last
		switch {
		case ctx.Err() != nil:
			return console.Failf("%s is not linked yet: run this again when you have the phone", name)
		case err != nil:
			return err
		case ch == nil:
			return console.Failf("the worker no longer knows %s", name)
		case ch.State == core.Connected:
			return a.linked(*ch)
		case ch.Link != "" && a.phone != "":
			if last != a.phone { // the code stays the same while codes are shown
				last = a.phone
				if err := a.typeCode(ctx, ch); err != nil {
					return err
				}
			}
		case ch.Link != "" && ch.Link != last:
			last = ch.Link
			if drawn, err = a.showCode(name, ch.Link, drawn); err != nil {
				return err
			}
		case ch.Link == "" && string(ch.State)+ch.Detail != last && drawn == 0:
			last = string(ch.State) + ch.Detail
			a.printf("%s: %s. Waiting for a code …", console.Line(string(ch.State)), console.Line(cmp.Or(ch.Detail, "state not known yet")))
		}
		if last != before {
			wait = pollSoon
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
		case <-timer.C:
		}
	}
}

func (a *addition) linked(ch api.Connection) error {
	if a.JSON {
		return a.PrintJSONLine(scan{Account: console.AccountName(ch), Linked: true, Detail: ch.Detail})
	}
	a.printf("%s is linked, %s. Write to it from another phone.", console.AccountName(ch), console.Line(ch.Detail))
	return nil
}

func (a *addition) typeCode(ctx context.Context, ch *api.Connection) error {
	in := api.CreateChannelCodeInput{Account: api.Account{Channel: ch.Channel, Account: ch.Account}}
	in.Body.Phone = a.phone
	got, err := api.Call(ctx, a.API(), api.CreateChannelCode, in)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSONLine(scan{Account: console.AccountName(*ch), Code: got.Value.Code})
	}
	a.printf("On the phone, open WhatsApp, Settings, Linked devices, Link a device, \"Link with phone number instead\", and type within two minutes:\n\n    %s\n", console.Line(got.Value.Code))
	return nil
}

// showCode replaces the previous code, which has before lines.
func (a *addition) showCode(name, link string, before int) (lines int, err error) {
	if a.JSON {
		return 1, a.PrintJSONLine(scan{Account: name, QR: link})
	}
	rows, err := Drawing(link)
	if err != nil {
		return 0, console.Failf("draw the code: %v", err)
	}
	if before == 0 {
		a.printf("On the phone, open WhatsApp, Settings, Linked devices, Link a device, and scan this code. It changes from time to time.\n")
	}
	if before > 0 && a.OutTTY {
		fmt.Fprintf(a.Out, "\x1b[%dA\x1b[J", before)
	} else if before > 0 {
		a.printf("\nA new code:\n")
	}
	for _, row := range rows {
		if a.Style {
			row = "\x1b[97;40m" + row + "\x1b[0m" // independent of the terminal's colours
		}
		fmt.Fprintln(a.Out, row)
	}
	return len(rows), nil
}

// Drawing returns the QR code of a text as lines to print.
func Drawing(text string) ([]string, error) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return nil, err
	}
	return drawing(code), nil
}

func drawing(code *qr.Code) (rows []string) {
	const rim = 2
	for y := -rim; y < code.Size+rim; y += 2 {
		var row strings.Builder
		for x := -rim; x < code.Size+rim; x++ {
			// Outside the code nothing is black.
			switch top, bottom := code.Black(x, y), code.Black(x, y+1); {
			case top && bottom:
				row.WriteRune(' ')
			case top:
				row.WriteRune('▄')
			case bottom:
				row.WriteRune('▀')
			default:
				row.WriteRune('█')
			}
		}
		rows = append(rows, row.String())
	}
	return rows
}
