package cli

import (
	"cmp"
	"errors"
	"io/fs"
	"net"
	"net/url"

	"errand/internal/config"
	"errand/internal/ownerkey"
)

// useKey shows the worker the key of its data folder, if that is here. It is shown
// to this machine and to what errand.yaml says is the worker's address, to nobody
// else: whoever gets it is the owner.
func (c *cli) useKey() {
	folder, cfg := c.dataFolder()
	own := ""
	if cfg != nil {
		if own = cfg.PublicURL; own == "" && cfg.Public {
			own = "http://" + cfg.Listen
		}
	}
	if !c.local() && !sameHost(c.Base, own) {
		c.Worker.NoKey = c.Sayf("the key of a data folder is not shown to other machines")
		return
	}
	key, err := ownerkey.Read(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.Worker.NoKey = c.Sayf("there is no %s in %s", ownerkey.File, folder)
	case err != nil:
		c.Worker.NoKey = err.Error()
	default:
		c.Worker.Token, c.Worker.KeyOf = key, folder
	}
}

// dataFolder returns the worker's data folder, by the command line, the
// environment or errand.yaml, and the configuration; nil where that has a fault,
// which the worker and doctor tell.
func (c *cli) dataFolder() (string, *config.Config) {
	cfg, err := config.Load(config.Sources{Env: c.Getenv, Flags: config.Flags{Data: c.data, PortOffset: c.portOffset}, Client: true})
	if err != nil {
		return cmp.Or(c.data, c.Getenv("ERRAND_DATA"), "./data"), nil
	}
	return cfg.Data, cfg
}

// sameHost reports whether two addresses are of one server.
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
