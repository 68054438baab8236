// The few elements of HTML that models write within Markdown: <br>, <sub> and <sup>. They
// have no attributes. Other HTML stays text.

import type {MarkdownIt} from "markdown-it";

const maxInner = 1000; // characters that are raised or lowered

const element = /<(?:(br) ?\/?|(sub|sup))>/iy;

export function elements(md: MarkdownIt) {
  md.inline.ruler.before("autolink", "elements", (state, silent) => {
    element.lastIndex = state.pos;
    const [tag = "", br, pair = ""] = element.exec(state.src) ?? [];
    const name = pair.toLowerCase(), from = state.pos + tag.length, end = state.posMax;
    if (!tag || from > end) return false;
    if (br) {
      if (!silent) state.push("hardbreak", "br", 0);
      state.pos = from;
      return true;
    }
    const close = state.src.slice(from, from + maxInner).search(new RegExp(`</${name}>`, "i"));
    if (close < 0 || from + close + name.length + 3 > end) return false;
    if (!silent) {
      state.push(`${name}_open`, name, 1);
      Object.assign(state, {pos: from, posMax: from + close});
      state.md.inline.tokenize(state);
      state.push(`${name}_close`, name, -1);
      state.posMax = end;
    }
    state.pos = from + close + name.length + 3;
    return true;
  });
}
