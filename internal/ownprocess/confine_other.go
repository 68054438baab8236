//go:build !linux

package ownprocess

import "syscall"

func endsWithParent() *syscall.SysProcAttr { return nil }

func confine(Limits) error { return nil }
