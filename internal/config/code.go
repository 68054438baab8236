package config

import (
	"slices"
	"strings"
	"time"
)

// Code is how programs of agents are run.
type Code struct {
	Sandbox   string // one of sandboxes
	Image     string // of containers; empty: there are none
	Network   bool
	Timeout   time.Duration
	Memory    int64 // bytes
	Files     int64 // bytes of what a program has in its folder
	Processes int
}

var sandboxes = []string{"auto", "docker", "podman", "bubblewrap", "wasm", "off"}

const maxProgram = time.Hour

func (l *loader) code(root *mapping) {
	l.cfg.Code = Code{Sandbox: "auto", Timeout: time.Minute, Memory: 512e6, Files: 256e6, Processes: 64}
	c := &l.cfg.Code
	m := root.section("code")
	if m == nil {
		return
	}
	m.text("sandbox", &c.Sandbox)
	switch known := strings.Join(sandboxes, ", "); {
	case c.Sandbox == "host" || c.Sandbox == "none":
		m.fault(m.lineOf("sandbox"), "sandbox", "programs are not run on the bare host: a person would have to agree to each, which errand cannot ask for yet. Use one of %s", known)
	case !slices.Contains(sandboxes, c.Sandbox):
		m.fault(m.lineOf("sandbox"), "sandbox", "%q is none of %s", c.Sandbox, known)
	}
	m.text("image", &c.Image)
	if c.Image == "" && (c.Sandbox == "docker" || c.Sandbox == "podman") {
		m.fault(m.lineOf("sandbox"), "image", "want an image, such as python:3.13-slim: %s runs programs in it", c.Sandbox)
	}
	if strings.HasPrefix(c.Image, "-") || strings.ContainsAny(c.Image, " \t\n") {
		m.fault(m.lineOf("image"), "image", "%q is not the name of an image", c.Image)
	}
	m.boolean("network", &c.Network)
	m.duration("timeout", &c.Timeout, time.Second)
	if c.Timeout > maxProgram {
		m.fault(m.lineOf("timeout"), "timeout", "%s is more than %s", c.Timeout, maxProgram)
	}
	megabytes := func(key string, into *int64, least, most int) {
		n := int(*into / 1e6)
		m.number(key, &n, least, most)
		*into = int64(n) * 1e6
	}
	megabytes("memory_mb", &c.Memory, 64, 64_000)
	megabytes("files_mb", &c.Files, 1, 10_000)
	m.number("processes", &c.Processes, 1, 4096)
	m.done()
}
