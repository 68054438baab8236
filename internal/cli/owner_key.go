package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"

	"errand/internal/config"
	"errand/internal/ownerkey"
)

// useKey sends the owner's key only to this machine and to the address in errand.yaml, because the
// key gives all of the owner's rights.
func (c *cli) useKey() {
	folder, cfg := c.dataFolder()
	own := ""
	if cfg != nil {
		if own = cfg.PublicURL; own == "" && cfg.Public {
			own = "http://" + cfg.Listen
		}
	}
	if !c.local() && !sameHost(c.Base, own) {
		c.Worker.NoKey = "errand does not send the key of a data folder to other machines"
		return
	}
	key, err := ownerkey.Read(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.Worker.NoKey = fmt.Sprintf("there is no %s in %s", ownerkey.File, folder)
	case err != nil:
		c.Worker.NoKey = err.Error()
	default:
		c.Worker.Token, c.Worker.KeyOf = key, folder
	}
}

// dataFolder returns no configuration if it is invalid; the worker and doctor report that.
func (c *cli) dataFolder() (string, *config.Config) {
	cfg, err := config.Load(config.Sources{Env: c.Getenv, Flags: config.Flags{Data: c.data, PortOffset: c.portOffset}, Client: true})
	if err != nil {
		return cmp.Or(c.data, c.Getenv("ERRAND_DATA"), "./data"), nil
	}
	return cfg.Data, cfg
}

// sameHost compares scheme, host and port.
func sameHost(a, b string) bool {
	u, errA := url.Parse(a)
	v, errB := url.Parse(b)
	if errA != nil || errB != nil || v.Host == "" {
		return false
	}
	return u.Scheme == v.Scheme && net.JoinHostPort(u.Hostname(), portOf(u)) == net.JoinHostPort(v.Hostname(), portOf(v))
}

func portOf(u *url.URL) string {
	if u.Port() == "" && u.Scheme == "https" {
		return "443"
	}
	return cmp.Or(u.Port(), "80")
}
