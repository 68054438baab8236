package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

func (c *cli) local() bool {
	u, err := url.Parse(c.Base)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

func (c doctor) examineHost() []check {
	cfg, err := config.Load(config.Sources{Env: c.Getenv, Flags: config.Flags{Data: c.data, PortOffset: c.portOffset}})
	if err != nil {
		return []check{{"configuration", false, err.Error(), "fix it: the worker does not start until you do"}}
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
	return append(checks, checkCode(code.Options(cfg.Code)))
}

// checkCode first pulls the image in which programs run.
func checkCode(o code.Options) check {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	if err := code.Pull(ctx, o); err != nil {
		return check{"programs", false, err.Error(), "fix that, or set code.sandbox in errand.yaml"}
	}
	program, _ := os.Executable() // without it there is no built-in JavaScript
	f := code.Find(ctx, o, code.Host{Program: program})
	ch := check{Name: "programs", OK: f.Kind != code.Off || o.Sandbox == string(code.Off), Says: f.String()}
	if !ch.OK {
		ch.Do = "install what code.sandbox names, or set it to auto or off"
	}
	return ch
}

func checkFolder(path string) check {
	at := path
	for {
		info, err := os.Stat(at)
		if err == nil && !info.IsDir() {
			return check{"data folder", false, fmt.Sprintf("%s is not a folder", at), "move it away, or set ERRAND_DATA"}
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
		return check{"data folder", false, err.Error(), fmt.Sprintf("remove %s", probe.Name())}
	}
	if at != path {
		return check{Name: "data folder", OK: true, Says: fmt.Sprintf("%s will be made in %s", path, at)}
	}
	return check{Name: "data folder", OK: true, Says: fmt.Sprintf("%s is writable", path)}
}

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
	return check{Name: name, OK: true, Says: fmt.Sprintf("%s is free", address)}
}
