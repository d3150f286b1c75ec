package main

import (
	"fmt"
	"strings"

	"github.com/rivo/uniseg"
)

// palette are the ground, the letters, and the colours that a session uses, by their codes.
type palette struct {
	ground, ink string
	colours     map[string]string
}

// svg draws what tmux captured.
func svg(screen string, o options) string {
	p := palette{"#12171d", "#d7dee8", map[string]string{"31": "#f0787e", "32": "#7fd08a", "36": "#6cc5d6"}}
	if o.light {
		p = palette{"#ffffff", "#1c2733", map[string]string{"31": "#b3232c", "32": "#1d7a36", "36": "#11707f"}}
	}
	lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
	const wide, high, margin = 8.4, 18, 14
	width, height := float64(o.columns)*wide+2*margin, float64(len(lines))*high+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" font-family="ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="14">`+"\n", width, height, width)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", p.ground)
	s := style{}
	for i, line := range lines {
		column := 0
		for _, part := range s.parts(line) {
			if strings.TrimSpace(part.text) != "" {
				fmt.Fprintf(&b, `<text x="%.1f" y="%d" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>`+"\n", margin+float64(column)*wide, margin+i*high+13,
					float64(uniseg.StringWidth(part.text))*wide, p.of(part.style), part.attributes(), strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", " ", "\u00a0").Replace(part.text))
			}
			column += uniseg.StringWidth(part.text)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func (p palette) of(s style) string {
	if c := p.colours[s.colour]; c != "" {
		return c
	}
	return p.ink
}

// style is how letters look, as the sequences of a terminal set it.
type style struct {
	colour          string
	bold, underline bool
}

func (s style) attributes() (out string) {
	if s.bold {
		out += ` font-weight="bold"`
	}
	if s.underline {
		out += ` text-decoration="underline"`
	}
	return out
}

type part struct {
	text string
	style
}

// parts cuts a line where its style changes; the style goes on in the next line.
func (s *style) parts(line string) (out []part) {
	for line != "" {
		text, rest, found := strings.Cut(line, "\x1b[")
		if text != "" {
			out = append(out, part{text, *s})
		}
		if !found {
			break
		}
		codes, after, ok := strings.Cut(rest, "m")
		if !ok {
			break
		}
		for code := range strings.SplitSeq(codes, ";") {
			s.set(code)
		}
		line = after
	}
	return out
}

func (s *style) set(code string) {
	switch code {
	case "", "0":
		*s = style{}
	case "1":
		s.bold = true
	case "4":
		s.underline = true
	case "24":
		s.underline = false
	case "31", "32", "36", "39": // what a session uses, and the ink
		s.colour = code
	}
}
