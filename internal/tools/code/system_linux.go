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

// The users of programs if errand is root: no system gives these ids to others.
const (
	firstUser = 0x70000000
	users     = 0x0fff0000
)

// programUser draws a user for one program. In a user namespace with few users it is nobody.
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

// runApart has root start a command as a user of its own. To the system a program is the user
// that started its sandbox, and root has no limit of processes. Other users keep their own id.
func runApart(cmd *exec.Cmd) {
	if os.Getuid() == 0 {
		id := uint32(programUser())
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
	}
}

const (
	tmpfs       = 0x01021994 // what statfs(2) calls a file system in memory
	inodeMemory = 1 << 10    // an empty file takes memory too: its inode and its entry in a folder
)

// usedRoom returns how many bytes of the file systems that processes write to are taken, also by
// deleted files that are open; 0 where errand cannot see them, as in a container.
func usedRoom(pids []int, size int64) (used int64) {
	page := int64(os.Getpagesize())
	for _, pid := range pids {
		root := filepath.Join("/proc", strconv.Itoa(pid), "root")
		var fs syscall.Statfs_t
		if syscall.Statfs(root+inside, &fs) != nil || int64(fs.Type) != tmpfs || int64(fs.Blocks)*fs.Bsize != (size+page-1)/page*page {
			continue // it is outside of the sandbox, or has ended
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
