// Package ownports says on which TCP ports this process listens. Tests that
// attack an installation try all of them, and not only those that somebody
// remembered to list.
package ownports

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const listen = "0A"

// Listening returns the addresses, "127.0.0.1:7233", on which this process
// listens. It reads /proc and so works on Linux only.
func Listening() ([]string, error) {
	own, err := sockets()
	if err != nil {
		return nil, err
	}
	var all []string
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		at, err := read(table, own)
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		all = append(all, at...)
	}
	return all, nil
}

func sockets() (map[string]bool, error) {
	const dir = "/proc/self/fd"
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	own := map[string]bool{}
	for _, e := range entries {
		target, err := os.Readlink(filepath.Join(dir, e.Name()))
		if err != nil {
			continue // closed meanwhile
		}
		if inode, ok := strings.CutPrefix(target, "socket:["); ok {
			own[strings.TrimSuffix(inode, "]")] = true
		}
	}
	return own, nil
}

// read returns what of a table belongs to own and listens. A line has, in its
// fields 1, 3 and 9, the address, the state and the inode (proc(5)).
func read(table string, own map[string]bool) ([]string, error) {
	f, err := os.Open(table)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []string
	lines := bufio.NewScanner(f)
	lines.Scan() // the heading
	for lines.Scan() {
		field := strings.Fields(lines.Text())
		if len(field) < 10 || field[3] != listen || !own[field[9]] {
			continue
		}
		at, err := parse(field[1])
		if err != nil {
			return nil, err
		}
		all = append(all, at.String())
	}
	return all, lines.Err()
}

// parse reads an address as the kernel writes it: groups of four bytes in the
// machine's order, then the port.
func parse(s string) (netip.AddrPort, error) {
	host, port, _ := strings.Cut(s, ":")
	raw, err := hex.DecodeString(host)
	if err != nil || len(raw)%4 != 0 {
		return netip.AddrPort{}, fmt.Errorf("read %q: not an address", s)
	}
	for i := 0; i < len(raw); i += 4 {
		binary.NativeEndian.PutUint32(raw[i:], binary.BigEndian.Uint32(raw[i:]))
	}
	ip, ok := netip.AddrFromSlice(raw)
	n, err := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil {
		return netip.AddrPort{}, fmt.Errorf("read %q: not an address", s)
	}
	return netip.AddrPortFrom(ip.Unmap(), uint16(n)), nil
}
