package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"errand/internal/config"
)

// local reports whether the worker would run on this machine.
func (c *cli) local() bool {
	u, err := url.Parse(c.Base)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// examineHost looks whether a worker could start here.
func (c *cli) examineHost() []check {
	cfg, err := config.Load(config.Sources{Env: c.Getenv, Flags: config.Flags{Data: c.data, PortOffset: c.portOffset}})
	if err != nil {
		return []check{{"configuration", false, err.Error(), "correct it: the worker refuses to start with it"}}
	}
	checks := []check{
		{Name: "configuration", OK: true, Says: cmp.Or(cfg.File, "the built-in one; there is no errand.yaml")},
		checkFolder(cfg.Data),
		checkPort("pages port", cfg.Listen),
	}
	if cfg.Temporal.Address == "" {
		checks = append(checks,
			checkPort("temporal port", net.JoinHostPort("127.0.0.1", strconv.Itoa(cfg.TemporalPort))),
			checkPort("web ui port", net.JoinHostPort("127.0.0.1", strconv.Itoa(cfg.UIPort))))
	}
	return checks
}

// checkFolder looks whether files can be made in folder, or folder in the next
// one above that is there.
func checkFolder(folder string) check {
	at := folder
	for {
		info, err := os.Stat(at)
		if err == nil && !info.IsDir() {
			return check{"data folder", false, at + " is not a folder", "move it away, or set ERRAND_DATA"}
		}
		if err == nil {
			break
		}
		if up := filepath.Dir(at); errors.Is(err, fs.ErrNotExist) && up != at {
			at = up
			continue
		}
		return check{"data folder", false, err.Error(), "set ERRAND_DATA to a folder that can be read"}
	}
	probe, err := os.CreateTemp(at, ".errand-doctor-*")
	if err != nil {
		return check{"data folder", false, err.Error(), "make it writable, or set ERRAND_DATA to a folder that is"}
	}
	probe.Close()
	if err := os.Remove(probe.Name()); err != nil {
		return check{"data folder", false, err.Error(), "remove " + probe.Name()}
	}
	if at != folder {
		return check{Name: "data folder", OK: true, Says: folder + " will be made in " + at}
	}
	return check{Name: "data folder", OK: true, Says: folder + " is writable"}
}

// checkPort looks whether address can be listened on.
func checkPort(name, address string) check {
	l, err := net.Listen("tcp", address)
	if err != nil {
		why := err.Error()
		if strings.Contains(why, "in use") {
			why = fmt.Sprintf("%s is in use by another program", address)
		}
		return check{name, false, why, "end that program, or start the worker with --port-offset 10"}
	}
	l.Close()
	return check{Name: name, OK: true, Says: address + " is free"}
}
