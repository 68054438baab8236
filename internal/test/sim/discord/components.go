package discord

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// The types of components, and the style of a button that is a link.
const (
	componentRow    = 1
	componentButton = 2
	componentSelect = 3
	lastSelect      = 8 // 5 to 8 choose users, roles, both, and channels

	styleLink = 5
)

// The limits of components.
const (
	mostRows     = 5
	mostButtons  = 5
	longestID    = 100
	longestLabel = 80
	mostOptions  = 25
)

type component struct {
	Type        int             `json:"type"`
	ID          int             `json:"id,omitempty"`
	Components  []component     `json:"components,omitempty"`
	Style       int             `json:"style,omitempty"`
	Label       string          `json:"label,omitempty"`
	CustomID    string          `json:"custom_id,omitempty"`
	URL         string          `json:"url,omitempty"`
	Disabled    bool            `json:"disabled,omitempty"`
	Emoji       json.RawMessage `json:"emoji,omitempty"`
	Placeholder string          `json:"placeholder,omitempty"`
	MinValues   *int            `json:"min_values,omitempty"`
	MaxValues   int             `json:"max_values,omitempty"`
	Options     []choiceInfo    `json:"options,omitempty"`
}

type choiceInfo struct {
	Label       string `json:"label"`
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
	Default     bool   `json:"default,omitempty"`
}

// checkComponents refuses what Discord refuses. Rows may be empty in no message,
// and every custom id is there once.
func checkComponents(rows []component) error {
	if len(rows) > mostRows {
		return invalid([]string{"components"}, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")
	}
	seen := map[string]bool{}
	for i, row := range rows {
		at := []string{"components", strconv.Itoa(i)}
		if row.Type != componentRow {
			return invalid(append(at, "type"), "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of (1,).")
		}
		if len(row.Components) < 1 || len(row.Components) > mostButtons {
			return invalid(append(at, "components"), "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")
		}
		for j, c := range row.Components {
			if err := c.check(append(at[:2:2], "components", strconv.Itoa(j)), len(row.Components), seen); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *component) check(at []string, neighbours int, seen map[string]bool) error {
	field := func(name string) []string { return append(at[:len(at):len(at)], name) }
	tooLong := func(name, text string, most int) error {
		if utf8.RuneCountInString(text) > most {
			return invalid(field(name), "BASE_TYPE_MAX_LENGTH", fmt.Sprintf("Must be %d or fewer in length.", most))
		}
		return nil
	}
	link := c.Type == componentButton && c.Style == styleLink
	switch {
	case c.Type == componentButton:
		switch {
		case c.Style < 1 || c.Style > styleLink:
			return invalid(field("style"), "BASE_TYPE_CHOICES", "Value must be one of (1, 2, 3, 4, 5).")
		case link && (c.URL == "" || c.CustomID != ""):
			return invalid(at, "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", "A link has a url, and no custom id")
		case !link && c.URL != "":
			return invalid(at, "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", "A custom id and url cannot both be specified")
		case c.Label == "" && len(c.Emoji) == 0:
			return invalid(at, "BUTTON_COMPONENT_INVALID_LABEL_AND_EMOJI", "A button must have a label or an emoji")
		}
	case c.Type == componentSelect || c.Type > 4 && c.Type <= lastSelect:
		if neighbours > 1 {
			return invalid(at, "COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The specified component exceeds the maximum width")
		}
		if c.Type == componentSelect && (len(c.Options) < 1 || len(c.Options) > mostOptions) {
			return invalid(field("options"), "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 25 in length.")
		}
	default:
		return invalid(field("type"), "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of (2, 3, 5, 6, 7, 8).")
	}
	if err := tooLong("label", c.Label, longestLabel); err != nil {
		return err
	}
	if link {
		return tooLong("url", c.URL, 512)
	}
	if c.CustomID == "" {
		return invalid(field("custom_id"), "BASE_TYPE_REQUIRED", "This field is required")
	}
	if seen[c.CustomID] {
		return invalid(field("custom_id"), "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
	}
	seen[c.CustomID] = true
	return tooLong("custom_id", c.CustomID, longestID)
}
