package config

import (
	"strings"
	"time"
)

// Code configures the sandbox for programs of agents.
type Code struct {
	// The sandbox. wasm runs JavaScript only.
	Sandbox string `yaml:"sandbox" enum:"auto,docker,podman,bubblewrap,wasm,off" want:"; errand runs no program without a sandbox"`
	// Image of containers, such as python:3.13-slim.
	Image   string        `yaml:"image" pattern:"^([^\\s-]\\S*)?$" want:"the name of an image"`
	Network bool          `yaml:"network"`                      // Programs may use the network.
	Timeout time.Duration `yaml:"timeout" least:"1s" most:"1h"` // How long a program may run.
	// Memory of a program, in MB.
	Memory int64 `yaml:"memory_mb" least:"64" most:"64000"` // bytes, once it is loaded
	// Size of a program's files, in MB.
	Files     int64 `yaml:"files_mb" least:"1" most:"10000"` // bytes, once it is loaded
	Processes int   `yaml:"processes" least:"1" most:"4096"` // Processes of a program.
}

func (l *loader) code() {
	c := &l.cfg.Code
	c.Memory *= 1e6
	c.Files *= 1e6
	if strings.TrimSpace(c.Image) == "" && (c.Sandbox == "docker" || c.Sandbox == "podman") {
		l.fault(at("code", "sandbox"), "%s needs an image: set code.image, for example to python:3.13-slim", c.Sandbox)
	}
}
