// Links lead where they seem to lead. The rules are those of links on platforms
// (internal/markup/link.go).

// target reports whether a person may be sent to an address: only http and https,
// with a host, and nothing before the host that could be taken for it.
export function target(address) {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return false;
  const {host, username, password} = new URL(address);
  return host !== "" && username === "" && password === "";
}

const claim = /:\/\/|^\s*www\.|^\s*[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)*\.\p{L}{2,}\s*([/:?#]|$)/iu;
const unseen = /[\p{Cf}\p{Cc}\p{Variation_Selector}]/gu;
const turned = /[\u202a-\u202e\u2066-\u2069]/; // they show a text in another order

// deceives reports whether the text of a link claims to be another address than
// the one it leads to.
export function deceives(label, address) {
  const shown = label.normalize("NFKC").replace(unseen, "").trim();
  if (turned.test(label)) return true;
  if (!claim.test(shown)) return false;
  const said = short(shown), to = short(address);
  // "example.com" may lead to example.com/page, which is more and not other.
  return said !== to && !(!said.includes("/") && to.startsWith(said + "/"));
}

function short(address) {
  const whole = /^[a-z]+:\/\//i.test(address) ? address : `https://${address}`;
  return (URL.canParse(whole) ? new URL(whole).href : whole).toLowerCase().replace(/^https?:\/\//, "").replace(/^www\./, "").replace(/\/$/, "");
}

// honest is a plug-in of markdown-it: the address of a link whose text claims
// another, or shows nothing, stands in plain sight. Images are links to them,
// as nothing is loaded from elsewhere.
export function honest(md) {
  md.validateLink = target;
  md.normalizeLinkText = text => text; // as it is written: decoded, it may look like another
  md.core.ruler.push("honest", state => {
    for (const token of state.tokens) {
      if (token.type === "inline") token.children = links(token.children, state.Token);
    }
  });
}

function links(tokens, Token) {
  const text = content => Object.assign(new Token("text", "", 0), {content});
  const open = address => Object.assign(new Token("link_open", "a", 1), {attrs: [["href", address]]});
  const close = () => new Token("link_close", "a", -1);
  const link = (inner, label, address) => {
    if (label.replace(unseen, "").trim() === "") return [open(address), text(address), close()];
    if (!deceives(label, address)) return [open(address), ...inner, close()];
    return [...inner, text(" ("), open(address), text(address), close(), text(")")];
  };
  const out = [];
  let within; // the link whose text is being read
  for (const token of tokens) {
    const inner = within?.inner ?? out;
    if (token.type === "link_open") {
      within = {address: token.attrGet("href"), inner: [], label: ""};
    } else if (token.type === "link_close" && within) {
      for (const t of link(within.inner, within.label, within.address)) out.push(t);
      within = undefined;
    } else if (token.type === "image") {
      const label = plain(token.children);
      if (within) within.label += label;
      for (const t of within ? [text(label)] : link([text(label)], label, token.attrGet("src"))) inner.push(t);
    } else {
      if (within) within.label += plain([token]);
      inner.push(token);
    }
  }
  return out;
}

// plain is what tokens show, without marks.
const plain = tokens => tokens.map(t => t.type === "image" ? plain(t.children) : t.type.endsWith("break") ? " " : t.content).join("");
