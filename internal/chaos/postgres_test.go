package chaos

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"errand/internal/freeport"
)

// A postgres is a PostgreSQL server of the test's own, with fsync as it comes:
// it can be killed and stopped as a whole, which a server that others use cannot.
type postgres struct {
	t    *testing.T
	bin  string // folder of its programs
	dir  string
	port int
	as   *syscall.Credential // PostgreSQL refuses to run as root; nil: the test does not
	cmd  *exec.Cmd
	log  *os.File
}

// startPostgres makes a new cluster and starts it. The test is skipped where
// PostgreSQL's programs are not installed.
func startPostgres(t *testing.T) *postgres {
	t.Helper()
	folders, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(folders) == 0 {
		t.Skip("PostgreSQL's server is not installed: apt-get install postgresql")
	}
	p := &postgres{t: t, bin: folders[len(folders)-1], port: freeport.For(t)}
	// Sockets have short names, and the folder has to be the other user's.
	if p.dir, err = os.MkdirTemp("", "pg"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(p.dir) })
	if os.Getuid() == 0 {
		p.as = credential(t, "postgres")
		if err := os.Chown(p.dir, int(p.as.Uid), int(p.as.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	if p.log, err = os.Create(filepath.Join(t.TempDir(), "postgres.log")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.log.Close() })
	if out, err := p.command("initdb", "-D", p.dir+"/data", "-A", "trust", "-U", "errand").CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	t.Cleanup(p.kill)
	p.start()
	return p
}

func credential(t *testing.T, name string) *syscall.Credential {
	t.Helper()
	u, err := user.Lookup(name)
	if err != nil {
		t.Fatalf("tests run as root, and PostgreSQL does not: %v", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

func (p *postgres) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(p.bin, name), args...)
	cmd.Dir = p.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.as, Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return cmd
}

// start starts the server; whoever needs it waits for it.
func (p *postgres) start() {
	p.cmd = p.command("postgres", "-D", p.dir+"/data", "-p", strconv.Itoa(p.port), "-k", p.dir,
		"-c", "listen_addresses=127.0.0.1", "-c", "max_connections=400", "-c", "shared_buffers=64MB", "-c", "log_min_messages=fatal")
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	if err := p.cmd.Start(); err != nil {
		p.t.Fatalf("start PostgreSQL: %v", err)
	}
}

// signal sends a signal to the server and all its backends. Each backend is the
// leader of its own group, so the group of the first alone would not do.
func (p *postgres) signal(sig syscall.Signal) {
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

// kill ends the server as a power cut of its machine does, but for the disk.
func (p *postgres) kill() {
	if p.cmd == nil {
		return
	}
	p.signal(syscall.SIGKILL)
	p.cmd.Wait()
	p.cmd = nil
}

// exec runs statements without arguments in a database, once the server takes
// connections.
func (p *postgres) exec(ctx context.Context, database, statements string) error {
	db, err := sql.Open("pgx", p.url(database))
	if err != nil {
		return err
	}
	defer db.Close()
	if err := patiently(func() error { return db.PingContext(ctx) }); err != nil {
		return fmt.Errorf("PostgreSQL does not answer: %w", err)
	}
	_, err = db.ExecContext(ctx, statements)
	return err
}

// url is the address of a database.
func (p *postgres) url(database string) string {
	return fmt.Sprintf("postgres://errand@127.0.0.1:%d/%s?sslmode=disable", p.port, database)
}
