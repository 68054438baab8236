package code

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// The range of user ids for programs if errand runs as root. Systems do not assign
// these ids to users.
const (
	firstUser = 0x70000000
	users     = 0x0fff0000
)

// programUser returns a random id of the range, or nobody in a user namespace that has too
// few ids.
func programUser() int {
	ids, _ := os.ReadFile("/proc/self/uid_map") // without /proc there is no sandbox
	for line := range strings.Lines(string(ids)) {
		var first, outside, count int
		if _, err := fmt.Sscan(line, &first, &outside, &count); err == nil && first <= firstUser && first+count >= firstUser+users {
			return firstUser + rand.IntN(users)
		}
	}
	return nobody
}

// runApart gives the program its own user if errand is root, because root has no limit of
// processes.
func runApart(cmd *exec.Cmd) {
	if os.Getuid() == 0 {
		id := uint32(programUser())
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
	}
}

const (
	tmpfs       = 0x01021994 // the type of an in-memory file system in statfs(2)
	inodeMemory = 1 << 10    // memory of an empty file: its inode and directory entry
)

// usedRoom returns the bytes in the program's file systems, including deleted files that
// are still open. It returns 0 if errand cannot see them, as in a container.
func usedRoom(pids []int, size int64) (used int64) {
	page := int64(os.Getpagesize())
	for _, pid := range pids {
		root := filepath.Join("/proc", strconv.Itoa(pid), "root")
		var fs syscall.Statfs_t
		if syscall.Statfs(root+inside, &fs) != nil || int64(fs.Type) != tmpfs || int64(fs.Blocks)*fs.Bsize != (size+page-1)/page*page {
			continue // outside the sandbox, or ended
		}
		for _, folder := range []string{inside, "/tmp", "/dev/shm"} {
			if syscall.Statfs(root+folder, &fs) == nil && int64(fs.Type) == tmpfs {
				used += int64(fs.Blocks-fs.Bfree)*fs.Bsize + int64(fs.Files-fs.Ffree)*inodeMemory
			}
		}
		return used
	}
	return 0
}
