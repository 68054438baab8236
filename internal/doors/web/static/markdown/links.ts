// Links lead where they seem to lead. The rules are those of links on platforms
// (internal/markup/link.go).

import type {MarkdownIt, Token} from "markdown-it";

// target reports whether a person may be sent to an address: only http and https,
// with a host, and nothing before the host that could be taken for it.
export function target(address: string) {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return false;
  const {host, username, password} = new URL(address);
  return host !== "" && username === "" && password === "";
}

const claim = /:\/\/|^\s*www\.|^\s*[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)*\.\p{L}{2,}\s*([/:?#]|$)/iu;
const unseen = /[\p{Cf}\p{Cc}\p{Variation_Selector}]/gu;
const turned = /[\u202a-\u202e\u2066-\u2069]/; // they show a text in another order

// deceives reports whether the text of a link claims to be another address than
// the one it leads to.
export function deceives(label: string, address: string) {
  const shown = label.normalize("NFKC").replace(unseen, "").trim();
  if (turned.test(label)) return true;
  if (!claim.test(shown)) return false;
  const said = short(shown), to = short(address);
  // "example.com" may lead to example.com/page, which is more and not other.
  return said !== to && !(!said.includes("/") && to.startsWith(said + "/"));
}

function short(address: string) {
  const whole = /^[a-z]+:\/\//i.test(address) ? address : `https://${address}`;
  return (URL.canParse(whole) ? new URL(whole).href : whole).toLowerCase().replace(/^https?:\/\//, "").replace(/^www\./, "").replace(/\/$/, "");
}

// honest is a plug-in of markdown-it: the address of a link whose text claims
// another, or shows nothing, stands in plain sight. Images are links to them,
// as nothing is loaded from elsewhere.
export function honest(md: MarkdownIt) {
  md.validateLink = target;
  md.normalizeLinkText = text => text; // as it is written: decoded, it may look like another
  md.core.ruler.push("honest", state => {
    for (const token of state.tokens) {
      if (token.type === "inline") token.children = links(token.children ?? [], state.Token);
    }
  });
}

function links(tokens: Token[], New: typeof Token) {
  const text = (content: string) => Object.assign(new New("text", "", 0), {content});
  const open = (address: string): Token => Object.assign(new New("link_open", "a", 1), {attrs: [["href", address]] as [string, string][]});
  const close = () => new New("link_close", "a", -1);
  const link = (inner: Token[], label: string, address: string) => {
    if (label.replace(unseen, "").trim() === "") return [open(address), text(address), close()];
    if (!deceives(label, address)) return [open(address), ...inner, close()];
    return [...inner, text(" ("), open(address), text(address), close(), text(")")];
  };
  const out: Token[] = [];
  let within: {address: string; inner: Token[]; label: string} | undefined; // the link whose text is being read
  for (const token of tokens) {
    const inner = within?.inner ?? out;
    if (token.type === "link_open") {
      within = {address: String(token.attrGet("href") ?? ""), inner: [], label: ""};
    } else if (token.type === "link_close" && within) {
      for (const t of link(within.inner, within.label, within.address)) out.push(t);
      within = undefined;
    } else if (token.type === "image") {
      const label = plain(token.children ?? []);
      if (within) within.label += label;
      for (const t of within ? [text(label)] : link([text(label)], label, String(token.attrGet("src") ?? ""))) inner.push(t);
    } else {
      if (within) within.label += plain([token]);
      inner.push(token);
    }
  }
  return out;
}

// plain is what tokens show, without marks.
const plain = (tokens: Token[]): string => tokens.map(t => t.type === "image" ? plain(t.children ?? []) : t.type.endsWith("break") ? " " : t.content).join("");
