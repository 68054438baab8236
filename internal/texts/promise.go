package texts

import (
	"regexp"
	"strings"
)

// These patterns match promises of later work, and claims that work has begun, in English, Spanish,
// German and French. They apply to one sentence in lower case without accents. an_agent is the name
// of any delegate.
var (
	promising = regexp.MustCompile(strings.Join([]string{
		`\bi(?:'ll| will| shall|'m going to| am going to)\b.{0,60}\b(?:get back to (?:you|u)|come back to you|report back|let you know|keep you (?:posted|updated|informed)|(?:notify|update|inform|message|ping|contact) you|follow up with you|be in touch)\b`,
		`\bi(?:'ll| will| shall)\b.{0,80}\b(?:as soon as|once|when|after)\b.{0,50}\b(?:done|ready|finished|complete|completed|available|i have (?:it|them|the|an|more)|(?:is|are|comes?|'s) (?:back|in))\b`,
		`\bi(?:'ll| will|'m going to| am going to)\b.{0,20}\b(?:dispatch|delegate)\b`,
		`\bi(?:'ll| will|'m going to| am going to|'m| am)\b.{0,20}\b(?:ask|asking|send|sending|have|having|get|getting|put|putting|task|tasking|brief|briefing)\b.{0,30}\ban_agent\b`,
		`\bi(?:'ve| have| just|'m| am)\b.{0,20}\b(?:dispatched|dispatching|delegated|delegating|tasked|kicked off|kicking off)\b`,
		`\bi(?:'ve| have)?(?: just| now| already)?\b.{0,10}\b(?:asked|sent|told|briefed|put|assigned|handed|passed|forwarded|started|launched)\b.{0,40}\ban_agent\b`,
		`\ban_agent\b.{0,5}(?: is|'s)(?: now| already| currently)?\b.{0,5}\b(?:on it|on the case|at work|working on|looking into|researching|checking|taking care)\b`,
		`\b(?:i'm|i am|i'll|i will|is|are)\b.{0,40}\bin the background\b`,
		`\b(?:hang tight|stay tuned|bear with me)\b`,
		`^(?:please )?(?:give me|allow me|just|one|wait)(?: just)? (?:a |one )?(?:moment|minute|second|few (?:moments|minutes))\b`,

		`\b(?:te|le|os|les) (?:avisare|aviso|informare|informo|notificare|contare|cuento|escribire|escribo|contactare|respondere|dire|digo)\b.{0,40}\b(?:cuando|en cuanto|tan pronto|luego|despues|mas tarde|enseguida|pronto)\b`,
		`\b(?:te|le|os|les) (?:avisare|mantendre (?:al (?:tanto|corriente|dia)|informad[oa]s?)|notificare)\b`,
		`\bme (?:pondre|pongo) en contacto\b`,
		`\bvolvere (?:a (?:ti|usted|escribirte|contactarte)|con (?:la|el|una|los|las|noticias)|contigo)\b`,
		`\b(?:he|acabo de|voy a)\b.{0,20}\b(?:delegado|delegar|despachado|despachar|encargado|encargar|encomendado|encomendar)\b`,
		`\b(?:he|acabo de|voy a)\b.{0,30}\b(?:pedido|pedir|pedirle|enviado|enviar|puesto|poner|preguntado|preguntar|preguntarle|asignado|asignar|pasado|avisado)\b.{0,40}\ban_agent\b`,
		`\ban_agent\b (?:ya )?(?:esta|se (?:encarga|ocupa|encargara|ocupara))\b.{0,10}\b(?:en ello|trabajando|investigando|buscando|mirando|de (?:ello|eso|esto))\b`,
		`\ben segundo plano\b`,
		`^(?:por favor,? )?(?:dame|deme|espera|espere|un) (?:un |unos |solo un )?(?:momento|momentito|minuto|minutos|segundo)\b`,

		`\b(?:ich )?melde mich\b`,
		`\b(?:ich werde|werde ich)\b.{0,80}\b(?:melden|berichten|informieren|benachrichtigen|zuruckkommen|bescheid (?:geben|sagen))\b`,
		`\b(?:ich (?:gebe|sage)|(?:gebe|sage) ich)\b.{0,30}\bbescheid\b`,
		`\bauf dem laufenden\b`,
		`\b(?:ich habe|habe ich)\b.{0,60}\b(?:beauftragt|delegiert|losgeschickt|in auftrag gegeben)\b`,
		`\b(?:ich habe|habe ich)\b.{0,20}\ban_agent\b.{0,40}\b(?:gebeten|gefragt|angewiesen|weitergeleitet|geschickt)\b`,
		`\bim hintergrund\b`,

		`\bje (?:vous|te|t')\s?(?:tiens|tiendrai|recontacte|recontacterai|previens|previendrai|informerai)\b`,
		`\bje (?:reviens|reviendrai) vers (?:vous|toi)\b`,
	}, "|"))
	// conditional matches sentences that offer, ask, deny, or leave the next step to the reader.
	// They are not promises.
	conditional = regexp.MustCompile(`\bif you(?:'d| would)? (?:want|like|wish|prefer|need|agree)|\bwould you like\b|\bdo you want\b|\b(?:shall|should|can|could|may) i\b|` +
		`\b(?:once|when|as soon as|after|until|before|if) (?:you|i have your|i know (?:your|what|which|when|where)|your)\b|\b(?:not|never|cannot|unable|won't|can't|couldn't|don't|haven't|hadn't|nobody|nothing)\b|` +
		`\bsi (?:quieres|quiere|quereis|lo deseas|lo desea|te parece|prefieres|necesitas)\b|\b(?:cuando|en cuanto|tan pronto como) (?:me |lo )?(?:digas|diga|confirmes|confirme|envies|envie|mandes|quieras|quiera|tengas|sepas)\b|\b(?:no|nunca|nadie|tampoco)\b|` +
		`\b(?:wenn|falls|sobald) (?:du|sie|ihr)\b|\bsoll ich\b|\b(?:nicht|kein|keine|nie|niemand)\b|\bsi (?:vous|tu)\b|\b(?:ne|jamais)\b`)
	soothing = regexp.MustCompile(`\b(?:don't worry|no problem|not to worry|no worries|no te preocupes|no hay problema|kein problem|keine sorge)\b`)
	// quoted matches text in quotation marks or code, such as a letter or an example.
	quoted      = regexp.MustCompile("(?s)```.*?(?:```|$)|`[^`\n]*`|“[^”]*”|«[^»]*»|„[^“]*“|\"[^\"\n]*\"")
	sentenceEnd = regexp.MustCompile(`[.!?…]+(?:\s|$)|\n|[;–—]`)
)

var folded = strings.NewReplacer("’", "'", "*", "", "á", "a", "é", "e", "è", "e", "í", "i", "ó", "o", "ú", "u", "ü", "u", "ö", "o", "ä", "a", "ñ", "n", "ß", "ss", "¿", "", "¡", "")

func colleague(delegates []string) *regexp.Regexp {
	names := []string{`(?:my|a|the|our|mi|un|el|mein|meinen|meine) (?:colleague|specialist|sub-?agent|companer[oa]|especialista|subagente|kollege|kollegen|kollegin)`}
	for _, d := range delegates {
		names = append(names, regexp.QuoteMeta(folded.Replace(strings.ToLower(d))))
	}
	return regexp.MustCompile(`\b(?:` + strings.Join(names, "|") + `)\b`)
}

// mostSearched is the length of the start and the end of a long reply that are searched, where
// promises usually are.
const mostSearched = 1000

// Promised returns the first sentence of a reply that promises later work, or "". delegates are the
// agents to which the author of the reply can delegate.
func Promised(reply string, delegates []string) string {
	if all := []rune(reply); len(all) > 2*mostSearched {
		reply = string(all[:mostSearched]) + "\n" + string(all[len(all)-mostSearched:])
	}
	var lines []string
	for line := range strings.SplitSeq(quoted.ReplaceAllString(reply, " "), "\n") {
		if !strings.HasPrefix(strings.TrimSpace(line), ">") {
			lines = append(lines, line)
		}
	}
	text, agent := strings.Join(lines, "\n"), colleague(delegates)
	for text != "" {
		sentence, rest, asks := text, "", false
		if at := sentenceEnd.FindStringIndex(text); at != nil {
			sentence, rest, asks = text[:at[0]], text[at[1]:], strings.Contains(text[at[0]:at[1]], "?")
		}
		text = rest
		plain := strings.TrimSpace(folded.Replace(strings.ToLower(sentence)))
		plain = agent.ReplaceAllString(soothing.ReplaceAllString(plain, ""), "an_agent")
		if !asks && !conditional.MatchString(plain) && promising.MatchString(plain) {
			return strings.TrimSpace(sentence)
		}
	}
	return ""
}
