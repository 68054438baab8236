package wire

import (
	"time"
)

// Settings are the settings that workflows need. A run keeps those in its input. Only a session
// reads the current ones, with [Activities.Rehydrate], when a run begins and after a reset.
type Settings struct {
	Attributes   bool          `json:"attributes"` // the search attributes are registered
	Titles       bool          `json:"titles"`     // show titles of tasks in the Web UI
	Busy         BusyMode      `json:"busy,omitempty"`
	SuspendAfter time.Duration `json:"suspend_after"`
	Patience     time.Duration `json:"patience"`
	FoldWindow   time.Duration `json:"fold_window"`
	FoldTimeout  time.Duration `json:"fold_timeout"`
	ModelTimeout time.Duration `json:"model_timeout"`          // limits the attempts of a step
	TaskTimeout  time.Duration `json:"task_timeout,omitempty"` // of a workflow task; 0: Temporal's default of 10 s
	MaxSteps     int           `json:"max_steps"`
	// SendAgain is the pause after the first failed delivery; 0: a second.
	SendAgain time.Duration `json:"send_again,omitempty"`
	// TurnsPerRun is after how many turns a run continues as new; 0: when Temporal suggests it. A
	// run keeps its own value.
	TurnsPerRun int `json:"turns_per_run,omitempty"`
}

// WithDefaults replaces zero values by the defaults.
func (s Settings) WithDefaults() Settings {
	set := func(d *time.Duration, def time.Duration) {
		if *d == 0 {
			*d = def
		}
	}
	set(&s.SuspendAfter, 30*time.Minute)
	set(&s.Patience, time.Minute)
	set(&s.FoldWindow, 3*time.Second)
	set(&s.FoldTimeout, 10*time.Minute)
	set(&s.ModelTimeout, 24*time.Hour)
	if s.MaxSteps == 0 {
		s.MaxSteps = 20
	}
	if s.Busy == "" {
		s.Busy = Collect
	}
	return s
}

// A BusyMode decides what happens to messages that arrive while a turn runs.
type BusyMode string

const (
	Collect   BusyMode = "collect"   // all of them are the next turn
	Steer     BusyMode = "steer"     // appended after the tool results of the running step
	Queue     BusyMode = "queue"     // one turn each
	Interrupt BusyMode = "interrupt" // the running turn is closed, the next begins
)

func (m BusyMode) Valid() bool {
	return m == Collect || m == Steer || m == Queue || m == Interrupt
}

// RunWith returns the settings for the next run of a workflow that began with s. now is the current
// configuration. A run keeps its own TurnsPerRun.
func (s Settings) RunWith(now Settings) Settings {
	now.TurnsPerRun = s.TurnsPerRun
	return now
}
