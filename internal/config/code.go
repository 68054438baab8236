package config

import (
	"strings"
	"time"
)

// Code is how programs of agents are run.
type Code struct {
	// What keeps programs apart. wasm runs JavaScript alone.
	Sandbox string `yaml:"sandbox" enum:"auto,docker,podman,bubblewrap,wasm,off" want:"; programs are not run on the bare host"`
	// Image of containers, such as python:3.13-slim.
	Image   string        `yaml:"image" pattern:"^([^\\s-]\\S*)?$" want:"the name of an image"`
	Network bool          `yaml:"network"`                      // Programs reach the network.
	Timeout time.Duration `yaml:"timeout" least:"1s" most:"1h"` // The longest time of a program.
	// Memory.
	Memory int64 `yaml:"memory_mb" least:"64" most:"64000"` // bytes, once it is loaded
	// What a program may leave in its folder.
	Files     int64 `yaml:"files_mb" least:"1" most:"10000"` // bytes, once it is loaded
	Processes int   `yaml:"processes" least:"1" most:"4096"` // Processes.
}

func (l *loader) code() {
	c := &l.cfg.Code
	c.Memory *= 1e6
	c.Files *= 1e6
	if strings.TrimSpace(c.Image) == "" && (c.Sandbox == "docker" || c.Sandbox == "podman") {
		l.fault(at("code", "sandbox"), "image is missing: name one, such as python:3.13-slim, in which %s runs programs", c.Sandbox)
	}
}
