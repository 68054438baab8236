package main

import (
	"errors"
	"fmt"
)

// A MissedError says that a run has measured everything, and some of it is not what it must be.
type MissedError struct{ Missed []string }

func (e *MissedError) Error() string {
	all := make([]error, len(e.Missed))
	for i, m := range e.Missed {
		all[i] = errors.New("missed: " + m)
	}
	return errors.Join(all...).Error()
}

// musts are what the measurements of a run must come to. Its zero value holds none.
type musts struct{ missed []string }

// hold notes what is missed; is says whether it is as it must be.
func (m *musts) hold(is bool, format string, args ...any) {
	if !is {
		m.missed = append(m.missed, fmt.Sprintf(format, args...))
	}
}

func (m *musts) err(strict bool) error {
	if !strict || len(m.missed) == 0 {
		return nil
	}
	return &MissedError{m.missed}
}
