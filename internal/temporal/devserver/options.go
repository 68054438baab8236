package devserver

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"time"
)

const (
	DefaultHost      = "127.0.0.1"
	DefaultPort      = 7233
	DefaultUIPort    = 8233
	DefaultNamespace = "default"
	DefaultRetention = 30 * 24 * time.Hour
)

// Durability is what a power failure may destroy. A killed process loses nothing.
type Durability string

const (
	// DurabilityNormal may lose the last moments before a power failure, never
	// the file's integrity (SQLite's synchronous=NORMAL in WAL mode).
	DurabilityNormal Durability = "normal"
	// DurabilityFull waits for the disk at every commit (synchronous=FULL).
	DurabilityFull Durability = "full"
)

// Options configure Start. Except for Dir, zero values are the defaults.
type Options struct {
	Dir        string        // folder of temporal.db; created if missing
	Host       string        // a loopback IP; DefaultHost
	Port       int           // of the frontend (gRPC); DefaultPort
	UIPort     int           // of the Web UI; 0: none
	Namespace  string        // DefaultNamespace
	Retention  time.Duration // how long closed workflows are kept; DefaultRetention, at least an hour
	Logger     *slog.Logger  // for the server's warnings and errors; nil: none
	Durability Durability    // DurabilityNormal
	// Key is the bearer token of clients. Default: the owner's key in Dir, which is created if
	// missing.
	Key string
	// Authorized reports whether a request of the Web UI has all rights. Default: it does if its
	// bearer token is Key.
	Authorized func(*http.Request) bool
	// LogIn returns the URL of the login page for an unauthorized request; default: none.
	LogIn func(*http.Request) string
	// Partitions is the number of partitions of a task queue; default 1. A cluster has 4.
	Partitions int
	// FairQueues are task queues that take turns between fairness keys. The others use priority and
	// age only.
	FairQueues []string
}

func (o Options) withDefaults() (Options, error) {
	if o.Dir == "" {
		return o, errors.New("no folder for the database given")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return o, fmt.Errorf("find folder %s: %w", o.Dir, err)
	}
	o.Dir = dir
	if o.Host == "" {
		o.Host = DefaultHost
	}
	// The key and all requests are sent unencrypted.
	if ip := net.ParseIP(o.Host); ip == nil || !ip.IsLoopback() {
		return o, fmt.Errorf("host %q is not a loopback address such as %s", o.Host, DefaultHost)
	}
	if o.Port == 0 {
		o.Port = DefaultPort
	}
	if o.Namespace == "" {
		o.Namespace = DefaultNamespace
	}
	if o.Partitions == 0 {
		o.Partitions = 1
	}
	if o.Retention == 0 {
		o.Retention = DefaultRetention
	}
	if o.Retention < time.Hour {
		return o, fmt.Errorf("retention %v is below the hour that Temporal asks for", o.Retention)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	switch o.Durability {
	case "":
		o.Durability = DurabilityNormal
	case DurabilityNormal, DurabilityFull:
	default:
		return o, fmt.Errorf("durability %q is neither %q nor %q", o.Durability, DurabilityNormal, DurabilityFull)
	}
	return o, nil
}

func (o Options) address() string   { return net.JoinHostPort(o.Host, strconv.Itoa(o.Port)) }
func (o Options) uiAddress() string { return net.JoinHostPort(o.Host, strconv.Itoa(o.UIPort)) }
