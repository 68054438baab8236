package app

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"errand/api"
	"errand/internal/ops"
	"errand/internal/ownerkey"
	"errand/internal/service"
)

func (a *App) printBanner(ctx context.Context, o Options, embedded bool) {
	at := a.addresses(o)
	if o.Unattended {
		fmt.Fprint(o.Out, "\n")
	} else if link, err := a.OpenLink(ctx); err == nil {
		fmt.Fprintf(o.Out, "\n  open      %s\n", link)
	} else {
		a.log.Warn("cannot create a login link", "error", err)
	}
	fmt.Fprintf(o.Out, "  chat      %s\n  tasks     %s/tasks\n", at[0], at[0])
	if len(o.Config.Channels) > 0 {
		fmt.Fprintf(o.Out, "  channels  %s/channels\n", at[0])
	}
	if embedded && o.Config.UIPort != 0 {
		fmt.Fprintf(o.Out, "  Temporal  http://127.0.0.1:%d\n", o.Config.UIPort)
	}
	if len(at) > 1 {
		fmt.Fprintf(o.Out, "\nFrom other machines, errand is at %s.\nThere, put that in place of %s in a link.\n", strings.Join(at[1:], " or "), at[0])
	}
	if o.Unattended {
		fmt.Fprint(o.Out, "\n\"errand open\" prints a link that logs a browser in.\n")
	} else {
		fmt.Fprintf(o.Out, "\nThe first link logs your browser in. It works once, within %d minutes.\n\"errand open\" prints another (in a checkout: go run ./starter open).\n", int(service.LinkValid.Minutes()))
	}
	if n := len(o.Config.Token); n > 0 && n < ownerkey.LeastToken {
		fmt.Fprintf(o.Out, "\nERRAND_TOKEN has only %d characters and can be guessed: use %d or more, or leave it out.\n", n, ownerkey.LeastToken)
	}
	if o.Config.Demo {
		fmt.Fprint(o.Out, "\nThe offline demonstration model answers. For a real one run \"errand init\", or set\nOPENAI_BASE_URL, OPENAI_API_KEY and ERRAND_MODEL.\n")
	}
	fmt.Fprint(o.Out, "\nCtrl-C stops errand; nothing is lost.\n")
}

// OpenLink creates a link that logs a browser in as the owner. It is valid once and for a short
// time.
func (a *App) OpenLink(ctx context.Context) (string, error) {
	owner, err := a.Service.Logins.ActorOf(ctx, Owner)
	if err != nil {
		return "", err
	}
	owner.Counted = true // errand itself makes it
	link, err := ops.Do(ctx, a.Service.Runner, api.CreateLoginLink, owner, api.CreateLoginLinkInput{})
	return a.local() + link.Path, err
}

func (a *App) local() string {
	host, port, err := net.SplitHostPort(a.Address)
	if err != nil {
		return "http://" + a.Address
	}
	switch ip := net.ParseIP(host); {
	case ip == nil || !ip.IsUnspecified():
	case ip.To4() != nil:
		host = "127.0.0.1"
	default:
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

const mostAddresses = 3

func (a *App) addresses(o Options) []string {
	list := []string{a.local()}
	if o.Config.PublicURL != "" {
		list = append(list, o.Config.PublicURL)
	}
	at, err := netip.ParseAddrPort(a.Address)
	if err != nil || !at.Addr().IsUnspecified() {
		return list
	}
	port := strconv.Itoa(int(at.Port()))
	for _, name := range names() {
		list = append(list, "http://"+net.JoinHostPort(name, port))
	}
	known, err := net.InterfaceAddrs()
	if err != nil {
		a.log.Debug("cannot read the addresses of this machine", "error", err)
	}
	named := 0
	for _, one := range known {
		p, err := netip.ParsePrefix(one.String())
		if err == nil && p.Addr().Is4() && p.Addr().IsGlobalUnicast() && named < mostAddresses {
			named++
			list = append(list, "http://"+net.JoinHostPort(p.Addr().String(), port))
		}
	}
	return list
}

func names() []string {
	host, err := os.Hostname()
	if err != nil || host == "" || host == "localhost" {
		return nil
	}
	return []string{host}
}
