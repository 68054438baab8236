package markup

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// target accepts only http and https URLs with a host and without user info, which could look like
// the host.
func target(raw string) (_ string, ok bool) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || u.Host == "" || u.User != nil || u.Opaque != "" {
		return "", false
	}
	if s := strings.ToLower(u.Scheme); s != "http" && s != "https" {
		return "", false
	}
	if strings.ContainsFunc(u.Host, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(`<>()[]|\"'*~`+"`", r)
	}) {
		return "", false
	}
	return quoteAddress(u.String()), true
}

var addressEscapes = strings.NewReplacer(
	"(", "%28", ")", "%29", "<", "%3C", ">", "%3E", " ", "%20", `\`, "%5C",
	"|", "%7C", "*", "%2A", "`", "%60", "\n", "", "\t", "",
)

func quoteAddress(s string) string {
	s = addressEscapes.Replace(s)
	return pings.ReplaceAllString(s, "%40$1")
}

var pings = regexp.MustCompile(`(?i)@(everyone|here)`)

var claim = regexp.MustCompile(`(?i)(://|^\s*www\.|^\s*[\pL\pN-]+(\.[\pL\pN-]+)*\.\pL{2,}\s*(/|$))`)

func deceives(label, to string) bool {
	if !claim.MatchString(label) {
		return false
	}
	short := func(s string) string {
		s = strings.ToLower(strings.TrimSpace(s))
		s = strings.TrimPrefix(strings.TrimPrefix(s, "https://"), "http://")
		return strings.TrimSuffix(strings.TrimPrefix(s, "www."), "/")
	}
	l, t := short(label), short(to)
	// "example.com" may lead to example.com/page, which is the same site.
	return l != t && !(!strings.Contains(l, "/") && strings.HasPrefix(t, l+"/"))
}

// bareAddress escapes marks and mentions in a visible URL.
func bareAddress(s string) string {
	return pings.ReplaceAllString(bareEscapes.Replace(s), "%40$1")
}

var bareEscapes = strings.NewReplacer(
	"<", "%3C", ">", "%3E", `\`, "%5C", "|", "%7C", "*", "%2A", "`", "%60", " ", "%20", "\n", "%0A",
)

func (b *builder) address(s string) {
	if _, ok := target(s); !ok {
		b.write(s)
		return
	}
	b.span(span{kind: address}, func() { b.write(bareAddress(s)) })
}

func (b *builder) link(n ast.Node, raw string) {
	label := strings.TrimSpace(clean(b.label(n)))
	to, ok := target(raw)
	inside := func() { b.children(n) }
	switch {
	case ok && label == strings.TrimSpace(raw):
		b.address(label)
	case b.on[link] > 0 || len(raw) > b.budget:
		inside()
	case ok && b.platform != WhatsApp && b.platform != terminal && len(to) <= b.longest && !deceives(label, to) && visible(label):
		b.budget -= len(to)
		b.span(span{kind: link, url: to}, inside)
	default:
		b.budget -= len(raw)
		inside()
		if raw == "" {
			return
		}
		if visible(label) {
			b.write(" (")
			defer b.write(")")
		}
		b.address(strings.TrimSpace(raw))
	}
}

func (b *builder) label(n ast.Node) string {
	var s strings.Builder
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) { // the callback returns no errors
		switch c := c.(type) {
		case *ast.Text:
			if entering {
				s.WriteString(unescape(c.Segment.Value(b.source)))
			}
		case *ast.String:
			if entering {
				s.Write(c.Value)
			}
		case *ast.AutoLink:
			if entering {
				s.Write(c.Label(b.source))
			}
		}
		return ast.WalkContinue, nil
	})
	return s.String()
}

func unescape(s []byte) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]):
			i++
			b.WriteByte(s[i])
		case s[i] == '&':
			n := strings.IndexByte(string(s[i:min(i+40, len(s))]), ';')
			if n < 0 {
				b.WriteByte('&')
				continue
			}
			b.WriteString(html.UnescapeString(string(s[i : i+n+1])))
			i += n
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
