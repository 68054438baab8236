package store

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"errand/internal/content"
	"errand/internal/core"
)

// transcribedMark warns the agent that a transcript may have errors.
const transcribedMark = "spoken, transcribed by a machine"

const editedNow = "edited"

// renderMessage adds errand's own lines: the message to which it replies, and its attachments.
func (t *tx) renderMessage(n core.Nonce, row claimRow) (string, error) {
	var lines []string
	about, err := t.repliesTo(n, row.ReplyRow)
	if err != nil {
		return "", err
	}
	if about != "" {
		lines = append(lines, about)
	}
	text := row.Text
	if row.Forwarded {
		// Indented, so that the text cannot imitate the end of the quote.
		lines, text = append(lines, forwardedMark(n, row.ForwardedFrom)), "  "+setIn.Replace(text)
	}
	if row.Text != "" && row.Hearing == transcribed {
		text = n.Mark(transcribedMark) + " " + text
	}
	if row.Edited {
		text = n.Mark(editedNow) + " " + text
	}
	if row.Text != "" || row.Edited {
		lines = append(lines, text)
	}
	if row.Brings {
		attached, err := artifactsWhere(t, `inbox = ? ORDER BY idx`, row.ID)
		if err != nil {
			return "", err
		}
		for _, a := range attached {
			lines = append(lines, n.Mark(fmt.Sprintf("attached: %s, %s, %s, %s", content.Line(a.Name), content.Line(a.Type), content.Size(a.Size), a.ID)))
		}
	}
	if row.Note != "" {
		// errand made each line, in brackets, before the session was known.
		for line := range strings.SplitSeq(row.Note, "\n") {
			lines = append(lines, n.Mark(strings.TrimSuffix(strings.TrimPrefix(line, "["), "]")))
		}
	}
	return strings.Join(lines, "\n"), nil
}

func forwardedMark(n core.Nonce, from string) string {
	if from = content.Line(from); from == "" {
		return n.Mark("forwarded by the user, written by somebody else:")
	}
	return n.Mark("forwarded by the user, written by somebody else, called " + strconv.Quote(from) + ":")
}

var setIn = strings.NewReplacer("\r\n", "\n  ", "\n", "\n  ", "\r", "\n  ", "\v", "\n  ", "\f", "\n  ", "\u0085", "\n  ", "\u2028", "\n  ", "\u2029", "\n  ")

// speakerLine indents text, so that neither a name nor a text can imitate another person's line.
func speakerLine(speaker, text string) string {
	return speaker + ": " + setIn.Replace(text)
}

func oneLineName(name string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if strings.ContainsRune(":：︰꞉(){}<>（）［］｛｝〈〉⟨⟩❨❩⁽⁾₍₎", r) {
			return -1
		}
		return r
	}, unbracketed.Replace(content.Line(name)))), " ")
}

var unbracketed = strings.NewReplacer("(", " ", ")", " ")

const longestQuote = 200 // characters

// repliesTo describes a row of the outbox to which a message replies; empty if it was deleted.
func (t *tx) repliesTo(nonce core.Nonce, row int64) (string, error) {
	if row == 0 {
		return "", nil
	}
	list, err := outboxWhere(t, `id = ?`, row)
	if err != nil || len(list) == 0 {
		return "", err
	}
	n := list[0]
	notified, err := tasksWhere(t, `told_by = ? AND told_by <> '' ORDER BY finished LIMIT 5`, n.Key)
	if err != nil {
		return "", err
	}
	if len(notified) > 0 {
		names := make([]string, len(notified))
		for i, task := range notified {
			names[i] = fmt.Sprintf("%s, %s: %s", task.ID, displayed(task.Agents), content.Line(task.Title))
		}
		what := "result of "
		if n.Event == core.EventLate {
			what = "late result of "
		}
		return nonce.Mark("in reply to: " + what + strings.Join(names, "; ")), nil
	}
	what := ""
	if n.Event == core.EventQuestion {
		what = "question, "
	}
	return nonce.Mark(fmt.Sprintf("in reply to: %s%s: %s", what, cmp.Or(n.Agent.Display(), "errand"), strconv.Quote(core.Cut(content.Line(n.Text), longestQuote)))), nil
}

func displayed(agents []core.AgentName) string {
	names := make([]string, len(agents))
	for i, a := range agents {
		names[i] = a.Display()
	}
	return strings.Join(names, " and ")
}

// repliedTo returns the outbox row of a platform's message; 0 if errand did not send it.
func (t *tx) repliedTo(r core.Route, messageID string) (row int64, err error) {
	if messageID == "" || r.Channel == core.ChannelWeb {
		return 0, nil
	}
	_, err = t.Value(&row, `SELECT outbox FROM receipts WHERE channel = ? AND account = ? AND chat = ? AND message_id = ?`,
		r.Channel, r.Account, r.Chat, messageID)
	return row, err
}

func (t *tx) answersOther(owner core.Owner, s sessionRow, r claimRow) (bool, error) {
	if r.ReplyRow == 0 || s.Proposal == "" {
		return false, nil
	}
	var latest int64
	_, err := t.Value(&latest, `SELECT COALESCE(MAX(id), 0) FROM outbox WHERE made_by = ? AND event = 'question'`, owner)
	return latest != r.ReplyRow, err
}

func (t *tx) nonceOf(owner core.Owner) (n core.Nonce, err error) {
	if id, _, ok := owner.Task(); ok {
		_, err = t.Value(&n, `SELECT nonce FROM tasks WHERE id = ?`, id)
	} else {
		_, err = t.Value(&n, `SELECT nonce FROM sessions WHERE id = ?`, owner)
	}
	return n, err
}
