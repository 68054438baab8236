package store

import (
	"context"
	"errors"
	"time"

	"errand"
)

var errNotYet = errors.New("store: not written yet")

// A Store keeps the words.
type Store struct{ hub *Hub }

func Open(ctx context.Context, o Options) (*Store, error) { return nil, errNotYet }
func (s *Store) Close() error                             { return errNotYet }
func (s *Store) ID() string                               { return "" }
func (s *Store) Hub() *Hub                                { return s.hub }
func (s *Store) Ping(ctx context.Context) error           { return errNotYet }

func (s *Store) EnsurePerson(ctx context.Context, id errand.PersonID, name string, role errand.Role) (created bool, err error) {
	return false, errNotYet
}
func (s *Store) Person(ctx context.Context, id errand.PersonID) (Person, error) {
	return Person{}, errNotYet
}
func (s *Store) AddIdentity(ctx context.Context, channel, account, externalID string, person errand.PersonID) error {
	return errNotYet
}
func (s *Store) Identify(ctx context.Context, channel, account, externalID string) (errand.PersonID, errand.Role, error) {
	return "", "", errNotYet
}

func (s *Store) Accept(ctx context.Context, m InboxMessage) (InboxRow, error) {
	return InboxRow{}, errNotYet
}
func (s *Store) Unclaimed(ctx context.Context, before time.Time) ([]errand.SessionKey, error) {
	return nil, errNotYet
}

func (s *Store) Rehydrate(ctx context.Context, key errand.SessionKey, primary errand.AgentName) (Rehydrated, error) {
	return Rehydrated{}, errNotYet
}
func (s *Store) SuspendSession(ctx context.Context, id errand.SessionID) error { return errNotYet }
func (s *Store) EndSession(ctx context.Context, key errand.SessionKey, old errand.SessionID, reason string, primary errand.AgentName) (errand.SessionID, error) {
	return "", errNotYet
}
func (s *Store) SetBusy(ctx context.Context, key errand.SessionKey, mode string) error {
	return errNotYet
}
func (s *Store) SetAgent(ctx context.Context, key errand.SessionKey, agent errand.AgentName) error {
	return errNotYet
}
func (s *Store) Sessions(ctx context.Context, person errand.PersonID, limit int) ([]Session, error) {
	return nil, errNotYet
}
func (s *Store) Session(ctx context.Context, id errand.SessionID) (Session, error) {
	return Session{}, errNotYet
}
func (s *Store) Current(ctx context.Context, key errand.SessionKey) (Session, error) {
	return Session{}, errNotYet
}

func (s *Store) BeginStep(ctx context.Context, in BeginStep) (*Begun, error) { return nil, errNotYet }
func (s *Store) CommitStep(ctx context.Context, in CommitStep) (StepResult, error) {
	return StepResult{}, errNotYet
}
func (s *Store) FoldFailed(ctx context.Context, owner errand.Owner, turn int) ([]int64, error) {
	return nil, errNotYet
}
func (s *Store) CloseTurn(ctx context.Context, owner errand.Owner, turn int, reason string) error {
	return errNotYet
}
func (s *Store) Call(ctx context.Context, key errand.CallKey) (Call, error) { return Call{}, errNotYet }
func (s *Store) CommitTool(ctx context.Context, key errand.CallKey, text string) error {
	return errNotYet
}

func (s *Store) CreateTask(ctx context.Context, origin errand.Origin, n NewTask, retryOf errand.TaskID) (errand.Task, error) {
	return errand.Task{}, errNotYet
}
func (s *Store) Task(ctx context.Context, id errand.TaskID) (errand.Task, error) {
	return errand.Task{}, errNotYet
}
func (s *Store) FindTask(ctx context.Context, prefix string, f TaskFilter) (errand.Task, error) {
	return errand.Task{}, errNotYet
}
func (s *Store) Tasks(ctx context.Context, f TaskFilter) ([]errand.Task, error) {
	return nil, errNotYet
}
func (s *Store) TaskStarted(ctx context.Context, id errand.TaskID) error { return errNotYet }
func (s *Store) FinishTask(ctx context.Context, id errand.TaskID, state errand.TaskState, reason string) (task errand.Task, first bool, err error) {
	return errand.Task{}, false, errNotYet
}
func (s *Store) CloseTask(ctx context.Context, id errand.TaskID, reason string, told bool) ([]errand.Task, error) {
	return nil, errNotYet
}
func (s *Store) OpenTasks(ctx context.Context) ([]errand.Task, error) { return nil, errNotYet }
func (s *Store) Untold(ctx context.Context, before time.Time) ([]errand.Task, error) {
	return nil, errNotYet
}
func (s *Store) TaskTree(ctx context.Context, id errand.TaskID) ([]errand.Task, error) {
	return nil, errNotYet
}

func (s *Store) NextOutbox(ctx context.Context, route errand.Route) (*errand.Notification, error) {
	return nil, errNotYet
}
func (s *Store) OlderOpen(ctx context.Context, id int64) (bool, error) { return false, errNotYet }
func (s *Store) Notification(ctx context.Context, id int64) (errand.Notification, error) {
	return errand.Notification{}, errNotYet
}
func (s *Store) MarkSending(ctx context.Context, id int64) error                 { return errNotYet }
func (s *Store) MarkSent(ctx context.Context, id int64, receipts []string) error { return errNotYet }
func (s *Store) MarkUnknown(ctx context.Context, id int64, reason string) error  { return errNotYet }
func (s *Store) MarkPending(ctx context.Context, id int64, reason string) error  { return errNotYet }
func (s *Store) MarkBlocked(ctx context.Context, id int64, reason string) error  { return errNotYet }
func (s *Store) RetryOutbox(ctx context.Context, id int64) error                 { return errNotYet }
func (s *Store) Dismiss(ctx context.Context, id int64) error                     { return errNotYet }
func (s *Store) OpenRoutes(ctx context.Context) ([]errand.Route, error)          { return nil, errNotYet }
func (s *Store) Outbox(ctx context.Context, states []errand.OutboxState, limit int) ([]errand.Notification, error) {
	return nil, errNotYet
}

func (s *Store) Events(ctx context.Context, key errand.SessionKey, after int64, limit int) ([]errand.Event, error) {
	return nil, errNotYet
}
func (s *Store) LastEvents(ctx context.Context, key errand.SessionKey, n int) ([]errand.Event, error) {
	return nil, errNotYet
}

func (s *Store) Remember(ctx context.Context, person errand.PersonID, agent errand.AgentName, n Note) error {
	return errNotYet
}
func (s *Store) Recall(ctx context.Context, person errand.PersonID, agent errand.AgentName, key string) (Note, error) {
	return Note{}, errNotYet
}
func (s *Store) ListMemory(ctx context.Context, person errand.PersonID, agent errand.AgentName, prefix string) ([]Note, error) {
	return nil, errNotYet
}

func (s *Store) Pause(ctx context.Context, by errand.PersonID) error { return errNotYet }
func (s *Store) Resume(ctx context.Context) error                    { return errNotYet }
func (s *Store) Paused(ctx context.Context) (bool, error)            { return false, errNotYet }
func (s *Store) Spent(ctx context.Context, root string) (Amount, error) {
	return Amount{}, errNotYet
}
func (s *Store) SessionSpent(ctx context.Context, id errand.SessionID) (Amount, error) {
	return Amount{}, errNotYet
}

func (s *Store) SaveSummary(ctx context.Context, owner errand.Owner, turn, step int, text string) error {
	return errNotYet
}
func (s *Store) Transcript(ctx context.Context, owner errand.Owner, limit int) ([]errand.Message, error) {
	return nil, errNotYet
}
func (s *Store) ToSummarise(ctx context.Context, owner errand.Owner, keep int) ([]errand.Message, error) {
	return nil, errNotYet
}
