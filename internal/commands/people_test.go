package commands_test

import (
	"strings"
	"testing"

	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/test/intaketest"
)

// TestChoosingALanguage is what people read who choose theirs.
func TestChoosingALanguage(t *testing.T) {
	h := build(t, nil)
	for _, step := range []struct{ text, want string }{
		{"/language", "These answers are in English. There are: English (en), Español (es)."},
		{"/language Español", "A partir de ahora uso este idioma: Español."},
		{"/language", "Estas respuestas están en Español. Puedes elegir: English (en), Español (es)."},
		{"/tasks", "Todavía no hay tareas."},
		{"/language klingon", "klingon no está disponible. Puedes elegir: English (en), Español (es)."},
		{"/language inglés", "I'll use English from now on."},
		{"/language es-MX", "A partir de ahora uso este idioma: Español."},
		{"/language EN", "I'll use English from now on."},
		{"/language " + strings.Repeat("es-", 20_000), strings.Repeat("es-", 13) + "… is not available. There are: English (en), Español (es)."},
	} {
		if got := h.send("member", step.text); got != step.want {
			t.Errorf("%.40s is answered %q, want %q", step.text, got, step.want)
		}
	}
}

// TestPairing is what people read who let others in.
func TestPairing(t *testing.T) {
	h := build(t, nil)
	h.reads("member", "/pair", "You already have access. To link another account, write to me from it and get its code approved.",
		"Ya tienes acceso. Para vincular otra cuenta, escríbeme desde ella y pide que aprueben su código.")
	h.reads("master_admin", "/pair", "Nobody is waiting for access.", "No hay nadie esperando acceso.")
	ask := func(id string) string {
		p, _, err := h.store.AskPairing(t.Context(), store.AskPairing{Pairing: core.Pairing{Channel: "telegram", Account: "main", ExternalID: id, Name: "Ana"}})
		if err != nil {
			t.Fatal(err)
		}
		return p.Code
	}
	first, second := ask("12345"), ask("67890")
	if err := h.Deny(t.Context(), actor.Actor{Person: "master_admin", Role: core.MasterAdmin}, second); err != nil {
		t.Fatal(err)
	}
	upper := strings.ToUpper(first)
	tests := []struct{ text, en, es string }{
		{"/pair", upper + "  Ana  telegram/main  12345\n/approve CODE gives one of them access.", upper + "  Ana  telegram/main  12345\nCon /approve CÓDIGO das acceso a quien elijas."},
		{"/approve " + first + " boss", "There is no role boss. There are: Guest, Member, Partner, Admin.", "No hay ningún rol boss. Los roles son: Invitado, Miembro, Socio, Admin."},
		{"/approve " + first + " at home", "There is no role at home. There are: Guest, Member, Partner, Admin.", ""},
		{"/approve nothing", "Nobody is waiting with the code nothing. /pair shows who is.", "No hay nadie esperando con el código nothing. /pair muestra quién espera."},
		{"/approve " + second, "The request " + second + " was denied or has expired. The person can ask again.",
			"La solicitud " + second + " fue rechazada o ha caducado. Quien la hizo puede volver a pedirlo."},
		// The second time, in Spanish, it has been done already.
		{"/approve " + upper + " Partner", "Ana has access now, with the role Partner.", "Ana ya tiene acceso, con el rol Socio."},
		{"/pair", "Nobody is waiting for access.", ""},
	}
	for _, test := range tests {
		h.reads("master_admin", test.text, test.en, test.es)
	}
	p, err := h.store.Identify(t.Context(), "telegram", "main", "12345")
	if err != nil || p.Role != core.Partner || p.Name != "Ana" {
		t.Errorf("the one who was let in is %+v (%v)", p, err)
	}
	if people, err := h.store.People(t.Context(), store.Page{}); err != nil || len(people) != 1+len(core.Roles()) {
		t.Errorf("there are %d people (%v)", len(people), err)
	}
}

// TestRoleOfSeveralWords proves that somebody can be let in with a role that is
// called by several words here.
func TestRoleOfSeveralWords(t *testing.T) {
	h := build(t, func(d *intaketest.Deps) {
		if err := d.Rights.Rename(core.Partner, "close friend"); err != nil {
			t.Fatal(err)
		}
	})
	p, _, err := h.store.AskPairing(t.Context(), store.AskPairing{Pairing: core.Pairing{Channel: "telegram", Account: "main", ExternalID: "1", Name: "Ana"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := h.send("master_admin", "/approve "+p.Code+" Close Friend"), "Ana has access now, with the role close friend."; got != want {
		t.Errorf("it is answered %q, want %q", got, want)
	}
}

// TestLanguageOfTheInstallation proves that whoever has chosen no language is
// spoken to in that of the installation.
func TestLanguageOfTheInstallation(t *testing.T) {
	h := build(t, func(d *intaketest.Deps) { d.Language = "es" })
	for language, want := range map[string]string{"": "Todavía no hay tareas.", "en": "No tasks yet.", "ja": "Todavía no hay tareas."} {
		h.setLanguage("member", language)
		if got := h.send("member", "/tasks"); got != want {
			t.Errorf("whoever speaks %q is told %q, want %q", language, got, want)
		}
	}
}
