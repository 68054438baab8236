package rig

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"errand/internal/ownerkey"
	"errand/internal/temporal/devserver"
)

// ErrNoPostgres says that there are no programs of PostgreSQL on this machine.
var ErrNoPostgres = errors.New("PostgreSQL's server is not installed: apt-get install postgresql")

// A Postgres is a private PostgreSQL server with the default fsync: it can be
// killed and stopped as a whole, which a server that others use cannot.
type Postgres struct {
	Port int
	o    PostgresOptions
	bin  string // folder of its programs
	dir  string
	as   *syscall.Credential // PostgreSQL refuses to run as root; nil: we do not
	cmd  *exec.Cmd
	// ended is closed once cmd has.
	ended chan struct{}
	log   *os.File
}

// PostgresOptions are what a server is to be like.
type PostgresOptions struct {
	In       string   // the folder in which its own is made; default: that of temporary files
	Settings []string // beside those that it has always: "max_connections=40"
}

// StartPostgres makes a new cluster and starts it. The caller closes it.
func StartPostgres(o PostgresOptions) (*Postgres, error) {
	folders, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(folders) == 0 {
		return nil, ErrNoPostgres
	}
	p := &Postgres{o: o, bin: folders[len(folders)-1]}
	ports, err := devserver.FreePorts("127.0.0.1", 1)
	if err != nil {
		return nil, err
	}
	p.Port = ports[0]
	if err := p.make(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *Postgres) make() (err error) {
	// Sockets have short names, and the folder has to be the other user's.
	if p.dir, err = os.MkdirTemp(p.o.In, "pg"); err != nil {
		return err
	}
	if os.Getuid() == 0 {
		if p.as, err = credential("postgres"); err != nil {
			return err
		}
		if err := os.Chown(p.dir, int(p.as.Uid), int(p.as.Gid)); err != nil {
			return err
		}
	}
	if p.log, err = os.Create(filepath.Join(p.dir, "log")); err != nil {
		return err
	}
	if out, err := p.command("initdb", "-D", p.dir+"/data", "-A", "trust", "-U", "errand").CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return p.Start()
}

func credential(name string) (*syscall.Credential, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return nil, fmt.Errorf("this runs as root, and PostgreSQL does not: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

func (p *Postgres) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(p.bin, name), args...)
	cmd.Env = ownerkey.ChildEnv(os.Environ())
	cmd.Dir = p.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.as, Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return cmd
}

const startWithin = time.Minute

// Start starts the server, and returns once it listens; callers must wait until it answers. It
// keeps when each transaction was committed. What served connections of a server that was killed
// may live for a moment longer, and no other starts until then.
func (p *Postgres) Start() error {
	for deadline := time.Now().Add(startWithin); ; time.Sleep(100 * time.Millisecond) {
		err := p.startOnce()
		if err == nil || p.cmd == nil || time.Now().After(deadline) {
			return err
		}
		p.cmd = nil
	}
}

// startOnce starts the server. It has ended by itself if there is both an error and a cmd.
func (p *Postgres) startOnce() error {
	args := []string{"-D", p.dir + "/data", "-p", strconv.Itoa(p.Port), "-k", p.dir}
	for _, setting := range append([]string{"listen_addresses=127.0.0.1", "max_connections=400", "shared_buffers=64MB",
		"log_min_messages=fatal", "track_commit_timestamp=on"}, p.o.Settings...) {
		args = append(args, "-c", setting)
	}
	p.cmd = p.command("postgres", args...)
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	if err := p.cmd.Start(); err != nil {
		p.cmd = nil
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	p.ended = make(chan struct{})
	go func(cmd *exec.Cmd, ended chan<- struct{}) {
		defer close(ended)
		cmd.Wait()
	}(p.cmd, p.ended)
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-p.ended:
			return fmt.Errorf("PostgreSQL ended while it started: %s", p.cmd.ProcessState)
		case <-look.C:
		}
		if c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(p.Port))); err == nil {
			return c.Close()
		}
	}
}

// Signal sends a signal to the server and all its backends. Each backend is the
// leader of its own group, so the group of the first alone would not do.
func (p *Postgres) Signal(sig syscall.Signal) {
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", p.cmd.Process.Pid, p.cmd.Process.Pid))
	// The first before the others: it would end, or replace, what has died.
	p.cmd.Process.Signal(sig)
	if err != nil {
		return
	}
	for _, field := range strings.Fields(string(children)) {
		if pid, err := strconv.Atoi(field); err == nil {
			syscall.Kill(pid, sig)
		}
	}
}

// Kill ends the server as a power cut of its machine would, without damage to the disk.
func (p *Postgres) Kill() {
	if p.cmd == nil {
		return
	}
	p.Signal(syscall.SIGKILL)
	<-p.ended
	p.cmd = nil
}

// Stop ends the server as an operator does before a restart: it closes all connections.
func (p *Postgres) Stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
		return err
	}
	<-p.ended
	p.cmd = nil
	return nil
}

// Close ends the server and removes all that it kept.
func (p *Postgres) Close() error {
	p.Kill()
	if p.log != nil {
		p.log.Close()
	}
	return os.RemoveAll(p.dir)
}

// Exec runs statements without arguments in a database, once the server takes
// connections.
func (p *Postgres) Exec(ctx context.Context, database, statements string) error {
	db, err := sql.Open("pgx", p.URL(database))
	if err != nil {
		return err
	}
	defer db.Close()
	if err := Patiently(func() error { return db.PingContext(ctx) }); err != nil {
		return fmt.Errorf("PostgreSQL does not answer: %w", err)
	}
	_, err = db.ExecContext(ctx, statements)
	return err
}

// URL is the address of a database.
func (p *Postgres) URL(database string) string {
	return fmt.Sprintf("postgres://errand@127.0.0.1:%d/%s?sslmode=disable", p.Port, database)
}
