package discord

import "net/http"

// A refusal is an answer that says no.
type refusal struct {
	status int
	code   int // https://docs.discord.com/developers/topics/opcodes-and-status-codes#json
	text   string
	errors map[string]any // of 50035: the fields at fault
	after  float64        // of 429, in seconds
	global bool           // of 429
}

func (r *refusal) Error() string { return r.text }

func (r *refusal) body() map[string]any {
	if r.status == http.StatusTooManyRequests {
		return map[string]any{"message": r.text, "retry_after": r.after, "global": r.global}
	}
	b := map[string]any{"message": r.text, "code": r.code}
	if r.errors != nil {
		b["errors"] = r.errors
	}
	return b
}

func no(status, code int, text string) error { return &refusal{status: status, code: code, text: text} }

var (
	errUnauthorized = no(401, 0, "401: Unauthorized")
	errNotFound     = no(404, 0, "404: Not Found")
	errChannel      = no(404, 10003, "Unknown Channel")
	errMessage      = no(404, 10008, "Unknown Message")
	errUser         = no(404, 10013, "Unknown User")
	errEmoji        = no(400, 10014, "Unknown Emoji")
	errWebhook      = no(404, 10015, "Unknown Webhook")
	errInteraction  = no(404, 10062, "Unknown interaction")
	errNotYours     = no(403, 20012, "You are not authorized to perform this action on this application")
	errTooLarge     = no(413, 40005, "Request entity too large")
	errAnswered     = no(400, 40060, "Interaction has already been acknowledged.")
	errAccess       = no(403, 50001, "Missing Access")
	errDM           = no(403, 50003, "Cannot execute action on a DM channel")
	errAuthor       = no(403, 50005, "Cannot edit a message authored by another user")
	errEmpty        = no(400, 50006, "Cannot send an empty message")
	errSend         = no(403, 50007, "Cannot send messages to this user")
	errPermissions  = no(403, 50013, "Missing Permissions")
	errWebhookToken = no(401, 50027, "Invalid Webhook Token")
	errRecipient    = no(400, 50033, "Invalid Recipient(s)")
	errArchived     = no(400, 50083, "Thread is archived")
	errJSON         = no(400, 50109, "The request body contains invalid JSON.")
)

// invalid returns the errors of a form with one invalid field, as {field: {_errors: [...]}}. A path
// of several elements nests.
func invalid(path []string, code, text string) error {
	var at any = map[string]any{"_errors": []any{map[string]any{"code": code, "message": text}}}
	for i := len(path) - 1; i >= 0; i-- {
		at = map[string]any{path[i]: at}
	}
	return &refusal{status: 400, code: 50035, text: "Invalid Form Body", errors: at.(map[string]any)}
}
