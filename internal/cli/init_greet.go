package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"errand/api"
	"errand/internal/cli/chat"
	"errand/internal/cli/console"
	"errand/internal/core"
)

var greeting = map[string]string{
	"en": "Hello! What can you do for me?",
	"es": "¡Hola! ¿Qué puedes hacer por mí?",
}

// greet sends a first message if a worker with the new errand.yaml runs. Otherwise it prints the
// next step.
func (in *interview) greet(ctx context.Context) error {
	for {
		about, err := in.worker(ctx)
		var gone *console.ConnectError
		switch {
		case errors.As(err, &gone):
			fmt.Fprintln(in.Out, "Next: errand serve starts errand, and errand chat hello talks with it.")
			return nil
		case err != nil || !in.local() && !in.thinksWith(about):
			fmt.Fprintf(in.Out, "Next: restart errand at %s so that it reads the file, and then errand chat hello talks with it.\n", in.Base)
			return nil
		case in.thinksWith(about):
			text := greeting[in.language]
			if text == "" {
				text = greeting["en"]
			}
			fmt.Fprintf(in.Out, "\n> %s\n\n", text)
			return chat.New(&in.Console, chat.NewConversation(in.Worker, "main"), in.report).Once(ctx, text, nil, false, false)
		}
		if in.Enter(ctx, "errand runs, but has not read the file yet. Restart it and press Enter to send it a first message. Ctrl-C skips this: ") != nil {
			fmt.Fprintln(in.Out, "No message was sent. Next: restart errand, then run errand chat hello")
			return nil
		}
	}
}

func (in *interview) worker(ctx context.Context) (api.About, error) {
	about, err := api.Call(ctx, in.API(), api.GetAbout, api.None{})
	return about.Value, err
}

func (in *interview) thinksWith(a api.About) bool {
	return !a.Demo && slices.ContainsFunc(a.Models, func(m core.ModelState) bool {
		return m.Name == in.model
	})
}
