package code

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// tmpfs is what statfs(2) calls a file system in memory.
const tmpfs = 0x01021994

// An empty file takes memory too: its inode and its entry in a folder.
const inodeMemory = 1 << 10

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
