package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"errand"
	api "errand/client"
	"errand/internal/cli/chat"
	"errand/internal/cli/client"
)

var greeting = map[string]string{
	"en": "Hello! What can you do for me?",
	"es": "¡Hola! ¿Qué puedes hacer por mí?",
}

// greet sends a first message if a worker runs that has read the new errand.yaml, which it
// does when it starts. Otherwise it says what is next.
func (in *interview) greet(ctx context.Context) error {
	for {
		about, err := in.worker(ctx)
		var gone *client.ConnectError
		switch {
		case errors.As(err, &gone):
			in.Printlnf("Next: errand serve (go run ./worker) starts errand; errand chat hello talks with it.")
			return nil
		case err != nil || !in.local() && !in.thinksWith(about):
			in.Printlnf("Next: restart the errand that runs at %s, so that it reads the file; errand chat hello talks with it.", in.Base)
			return nil
		case in.thinksWith(about):
			text := greeting[in.language]
			if text == "" {
				text = greeting["en"]
			}
			fmt.Fprintf(in.Out, "\n> %s\n\n", text)
			return chat.New(&in.Console, chat.NewConversation(in.Worker, "main"), in.report).Once(ctx, text, nil, false, false)
		}
		if in.Enter(ctx, in.Sayf("errand runs, and has not read the file yet. Restart it, and press Enter: it gets a first message. Ctrl-C leaves that out: ")) != nil {
			in.Printlnf("No message was sent. Next, when errand is restarted: errand chat hello")
			return nil
		}
	}
}

func (in *interview) worker(ctx context.Context) (api.About, error) {
	about, err := in.API().GetAbout(ctx)
	return about.Value, err
}

// thinksWith reports whether a worker's agents think with the model of the interview.
func (in *interview) thinksWith(a api.About) bool {
	return !a.Demo && slices.ContainsFunc(a.Models, func(m errand.ModelState) bool {
		return m.Name == in.model
	})
}
