package cli

import (
	"bytes"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"

	"errand/internal/cli/clitest"
	"errand/internal/cli/console"
	"errand/internal/cli/words"
)

func helpTexts() map[string]bool {
	texts := map[string]bool{"[flags]": true, "default": true}
	for _, text := range append(slices.Collect(maps.Values(ownFlags)), templateWords...) {
		texts[text] = true
	}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Hidden {
			return // of cobra's own making, for shells
		}
		texts[cmd.Short], texts[cmd.Long] = true, true
		for _, note := range exampleNote.FindAllString(cmd.Example, -1) {
			_, text, _ := strings.Cut(note, "# ")
			texts[text] = true
		}
		for _, flags := range []*pflag.FlagSet{cmd.LocalFlags(), cmd.PersistentFlags()} {
			flags.VisitAll(func(f *pflag.Flag) {
				if !f.Hidden {
					texts[flagUsage(f)] = true
				}
			})
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(tree())
	delete(texts, "")
	return texts
}

var quoted = regexp.MustCompile(`--[a-z-]+|\b[A-Z]{3,}_[A-Z]+\b`)

// TestHelpCatalogue proves that each word of help is there in Spanish, with the flags and
// variables that it names, and that no other is.
func TestHelpCatalogue(t *testing.T) {
	texts, spanish := helpTexts(), words.HelpTexts()
	for text := range texts {
		assert.NotEmpty(t, spanish[text], "not there in Spanish: %q", text)
	}
	for text, es := range spanish {
		assert.True(t, texts[text], "no help says %q", text)
		for _, name := range quoted.FindAllString(text, -1) {
			assert.Contains(t, es, name, "%q", text)
		}
		assert.NotRegexp(t, `(?i)\b(usted|quienquiera|disparate)\b`, es)
	}
}

// atSpanishTerminal runs a command for somebody who reads Spanish at a terminal.
func atSpanishTerminal(t *testing.T, f *clitest.FakeWorker, args ...string) clitest.Result {
	t.Helper()
	var out, errOut bytes.Buffer
	env := clitest.Env(map[string]string{"ERRAND_SERVER": f.URL, "LANG": "es_ES.UTF-8", "NO_COLOR": "1"})
	code := Run(t.Context(), args, console.Console{In: strings.NewReader(""), Out: &out, Err: &errOut, OutTTY: true, Terminal: -1, Getenv: env})
	return clitest.Result{Code: code, Out: out.String(), Err: errOut.String()}
}

// TestHelpInSpanish proves that help speaks Spanish to who reads it at a terminal, and to
// programs what it always does.
func TestHelpInSpanish(t *testing.T) {
	f := newFake(t)
	got := atSpanishTerminal(t, f, "questions", "answer", "--help")
	assert.Equal(t, 0, got.Code)
	assert.Equal(t, `Responde a una pregunta; ID puede ser su comienzo

Uso:
  errand questions answer ID [TEXT] [opciones]

Ejemplos:
  errand questions answer q-7k3 Monday
  errand questions answer q-7k3 2            # la segunda opción
  errand questions answer q-7k3 --decline

Opciones:
      --decline   no responde
  -h, --help      muestra esta ayuda

Opciones de todos los comandos:
      --data string       la carpeta de datos del worker, cuya clave te hace propietario (ERRAND_DATA; si no, ./data)
      --json              muestra JSON: una lista es un solo array; chat muestra un objeto por línea
      --port-offset int   el --port-offset del worker; desplaza todos los puertos, menos el que indique --server
      --server string     dirección del worker (ERRAND_SERVER; si no, http://127.0.0.1:8080)
      --token string      token que dice quién eres: uno de errand tokens add, o el del worker (mejor: ERRAND_TOKEN)
`, got.Out)
	for _, args := range []string{"help tasks", "tasks", "tasks --help"} {
		got := atSpanishTerminal(t, f, strings.Fields(args)...)
		assert.Contains(t, got.Out, "Uso:\n  errand tasks [opciones]\n  errand tasks [comando]\n\nComandos:\n", args)
		assert.Contains(t, got.Out, "  list        Lista las tareas abiertas o terminadas en el último día\n", args)
		assert.Contains(t, got.Out, "\nUsa \"errand tasks [comando] --help\" para saber más de un comando.\n", args)
	}
	assert.Contains(t, atSpanishTerminal(t, f, "chat", "--help").Out, "nombre del chat (si no, main)\n")
	assert.Contains(t, atSpanishTerminal(t, f, "--json", "tasks", "--help").Out, "Available Commands:\n", "a program reads")
	english := func(args ...string) string {
		var out bytes.Buffer
		Run(t.Context(), args, console.Console{In: strings.NewReader(""), Out: &out, Err: io.Discard, Getenv: clitest.Env(map[string]string{"LANG": "es_ES.UTF-8"})})
		return out.String()
	}
	assert.Contains(t, english("chat", "--help"), `name of the chat (default "main")`)
}

// TestUsageInSpanish proves that what is wrong with a command line is said in Spanish, with
// what was meant.
func TestUsageInSpanish(t *testing.T) {
	f := newFake(t)
	for args, want := range map[string]string{
		"tasks show":                  "errand tasks show: falta algo; por ejemplo: errand tasks show t-7k3m9q2x; mira errand tasks show --help\n",
		"tasks show a b":              "errand tasks show: eso es más de lo que admite (un texto con espacios necesita comillas); por ejemplo",
		"tasks sohw x":                `errand: no hay ningún comando "sohw" en "errand tasks": hay list, show, result, steer, continue, cancel, retry (¿querías decir show?)` + "; mira errand tasks --help\n",
		"chatt":                       `errand: no hay ningún comando "chatt" en "errand" (¿querías decir chat?)` + "; mira errand --help\n",
		"chat --wiat hello":           "errand: no hay ninguna opción --wiat (¿querías decir --wait?); por ejemplo: errand chat ",
		"chat --chat":                 "errand: a esta opción le falta su valor: --chat; ",
		"chat -x":                     "errand: no hay ninguna opción 'x', en -x; ",
		"usage --days x":              `errand: --days: "x" no es un número; se usa así: errand usage`,
		"--server ftp://x tasks list": `errand: servidor "ftp://x": tiene que ser una dirección como http://127.0.0.1:8080`,
	} {
		t.Run(args, func(t *testing.T) {
			got := atSpanishTerminal(t, f, strings.Fields(args)...)
			assert.Equal(t, 2, got.Code)
			assert.Empty(t, got.Out)
			assert.Truef(t, strings.HasPrefix(got.Err, want), "%s", got.Err)
		})
	}
	got := atSpanishTerminal(t, f, "chat", "--wait", "--follow")
	assert.Equal(t, 1, got.Code)
	assert.Equal(t, "errand: de las opciones [wait follow] solo se puede dar una; se han dado [follow wait]\n", got.Err)
	assert.Empty(t, f.Requests)
}
