package cli

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"errand/internal/config"
	"errand/internal/tools/code"
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

func (c *cli) examineHost() []check {
	cfg, err := config.Load(config.Sources{Env: c.Getenv, Flags: config.Flags{Data: c.data, PortOffset: c.portOffset}})
	if err != nil {
		return []check{{c.Sayf("configuration"), false, err.Error(), c.Sayf("correct it: the worker refuses to start with it")}}
	}
	checks := []check{
		{Name: c.Sayf("configuration"), OK: true, Says: cmp.Or(cfg.File, c.Sayf("the built-in one; there is no errand.yaml"))},
		c.checkFolder(cfg.Data),
		c.checkPort(c.Sayf("pages port"), cfg.Listen),
	}
	if cfg.Temporal.Address == "" {
		checks = append(checks,
			c.checkPort(c.Sayf("temporal port"), net.JoinHostPort("127.0.0.1", strconv.Itoa(cfg.TemporalPort))),
			c.checkPort(c.Sayf("web ui port"), net.JoinHostPort("127.0.0.1", strconv.Itoa(cfg.UIPort))))
	}
	return append(checks, c.checkCode(code.Options(cfg.Code)))
}

// checkCode looks what runs programs here, after getting the image that they run in.
func (c *cli) checkCode(o code.Options) check {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	if err := code.Pull(ctx, o); err != nil {
		return check{c.Sayf("programs"), false, err.Error(), c.Sayf("mend that, or set code.sandbox in errand.yaml")}
	}
	program, _ := os.Executable() // without, JavaScript is not run by itself
	f := code.Find(ctx, o, code.Host{Program: program})
	ch := check{Name: c.Sayf("programs"), OK: f.Kind != code.Off || o.Sandbox == string(code.Off), Says: f.String()}
	if !ch.OK {
		ch.Do = c.Sayf("install what code.sandbox names, or set it to auto or off")
	}
	return ch
}

func (c *cli) checkFolder(path string) check {
	at := path
	for {
		info, err := os.Stat(at)
		if err == nil && !info.IsDir() {
			return check{c.Sayf("data folder"), false, c.Sayf("%s is not a folder", at), c.Sayf("move it away, or set ERRAND_DATA")}
		}
		if err == nil {
			break
		}
		if up := filepath.Dir(at); errors.Is(err, fs.ErrNotExist) && up != at {
			at = up
			continue
		}
		return check{c.Sayf("data folder"), false, err.Error(), c.Sayf("set ERRAND_DATA to a folder that can be read")}
	}
	probe, err := os.CreateTemp(at, ".errand-doctor-*")
	if err != nil {
		return check{c.Sayf("data folder"), false, err.Error(), c.Sayf("make it writable, or set ERRAND_DATA to a folder that is")}
	}
	probe.Close()
	if err := os.Remove(probe.Name()); err != nil {
		return check{c.Sayf("data folder"), false, err.Error(), c.Sayf("remove %s", probe.Name())}
	}
	if at != path {
		return check{Name: c.Sayf("data folder"), OK: true, Says: c.Sayf("%s will be made in %s", path, at)}
	}
	return check{Name: c.Sayf("data folder"), OK: true, Says: c.Sayf("%s is writable", path)}
}

func (c *cli) checkPort(name, address string) check {
	l, err := net.Listen("tcp", address)
	if err != nil {
		why := err.Error()
		if strings.Contains(why, "in use") {
			why = c.Sayf("%s is in use by another program", address)
		}
		return check{name, false, why, c.Sayf("end that program, or start the worker with --port-offset 10")}
	}
	l.Close()
	return check{Name: name, OK: true, Says: c.Sayf("%s is free", address)}
}
