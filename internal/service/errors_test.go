package service_test

import (
	"errors"
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/test/servicetest"
	"errand/internal/texts"
)

// TestRefusalsByLanguage is what is refused as programs read it, and as people do in
// their own language: on a page, and in a chat as a whole sentence.
func TestRefusalsByLanguage(t *testing.T) {
	h := newHouse(t, nil)
	member, master := as(core.Member), as(core.MasterAdmin)
	open := h.task(member.Person)
	tests := []struct {
		name              string
		err               func() error
		code, english, es string
		chat              string // empty: es, with a capital letter and a full stop
	}{
		{name: "others' things", code: "forbidden", err: func() error { _, err := h.Tasks(t.Context(), member, "*"); return err },
			english: "you need the role Partner or higher to see what belongs to others", es: "necesitas el rol Socio o superior para ver lo que es de otras personas"},
		{name: "no such agent", code: "unknown_agent", err: func() error {
			_, err := servicetest.SwitchAgent(t.Context(), h.Service, master, chatOf(master.Person), "nobody")
			return err
		}, english: "there is no agent nobody; there are ", es: "no hay ningún agente nobody; los que hay son: "},
		{name: "no such task", code: "not_found", err: func() error { _, err := h.GetTask(t.Context(), master, "t-zzz", 0); return err },
			english: `task "t-zzz": not found`, es: "no se encuentra la tarea t-zzz; revisa el id"},
		{name: "a task that goes on", code: "not_finished", err: func() error { _, err := h.RetryTask(t.Context(), member, open.ID); return err },
			english: string(open.ID) + " is still submitted", es: string(open.ID) + " sigue pendiente", chat: string(open.ID) + " sigue pendiente."},
		{name: "an empty message", code: "empty", err: func() error { _, err := service.CleanText(" ", 10); return err },
			english: "the message is empty", es: "el mensaje está vacío", chat: "Tu mensaje está vacío. Escribe algo, por favor."},
		{name: "what the store says of no name", code: "not_found", err: func() error { return service.Known(store.ErrNotFound) },
			english: "not found", es: "no existe, o no puedes verlo"},
		{name: "words of somebody else", code: "x", err: func() error { return &service.Error{Code: "x", Message: "Ready."} }, english: "Ready.", es: "Ready."},
	}
	catalog, err := texts.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	es := catalog.For("es-MX")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.err()
			var no *service.Error
			if !errors.As(err, &no) || no.Code != tt.code || !strings.HasPrefix(no.Message, tt.english) || no.Error() != no.Message {
				t.Fatalf("a program reads %#v, want %s and %q", err, tt.code, tt.english)
			}
			if got := no.Text(es); !strings.HasPrefix(got, tt.es) {
				t.Errorf("a page shows %q, want %q", got, tt.es)
			}
			want := tt.chat
			if want == "" {
				want = strings.ToUpper(tt.es[:1]) + tt.es[1:]
			}
			if got := service.ErrorText(err, es); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, ".") {
				t.Errorf("a chat says %q, want %q", got, want)
			}
		})
	}
}
