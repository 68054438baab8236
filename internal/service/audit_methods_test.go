package service_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// unaudited are the methods that change something of which the audit log keeps nothing, and
// why: most of what people do is in rows of its own, with who did it.
var unaudited = map[string]string{
	"Delegate": taskRow, "AskTeam": taskRow, "AskProcedure": taskRow, "ReceiveA2A": taskRow, "RetryTask": taskRow, "RetryTasks": taskRow, "ContinueTask": taskRow,
	"SteerTask": taskWords, "SteerTaskFor": taskWords,
	"NewSession": sessionRow, "SwitchAgent": sessionRow, "SetBusy": "is a setting of one conversation, which shows it",
	"Remind": reminderRow, "RemindFor": reminderRow, "CancelReminder": reminderRow, "CancelReminderFor": reminderRow,
	"PutFile": "is a version of the file, which says who", "RemoveFile": "is of a conversation's own files", "SendFileFor": "is a message",
	"AskLogin": "is a request of a stranger, which has a row", "RedeemLink": "is in the log as the link that was made", "Logout": "ends what its owner shows",
	"Login": lastUse, "LoginState": lastUse,
	"RunMaintenance": "is a report of its own", "Ready": "asks whether Temporal answers",
	"PollLatePeers":       itself,
	"SetPushSubscription": ownBrowser, "DeletePushSubscription": ownBrowser,
	"ChangeChat":  "is how the list of one's own chats looks",
	"EditMessage": "is of a message that nobody has read", "WithdrawMessage": "is of a message that nobody has read",
	"NoteCommand": "notes what was typed, and its command does what it does",
	"EndTask":     itself, "AccountBack": itself, "RemindOfQuestions": itself, "EnsureConnections": itself, "WakeOutbox": itself, "NoteGoneAccounts": itself,
	"SetA2APush": taskReceiver, "DeleteA2APush": taskReceiver,
	"AcceptPairingMessages": itself,
	"RegisterAgent":         "is in the list of one's own agents, and asks for nothing", "NextRequest": taskAnswer, "KeepRequest": taskAnswer, "AnswerRequest": taskAnswer,
}

const (
	taskRow      = "is a task, which says who has asked for it"
	taskWords    = "is a message of the task, which says who"
	sessionRow   = "is an event of the conversation, which its people read"
	reminderRow  = "is a reminder of the person's own"
	taskReceiver = "is of one task, and what is told is a webhook, which says where to"
	taskAnswer   = "is of a task, which says who has asked for it and which agent has answered"
	ownBrowser   = "is a browser of the person's own, which is told what its page shows"
	lastUse      = "notes when a token was last used"
	itself       = "is done by errand itself"
)

func methods(t *testing.T, dir, of string) map[string]*ast.FuncDecl {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]*ast.FuncDecl{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv == nil {
				continue
			}
			if star, ok := fn.Recv.List[0].Type.(*ast.StarExpr); ok {
				if id, ok := star.X.(*ast.Ident); ok && id.Name == of {
					list[fn.Name.Name] = fn
				}
			}
		}
	}
	return list
}

// reaching are those of some methods that call what is asked for, or one of themselves that
// does. A call is "s.Method" or "s.Field.Method".
func reaching(list map[string]*ast.FuncDecl, is func(call string) bool) map[string]bool {
	found := map[string]bool{}
	for again := true; again; {
		again = false
		for name, fn := range list {
			if found[name] || fn.Body == nil {
				continue
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				call := path(sel)
				if method, ok := strings.CutPrefix(call, "s."); is(call) || ok && found[method] {
					again = again || !found[name]
					found[name] = true
				}
				return true
			})
		}
	}
	return found
}

// path is a selector in words: s.Store.SetRole; empty: it selects of something else.
func path(sel *ast.SelectorExpr) string {
	switch x := sel.X.(type) {
	case *ast.Ident:
		return x.Name + "." + sel.Sel.Name
	case *ast.SelectorExpr:
		if of := path(x); of != "" {
			return of + "." + sel.Sel.Name
		}
	}
	return ""
}

// TestEveryChangeIsAudited proves that each method which changes something, in the store or at
// Temporal, is either in the audit log or in the list of those that need not be.
func TestEveryChangeIsAudited(t *testing.T) {
	writes := reaching(methods(t, "../store", "Store"), func(call string) bool {
		return call == "s.write" || call == "s.writeUrgent" || call == "s.writeStop"
	})
	for _, known := range []string{"SetRole", "CloseTask", "Accept", "CreateToken", "RetryOutbox"} {
		if !writes[known] {
			t.Errorf("the store's %s is not seen to write", known)
		}
	}
	for _, known := range []string{"Person", "Tasks", "Audit", "FindQuestion"} {
		if writes[known] {
			t.Errorf("the store's %s is said to write", known)
		}
	}
	all := methods(t, ".", "Service")
	changes := reaching(all, func(call string) bool {
		method, ok := strings.CutPrefix(call, "s.Store.")
		return ok && writes[method] || strings.HasPrefix(call, "s.Dispatch.")
	})
	in := audited()
	for name := range all {
		if !ast.IsExported(name) {
			continue
		}
		_, logged := in[name]
		logged = logged || name == "CancelTaskFor" || name == "AnswerQuestionFor" // as TestAuditDoers and TestAuditAnswers prove
		why := unaudited[name]
		switch {
		case logged && why != "":
			t.Errorf("%s is in both lists", name)
		case changes[name] && !logged && why == "":
			t.Errorf("%s changes something: have it noted in the audit log, or say in the list why not", name)
		case !changes[name] && (logged || why != ""):
			t.Errorf("%s changes nothing", name)
		}
	}
}
