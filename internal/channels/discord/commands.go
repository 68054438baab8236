package discord

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"errand/internal/channels"
	"errand/internal/commands"
	"errand/internal/core"
)

type command struct {
	Type        int               `json:"type"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Localized   map[string]string `json:"description_localizations,omitempty"`
	Contexts    []int             `json:"contexts"`
	Options     []option          `json:"options,omitempty"`
}

type option struct {
	Type         int               `json:"type"`
	Name         string            `json:"name"`
	Description  string            `json:"description"`
	Localized    map[string]string `json:"description_localizations,omitempty"`
	Required     bool              `json:"required,omitempty"`
	Autocomplete bool              `json:"autocomplete,omitempty"`
}

var completed = map[string]string{"agent": "agent", "task": "task", "cancel": "task"}

const longestAbout = 100 // characters

func commandsOf(menu map[string][]commands.MenuEntry) []command {
	var list []command
	for i, info := range menu[""] {
		name := strings.TrimPrefix(info.Name, "/")
		c := command{Type: int(discordgo.ChatApplicationCommand), Name: name, Contexts: []int{0, 1}}
		c.Description, c.Localized = localized(menu, i, func(a commands.MenuEntry) string { return a.About })
		if info.Words != "" {
			word, known := completed[name]
			o := option{Type: int(discordgo.ApplicationCommandOptionString), Name: cmp.Or(word, "words"), Required: info.Required, Autocomplete: known}
			o.Description, o.Localized = localized(menu, i, func(a commands.MenuEntry) string { return a.Words })
			c.Options = []option{o}
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b command) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// localized returns a text by Discord's locales. Spanish has two of them.
func localized(menu map[string][]commands.MenuEntry, i int, text func(commands.MenuEntry) string) (plain string, by map[string]string) {
	by = map[string]string{}
	for tag, list := range menu {
		for locale := range discordgo.Locales {
			if l := string(locale); tag != "" && i < len(list) && (l == tag || strings.HasPrefix(l, tag+"-")) {
				by[l] = core.Cut(text(list[i]), longestAbout)
			}
		}
	}
	return core.Cut(text(menu[""][i]), longestAbout), by
}

func (r *run) showCommands() {
	for failures := 0; failures < 5 && !r.ended(); failures++ {
		err := r.setCommands()
		var no *Error
		if err == nil {
			return
		}
		if r.Logger.Warn("list of commands not set", "error", err); errors.As(err, &no) && no.Code > 0 {
			return // a retry would fail too
		}
		channels.Sleep(r.ctx, r.pause(failures))
	}
}

func (r *run) setCommands() error {
	url := discordgo.EndpointApplicationGlobalCommands(r.app)
	var there []command
	if err := r.rest.Call(r.ctx, http.MethodGet, url+"?with_localizations=true", nil, &there); err != nil {
		return err
	}
	slices.SortFunc(there, func(a, b command) int { return strings.Compare(a.Name, b.Name) })
	want, err := json.Marshal(commandsOf(r.Commands))
	if err != nil {
		return err
	}
	if have, err := json.Marshal(there); err == nil && bytes.Equal(have, want) {
		return nil
	}
	return r.rest.Call(r.ctx, http.MethodPut, url, json.RawMessage(want), nil)
}

func commandText(data discordgo.ApplicationCommandInteractionData) string {
	text := "/" + data.Name
	for _, o := range data.Options {
		text += " " + strings.TrimSpace(typed(o))
	}
	return strings.TrimSpace(text)
}

func typed(o *discordgo.ApplicationCommandInteractionDataOption) string {
	if o == nil {
		return ""
	}
	s, _ := o.Value.(string)
	return s
}

func focusedValue(data discordgo.ApplicationCommandInteractionData) string {
	for _, o := range data.Options {
		if o != nil && o.Focused {
			return typed(o)
		}
	}
	return ""
}

// pressOf returns the same id for a second press of the same button.
func (r *run) pressOf(it *interaction, by string) (id, text, message string) {
	data, m := it.MessageComponentData(), it.Message
	if m == nil {
		return "", "", ""
	}
	h := fnv.New64a()
	h.Write([]byte(data.CustomID))
	return fmt.Sprintf("press-%s-%s-%x", m.ID, by, h.Sum64()), optionOf(m, data.CustomID), m.ID
}

var escaped = regexp.MustCompile(`\\([[:punct:]])`)

// optionOf returns the answer after "=", or the one with the button's number in the text.
func optionOf(m *discordgo.Message, id string) string {
	if text, ok := strings.CutPrefix(id, "="); ok {
		return text
	}
	n, ok := strings.CutPrefix(id, "#")
	if !ok {
		return ""
	}
	lines := strings.Split(m.Content, "\n")
	for _, line := range slices.Backward(lines) { // the question above may contain numbers too
		line = strings.TrimSpace(strings.ReplaceAll(escaped.ReplaceAllString(line, "$1"), "\u200b", ""))
		if text, ok := strings.CutPrefix(line, n+". "); ok {
			return strings.TrimSpace(text)
		}
	}
	for _, row := range m.Components {
		row, ok := row.(*discordgo.ActionsRow)
		if !ok {
			continue
		}
		for _, b := range row.Components {
			if b, ok := b.(*discordgo.Button); ok && b.CustomID == id {
				return b.Label
			}
		}
	}
	return ""
}
