package cli

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"errand"
	"errand/internal/cli/clitest"
	"errand/internal/cli/console"
	"errand/internal/cli/words"
)

// TestTasksInSpanish proves how tasks are shown to who reads Spanish at a terminal.
func TestTasksInSpanish(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/tasks", 200, "["+taskJSON("t-22222222", "working", "")+","+taskJSON("t-33333333", "input_required", "")+"]")
	got := atSpanishTerminal(t, f, "tasks", "list")
	assert.Equal(t, clitest.Result{Out: `ID          ESTADO                AGENTE      CHAT  EMPEZÓ      TAREA
t-22222222  en curso              sasha,finn  main  hace 3 min  compare trains
t-33333333  espera una respuesta  sasha,finn  main  hace 3 min  compare trains
`}, got)
	f.On("GET /api/tasks/t-2", 200, taskJSON("t-22222222", "completed",
		`,"way":"fold","model_calls":2,"tokens":7,"cost":0.5,"result":"Dos trenes.","finished":"2026-01-01T00:00:00Z"`))
	f.On("GET /api/tasks/t-22222222/timeline", 200, "{}")
	got = atSpanishTerminal(t, f, "tasks", "show", "t-2")
	assert.Equal(t, 0, got.Code, got.Err)
	assert.Regexp(t, strings.Join([]string{`^tarea +t-22222222`, `estado +terminada`, `agente +sasha, ?finn`, `chat +main`, `empezó +hace 3 min`, `terminada +2026-01-01, tras 0s`,
		`resultado +contado en el chat`, `usado +2 llamadas al modelo, 7 tokens, \$0\.50`, ``, `compare trains`, ``, `resultado`, `Dos trenes\.`, `$`}, "\n"), got.Out)
	f.On("GET /api/tasks/t-4", 200, taskJSON("t-44444444", "failed", ""))
	assert.Equal(t, clitest.Result{Code: 1, Err: "errand: t-44444444, fallida: sin motivo\n"}, atSpanishTerminal(t, f, "tasks", "result", "t-4"))
}

// TestWatchInSpanish proves that a list that is shown again says so.
func TestWatchInSpanish(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/tasks", 200, "[]")
	f.Mux.HandleFunc("GET /api/changes", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "data: {\"lists\":[]}\n\ndata: {}[\n\n")
	})
	got := atSpanishTerminal(t, f, "tasks", "list", "--watch")
	assert.Regexp(t, `tareas a las \d\d:\d\d:\d\d; Ctrl-C termina\nNo hay tareas abiertas ni del último día; --all muestra las anteriores\.\n`, got.Out)
	assert.Contains(t, got.Err, "errand: no se entiende un cambio (¿es el worker de otra versión?): ")
}

// TestFailuresInSpanish proves that what went wrong between a command and the worker is said
// in Spanish, and that what the worker says stays as it came.
func TestFailuresInSpanish(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/tasks", 200, `{}`)
	f.On("GET /api/agents", 403, `{"error":{"code":"forbidden","message":"eso es para miembros"}}`)
	f.On("GET /api/questions/q-1", 404, `{"error":{"code":"not_found","message":"no hay ninguna pregunta q-1"}}`)
	f.On("GET /api/usage", 401, `{}`)
	for args, want := range map[string]string{
		"tasks list":             "errand: no se entiende la respuesta (¿es el worker de otra versión?): json: ",
		"agents":                 "errand: eso es para miembros\n",
		"questions show q-1":     "errand: no hay ninguna pregunta q-1; mira errand questions list\n",
		"usage --token x":        "errand en " + f.URL + " no conoce este token: ",
		"usage --days -1":        "errand: --days es cuántos días atrás se mira, a partir de 1\n",
		"sessions delete 0b7e":   "errand: esto no se puede deshacer, y aquí no se puede preguntar a nadie: di --yes\n",
		"open --server 127.1:1x": "errand: servidor \"http://127.1:1x\": tiene que ser una dirección como http://127.0.0.1:8080\n",
	} {
		got := atSpanishTerminal(t, f, strings.Fields(args)...)
		assert.NotZero(t, got.Code, args)
		assert.True(t, strings.HasPrefix(got.Err, want), "%s: %s", args, got.Err)
	}
}

// TestDeleteInSpanish proves that the question, its answer and what became of it are Spanish.
func TestDeleteInSpanish(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/sessions/0b7e", 200, `{"version":1,"session":`+sessionJSON+`}`)
	f.On("DELETE /api/sessions/{id}", 200, `{"session_id":"`+sessionID+`","removed":{"messages":12,"notes":0}}`)
	for typed, want := range map[string]clitest.Result{
		"s\n": {Out: "La sesión " + sessionID + " está borrada: mensajes 12.\n"},
		"\n":  {Code: 1, Err: "errand: no se hizo nada\n"},
	} {
		want.Err = "¿Borrar para siempre la sesión 0b7e1c2d: web main, 4 turnos, la última vez 2026-01-01? [s/N] " + want.Err
		var out, errOut bytes.Buffer
		code := Run(t.Context(), []string{"sessions", "delete", "0b7e"}, console.Console{In: strings.NewReader(typed), Out: &out, Err: &errOut, InTTY: true, OutTTY: true, Terminal: -1,
			Getenv: clitest.Env(map[string]string{"ERRAND_SERVER": f.URL, "LC_ALL": "es_MX.UTF-8", "NO_COLOR": "1"})})
		assert.Equal(t, want, clitest.Result{Code: code, Out: out.String(), Err: errOut.String()})
	}
}

// TestUsageTableInSpanish proves that times, headings and sums are Spanish.
func TestUsageTableInSpanish(t *testing.T) {
	f := newFake(t)
	from := time.Date(2026, 9, 2, 12, 0, 0, 0, time.Local)
	f.On("GET /api/usage", 200, `{"from":"`+from.Format(time.RFC3339)+`","people":[{"person":"p-2","agent":"nikki","model":"m","calls":3,"input_tokens":12,"cached_tokens":9,"output_tokens":8}],"total":{"calls":3,"input_tokens":12,"output_tokens":8,"cost":0.001}}`)
	assert.Equal(t, clitest.Result{Out: `Desde mié 2 sept 2026 12:00:
PERSONA  AGENTE  MODELO  LLAMADAS  ENTRADA  CACHÉ  SALIDA  COSTE
p-2      nikki   m       3         12       9      8       nada
total                    3         12       0      8       menos de 1 céntimo
`}, atSpanishTerminal(t, f, "usage"))
}

// TestProgramsReadEnglish proves that with --json, and where no terminal is, a Spanish
// locale changes nothing.
func TestProgramsReadEnglish(t *testing.T) {
	f := newFake(t)
	healthy(f, "", `{"version":"1","paused":true}`)
	plain := f.Errand(t, "doctor", "--json")
	assert.Contains(t, plain.Out, "are paused")
	assert.Equal(t, plain, atSpanishTerminal(t, f, "doctor", "--json"))
	assert.Contains(t, atSpanishTerminal(t, f, "doctor").Out, "MAL  llamadas      en pausa\n                   -> errand resume\n")
}

// TestTermsAreKnown proves that each state and role of errand has a word in Spanish.
func TestTermsAreKnown(t *testing.T) {
	var terms []string
	for _, s := range []errand.TaskState{errand.Submitted, errand.Working, errand.InputRequired, errand.Completed, errand.Failed, errand.Canceled, errand.Rejected} {
		terms = append(terms, string(s))
	}
	for _, s := range []errand.OutboxState{errand.Pending, errand.Sending, errand.Sent, errand.Unknown, errand.Blocked, errand.Dismissed} {
		terms = append(terms, string(s))
	}
	for _, s := range []errand.QuestionState{errand.QuestionOpen, errand.QuestionAnswered, errand.QuestionDeclined, errand.QuestionExpired, errand.QuestionWithdrawn} {
		terms = append(terms, string(s))
	}
	for _, s := range []errand.ConnectionState{errand.Connecting, errand.Connected, errand.Degraded, errand.LoggedOut, errand.Replaced} {
		terms = append(terms, string(s))
	}
	for _, term := range append(terms, "YES", "ABSTAIN", "TIE", "NO_QUORUM", "Guest", "Member", "Partner", "Owner",
		"question", "identity", "pairing", "note", "installation", "elsewhere") {
		assert.NotEqual(t, term, words.Spanish.Term("", term))
	}
}
