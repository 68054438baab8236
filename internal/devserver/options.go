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

// Durability says what a power failure may cost. A killed process loses nothing
// with either.
type Durability string

const (
	// DurabilityNormal may lose the last moments before a power failure, never
	// the file's integrity (SQLite's synchronous=NORMAL in WAL mode).
	DurabilityNormal Durability = "normal"
	// DurabilityFull waits for the disk at every commit (synchronous=FULL).
	DurabilityFull Durability = "full"
)

// Options configure Start. The zero value of every field but Dir is the default;
// a UIPort of 0 means no Web UI.
type Options struct {
	Dir        string        // folder of temporal.db; made when missing
	Host       string        // a loopback IP; DefaultHost
	Port       int           // of the frontend (gRPC); DefaultPort
	UIPort     int           // of the Web UI; 0: none
	Namespace  string        // DefaultNamespace
	Retention  time.Duration // how long closed workflows are kept; DefaultRetention, at least an hour
	Logger     *slog.Logger  // takes the server's warnings and errors; nil: nobody
	Durability Durability    // DurabilityNormal
	// Key is what clients have to show, as a bearer token. Default: the owner's key
	// in Dir, which is made when missing.
	Key string
	// Authorized reports whether a request of the Web UI is of somebody who may see
	// and do everything. Default: nobody's is but whose bearer token is Key.
	Authorized func(*http.Request) bool
	// LogIn returns where somebody logs in who is not Authorized and asks for a
	// page; default: nowhere.
	LogIn func(*http.Request) string
	// Partitions are the parts that a task queue is in; 1. A cluster has 4, and more
	// are for trying what that does.
	Partitions int
	// FairQueues are task queues on which tasks with different fairness keys take
	// turns; on all others they go by priority and age alone.
	FairQueues []string
}

// withDefaults fills in the defaults and refuses what cannot work.
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
	// The key and what is asked for go unencrypted.
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
