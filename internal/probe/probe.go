// Package probe names the points of the work at which a crash is worth trying, so
// that a test can wait for one, stop the work there, or kill the process.
package probe

// A Point is between two things of which the first may have happened and the second
// not.
type Point string

// The points, in the order in which a message, a task, a delivery, a reminder and a
// run of maintenance come to them.
const (
	BeforeInbox     Point = "before inbox" // the row of the message
	AfterInbox      Point = "after inbox"
	AfterSignal     Point = "after signal" // to the session
	BeforeRehydrate Point = "before rehydrate"
	BeforeT1        Point = "before T1"
	BeforeT2        Point = "before T2" // the model has answered
	AfterT2         Point = "after T2"
	BeforeTool      Point = "before tool"
	InTool          Point = "in tool"       // one that must not run twice is noted as begun
	AfterTool       Point = "after tool"    // it has run, and its result is not committed
	BeforeFinish    Point = "before finish" // of a task, by its Delegation
	AfterFinish     Point = "after finish"  // the outcome is there, whoever has committed it
	AfterFinished   Point = "after task-finished"
	BeforeLate      Point = "before late answer" // a peer has said it
	AfterLate       Point = "after late answer"  // it is kept
	AfterLateSignal Point = "after late signal"  // to the session that is told
	AfterSaid       Point = "after task message" // its row, and what goes on with a task
	BeforeAnswer    Point = "before answer"      // of a question
	AfterAnswer     Point = "after answer"
	BeforeSend      Point = "before send"
	BeforeReceipt   Point = "before receipt"
	BeforeSuspend   Point = "before suspend"
	AfterSuspend    Point = "after suspend"
	BeforeReminder  Point = "before reminder" // its row, at its time
	AfterReminder   Point = "after reminder"
	BeforeSweep     Point = "before sweep" // a stage of maintenance
	BetweenBatches  Point = "between batches"
	AfterSweep      Point = "after sweep"
)

// Points are all of them.
func Points() []Point {
	return []Point{
		BeforeInbox, AfterInbox, AfterSignal, BeforeRehydrate, BeforeT1, BeforeT2, AfterT2, BeforeTool, InTool, AfterTool, BeforeFinish, AfterFinish, AfterFinished, BeforeLate, AfterLate, AfterLateSignal, AfterSaid, BeforeAnswer, AfterAnswer,
		BeforeSend, BeforeReceipt, BeforeSuspend, AfterSuspend, BeforeReminder, AfterReminder, BeforeSweep, BetweenBatches, AfterSweep,
	}
}

// A Func is called by whoever comes to a point, and may keep them there. It is safe
// for concurrent use. Nil does nothing: that is how errand runs.
type Func func(Point)

// At calls f.
func (f Func) At(p Point) {
	if f != nil {
		f(p)
	}
}
