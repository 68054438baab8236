package activities

import "time"

// Settings are what workflows need of the configuration. A run begins with those in its
// input. A session has those of now from [Activities.Rehydrate], at the begin of each
// run and after a reset; all else keeps what it was started with.
type Settings struct {
	Attributes   bool          `json:"attributes"` // the search attributes are registered
	Titles       bool          `json:"titles"`     // show titles of tasks in the Web UI
	Busy         BusyMode      `json:"busy,omitempty"`
	SuspendAfter time.Duration `json:"suspend_after"`
	Patience     time.Duration `json:"patience"`
	FoldWindow   time.Duration `json:"fold_window"`
	FoldTimeout  time.Duration `json:"fold_timeout"`
	ModelTimeout time.Duration `json:"model_timeout"`          // for how long a session's step tries to get an answer, by its attempts
	TaskTimeout  time.Duration `json:"task_timeout,omitempty"` // of a workflow task; 0: Temporal's default of 10 s
	MaxSteps     int           `json:"max_steps"`
	// SendAgain is how long after a first delivery that failed the next follows;
	// 0: a second.
	SendAgain time.Duration `json:"send_again,omitempty"`
	// TurnsPerRun is after how many turns a run continues as new; 0: when Temporal suggests
	// it. A run keeps its own.
	TurnsPerRun int `json:"turns_per_run,omitempty"`
}

// WithDefaults fills in what s leaves out.
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
	// Longer than the longest Retry-After that is obeyed (10 min): a turn must
	// live to see it pass.
	set(&s.ModelTimeout, 12*time.Minute)
	if s.MaxSteps == 0 {
		s.MaxSteps = 20
	}
	if s.Busy == "" {
		s.Busy = Collect
	}
	return s
}

// A BusyMode says what happens with messages that arrive while a turn runs.
type BusyMode string

// The busy modes.
const (
	Collect   BusyMode = "collect"   // the burst is the next turn
	Steer     BusyMode = "steer"     // appended after the tool results of the running step
	Queue     BusyMode = "queue"     // one turn each
	Interrupt BusyMode = "interrupt" // the running turn is closed, the next begins
)

// Valid reports whether m is one of the modes.
func (m BusyMode) Valid() bool {
	return m == Collect || m == Steer || m == Queue || m == Interrupt
}

// RunWith returns the settings for a run that began with s when now is configured. A run
// keeps its own TurnsPerRun.
func (s Settings) RunWith(now Settings) Settings {
	now.TurnsPerRun = s.TurnsPerRun
	return now
}
