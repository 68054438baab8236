// Package probe is the list of points at which a test can wait, stop the work, or kill the process.
package probe

// A Point is between two operations. After a crash there, the first may have happened and the
// second has not.
type Point string

// The points, in the order of a message, a task, a delivery, a reminder and a maintenance run.
const (
	BeforeInbox     Point = "before inbox" // the message's row
	AfterInbox      Point = "after inbox"
	AfterSignal     Point = "after signal" // to the session
	BeforeRehydrate Point = "before rehydrate"
	BeforeT1        Point = "before T1"
	BeforeT2        Point = "before T2" // after the model's answer
	AfterT2         Point = "after T2"
	BeforeTool      Point = "before tool"
	InTool          Point = "in tool"       // a tool that must not run twice is recorded as started
	AfterTool       Point = "after tool"    // its result is not committed
	BeforeFinish    Point = "before finish" // of a task by its Delegation
	AfterFinish     Point = "after finish"  // the outcome is committed
	AfterFinished   Point = "after task-finished"
	BeforeLate      Point = "before late answer" // received from a peer
	AfterLate       Point = "after late answer"  // it is committed
	AfterLateSignal Point = "after late signal"  // to the session that receives it
	AfterSaid       Point = "after task message" // its row, and the start of what continues the task
	BeforeAnswer    Point = "before answer"      // to a question
	AfterAnswer     Point = "after answer"
	BeforeSend      Point = "before send"
	BeforeReceipt   Point = "before receipt"
	BeforeSuspend   Point = "before suspend"
	AfterSuspend    Point = "after suspend"
	BeforeReminder  Point = "before reminder" // the reminder's row, at its time
	AfterReminder   Point = "after reminder"
	BeforeSweep     Point = "before sweep" // a stage of maintenance
	BetweenBatches  Point = "between batches"
	AfterSweep      Point = "after sweep"
)

// Points returns all points.
func Points() []Point {
	return []Point{
		BeforeInbox, AfterInbox, AfterSignal, BeforeRehydrate, BeforeT1, BeforeT2, AfterT2, BeforeTool, InTool, AfterTool, BeforeFinish, AfterFinish, AfterFinished, BeforeLate, AfterLate, AfterLateSignal, AfterSaid, BeforeAnswer, AfterAnswer,
		BeforeSend, BeforeReceipt, BeforeSuspend, AfterSuspend, BeforeReminder, AfterReminder, BeforeSweep, BetweenBatches, AfterSweep,
	}
}

// A Func is called at each point and may block there. It is safe for concurrent use. Nil does
// nothing and is the default.
type Func func(Point)

func (f Func) At(p Point) {
	if f != nil {
		f(p)
	}
}
