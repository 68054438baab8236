//go:build linux

package attack

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"errand/internal/test/ownports"
)

// temporalMethods are what somebody who reaches one of Temporal's ports would
// like to call. An empty message is a request of each.
var temporalMethods = []string{
	"/temporal.api.workflowservice.v1.WorkflowService/StartWorkflowExecution",
	"/temporal.api.workflowservice.v1.WorkflowService/SignalWorkflowExecution",
	"/temporal.api.workflowservice.v1.WorkflowService/SignalWithStartWorkflowExecution",
	"/temporal.api.workflowservice.v1.WorkflowService/UpdateWorkflowExecution",
	"/temporal.api.workflowservice.v1.WorkflowService/QueryWorkflow",
	"/temporal.api.workflowservice.v1.WorkflowService/TerminateWorkflowExecution",
	"/temporal.api.workflowservice.v1.WorkflowService/GetWorkflowExecutionHistory",
	"/temporal.api.workflowservice.v1.WorkflowService/ListWorkflowExecutions",
	"/temporal.api.workflowservice.v1.WorkflowService/PollWorkflowTaskQueue",
	"/temporal.api.workflowservice.v1.WorkflowService/PollActivityTaskQueue",
	"/temporal.api.workflowservice.v1.WorkflowService/RespondActivityTaskCompletedById",
	"/temporal.api.workflowservice.v1.WorkflowService/CreateSchedule",
	"/temporal.api.workflowservice.v1.WorkflowService/StartBatchOperation",
	"/temporal.api.workflowservice.v1.WorkflowService/UpdateNamespace",
	"/temporal.api.workflowservice.v1.WorkflowService/GetSystemInfo",
	"/temporal.api.operatorservice.v1.OperatorService/AddSearchAttributes",
	"/temporal.server.api.adminservice.v1.AdminService/DescribeMutableState",
	"/temporal.server.api.historyservice.v1.HistoryService/StartWorkflowExecution",
	"/temporal.server.api.historyservice.v1.HistoryService/SignalWorkflowExecution",
	"/temporal.server.api.historyservice.v1.HistoryService/DescribeMutableState",
	"/temporal.server.api.matchingservice.v1.MatchingService/PollWorkflowTaskQueue",
	"/temporal.server.api.matchingservice.v1.MatchingService/PollActivityTaskQueue",
	"/temporal.server.api.matchingservice.v1.MatchingService/ListTaskQueuePartitions",
	"/grpc.health.v1.Health/Check",
}

// On no port of the process does a neighbour get to Temporal, whatever the
// transport and whatever key or token is shown.
func TestTemporalIsClosedOnEveryPort(t *testing.T) {
	ports, err := ownports.Listening()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{here.Address, fmt.Sprintf("127.0.0.1:%d", here.cfg.TemporalPort), fmt.Sprintf("127.0.0.1:%d", here.cfg.UIPort)} {
		if !strings.Contains(strings.Join(ports, " "), want) {
			t.Fatalf("the process does not listen on %s, but on %v", want, ports)
		}
	}
	if len(ports) < 7 { // pages, frontend, Web UI, internal frontend, history, matching, worker
		t.Fatalf("the process listens on %v only", ports)
	}
	transports := map[string]credentials.TransportCredentials{
		"plain": insecure.NewCredentials(), "TLS": credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})}
	shown := map[string]string{"nothing": "", "a key of their own": "Bearer errand_owner_x", "a guest's token": here.guest.authorization, "a member's token": here.member.authorization}
	for _, at := range ports {
		for transport, creds := range transports {
			conn, err := grpc.NewClient("passthrough:"+at, grpc.WithTransportCredentials(creds))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			for what, bearer := range shown {
				for _, method := range temporalMethods {
					ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(t.Context(), "authorization", bearer), 20*time.Second)
					err := conn.Invoke(ctx, method, &emptypb.Empty{}, &emptypb.Empty{})
					cancel()
					switch status.Code(err) {
					case codes.PermissionDenied, codes.Unavailable, codes.Unimplemented:
					default:
						t.Fatalf("%s on %s by %s with %s: %v", method, at, transport, what, err)
					}
				}
			}
		}
	}
	for line := range strings.Lines(here.log.String()) {
		if strings.Contains(line, "Authorization error") && !strings.Contains(line, "level=DEBUG") {
			t.Fatalf("strangers fill the log: %s", line)
		}
	}
}

// Temporal's Web UI shows and changes everybody's: it lets in who may do
// everything, and sends others to where one logs in.
func TestTemporalsWebUI(t *testing.T) {
	base := fmt.Sprintf("http://127.0.0.1:%d", here.cfg.UIPort)
	const flow = "/api/v1/namespaces/default/workflows/session%2Fweb%2Flocal%2Fmain%2F-%2Fowner"
	for _, v := range []visitor{here.neighbour, here.guest, here.member, {"a forger", "x"}} {
		for _, path := range []string{"/api/v1/namespaces", "/api/v1/namespaces/default/workflows", flow + "/history", "/api/v1/settings"} {
			if got := v.askAt(t, base, http.MethodGet, path, ""); got.status != http.StatusUnauthorized {
				t.Errorf("%s: GET %s: %d %s", v.name, path, got.status, got.body)
			}
		}
		for _, path := range []string{flow + "/update/reset", flow + "/signal/message", "/api/v1/namespaces/default/workflows/evil"} {
			if got := v.askAt(t, base, http.MethodPost, path, "{}", "Content-Type", "application/json"); got.status != http.StatusUnauthorized {
				t.Errorf("%s: POST %s: %d %s", v.name, path, got.status, got.body)
			}
		}
		if got := v.askAt(t, base, http.MethodGet, "/namespaces/default/workflows", "", "Accept", "text/html"); got.status != http.StatusSeeOther || !strings.HasPrefix(got.header.Get("Location"), here.url+"/login") {
			t.Errorf("%s is not sent to log in: %d %s", v.name, got.status, got.header.Get("Location"))
		}
	}
	if got := here.owner.askAt(t, base, http.MethodGet, "/api/v1/namespaces", ""); got.status != http.StatusOK || !strings.Contains(got.body, `"default"`) {
		t.Errorf("the owner: %d %s", got.status, got.body)
	}
}
