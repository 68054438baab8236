package attack

import "syscall"

// mostFiles is how many files the installation believes it may open, so that it
// takes half as many connections.
const mostFiles = 512

// limitFiles has the process open so many files and no more, until all is called.
func limitFiles(n uint64) (all func(), err error) {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		return nil, err
	}
	few := before
	few.Cur = min(n, before.Max)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		return nil, err
	}
	return func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
			panic(err)
		}
	}, nil
}
