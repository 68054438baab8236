package when

import (
	"regexp"
	"strconv"
	"strings"
)

// A change replaces what people write by what the rest of the package reads.
type change struct {
	from *regexp.Regexp
	to   string
}

func changes(pairs ...string) []change {
	var list []change
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, change{regexp.MustCompile(`\b(?:` + pairs[i] + `)\b`), pairs[i+1]})
	}
	return list
}

func apply(s string, list []change) string {
	for _, c := range list {
		s = c.from.ReplaceAllString(s, c.to)
	}
	return s
}

var accents = strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ü", "u", "ñ", "n",
	"\u0301", "", "\u0303", "", "’", "'", "\u00a0", " ", "\u202f", " ", "–", "-")

// isSpanish looks for words that English does not have: "once" is eleven only
// after one of them.
var isSpanish = regexp.MustCompile(`\b(manana|hoy|en|dentro|cada|todos|todas|el|la|las|los|esta noche|proximo|lunes|martes|miercoles|jueves|viernes|sabado|domingo|diariamente)\b`)

var spanish = changes(
	`pasado manana`, `the day after tomorrow`,
	`esta manana`, `this morning`, `esta tarde`, `this afternoon`, `esta noche`, `tonight`,
	`(?:por|de|en) las? mananas?`, `in the morning`, `(?:por|de|en) las? tardes?`, `in the afternoon`, `(?:por|de|en) las? noches?`, `in the evening`,
	`(?:de )?lunes a viernes`, `every weekday`, `(?:todos los|cada) dias? laborables?`, `every weekday`, `entre semana`, `every weekday`,
	`(?:todos los |cada )?fin(?:es)? de semana`, `every weekend`,
	`(?:todos los|todas las|cada)`, `every`, `diariamente|a diario`, `every day`,
	`dentro de|en`, `in`, `media hora`, `30 minutes`, `a las?`, `at`, `y media`, `and 30`, `y cuarto`, `and 15`, `mediodia`, `noon`, `medianoche`, `midnight`,
	`(?:el |la )?proxim[oa]`, `next`, `(lunes|martes|miercoles|jueves|viernes|sabado|domingo|semana|mes) que viene`, `next $1`,
	`el dia`, `the`, `el`, `the`, `las?|los`, ``, `del?`, ``, `[ye]`, `and`,
	`hoy`, `today`, `manana`, `tomorrow`, `ultimo`, `last`, `otr[oa]`, `other`,
	`lunes`, `monday`, `martes`, `tuesday`, `miercoles`, `wednesday`, `jueves`, `thursday`, `viernes`, `friday`, `sabados?`, `saturday`, `domingos?`, `sunday`,
	`enero`, `january`, `febrero`, `february`, `marzo`, `march`, `abril`, `april`, `mayo`, `may`, `junio`, `june`, `julio`, `july`, `agosto`, `august`,
	`sep?tiembre`, `september`, `octubre`, `october`, `noviembre`, `november`, `diciembre`, `december`,
	`segundos?`, `second`, `minutos?`, `minutes`, `horas?`, `hours`, `dias?`, `days`, `semanas?`, `weeks`, `mes(?:es)?`, `months`, `anos?`, `years`,
	`un[ao]?`, `1`, `dos`, `2`, `tres`, `3`, `cuatro`, `4`, `cinco`, `5`, `seis`, `6`, `siete`, `7`, `ocho`, `8`, `nueve`, `9`, `diez`, `10`, `once`, `11`, `doce`, `12`,
)

var english = changes(
	`second (day|week|month|year|hour)`, `other $1`, `second (mon|tue|wed|thu|fri|sat|sun)`, `2nd $1`,
	`one`, `1`, `two`, `2`, `three`, `3`, `four`, `4`, `five`, `5`, `six`, `6`, `seven`, `7`, `eight`, `8`, `nine`, `9`, `ten`, `10`, `eleven`, `11`, `twelve`, `12`,
	`first`, `1st`, `third`, `3rd`, `fourth`, `4th`, `fifth`, `5th`,
	`mon`, `monday`, `tues?`, `tuesday`, `wed`, `wednesday`, `thu(?:rs?)?`, `thursday`, `fri`, `friday`, `sat`, `saturday`, `sun`, `sunday`,
	`jan`, `january`, `feb`, `february`, `mar`, `march`, `apr`, `april`, `jun`, `june`, `jul`, `july`, `aug`, `august`, `sept?`, `september`, `oct`, `october`, `nov`, `november`, `dec`, `december`,
	`half an hour`, `30 minutes`, `(?:a )?quarter of an hour`, `15 minutes`, `an hour and a half`, `90 minutes`, `a couple of`, `2`,
	`mins?`, `minutes`, `hrs?`, `hours`, `secs?`, `seconds`,
	`each`, `every`, `everyday`, `every day`, `daily`, `every day`, `weekly`, `every week`, `monthly`, `every month`, `yearly|annually`, `every year`, `hourly`, `every hour`,
	`half past (\d{1,2})`, `at $1:30`, `quarter past (\d{1,2})`, `at $1:15`, `(at \d{1,2}) and (15|30)`, `$1:$2`, `at at`, `at`, `(\d{4}-\d{2}-\d{2})t(\d{2})`, `$1 $2`,
)

var (
	quarterTo = regexp.MustCompile(`\bquarter to (\d{1,2})\b`)
	plural    = regexp.MustCompile(`\b(mon|tues|wednes|thurs|fri|satur|sun|week)(day|end)s\b`)
	dotted    = regexp.MustCompile(`\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b`)
)

func plain(text string) string {
	s := accents.Replace(strings.ToLower(text))
	s = strings.NewReplacer(",", " ", ";", " ", "!", " ", "(", " ", ")", " ", "a.m.", "am", "p.m.", "pm").Replace(s)
	s = strings.TrimRight(strings.Join(strings.Fields(s), " "), ". ")
	if isSpanish.MatchString(s) {
		s = apply(s, spanish)
	}
	s = apply(strings.Join(strings.Fields(s), " "), english)
	s = quarterTo.ReplaceAllStringFunc(s, func(m string) string {
		h, _ := strconv.Atoi(strings.TrimPrefix(m, "quarter to ")) // the expression found digits
		return "at " + strconv.Itoa((h+23)%24) + ":45"
	})
	s = dotted.ReplaceAllStringFunc(s, func(m string) string {
		p := strings.Split(m, ".")
		return p[2] + "-" + pad(p[1]) + "-" + pad(p[0])
	})
	if p := plural.FindStringIndex(s); p != nil {
		s = plural.ReplaceAllString(s, "$1$2")
		if !strings.Contains(s, "every") { // "on mondays"
			s = strings.TrimSuffix(strings.TrimSpace(s[:p[0]]), "on") + " every " + s[p[0]:]
		}
	}
	return strings.Join(strings.Fields(s), " ")
}

func pad(s string) string {
	if len(s) == 1 {
		return "0" + s
	}
	return s
}
