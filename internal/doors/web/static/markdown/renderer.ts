// The renderer: GitHub's Markdown as DOM nodes. Of HTML in a text nothing becomes
// markup: markdown-it writes it as text, and DOMPurify lets no other elements and
// attributes through than those that are named here.

import DOMPurify from "dompurify";
import markdownIt, {type Token} from "markdown-it";
import {dress} from "./code";
import {honest} from "./links";
import {patch} from "./patch";
import {pieces} from "./pieces";
import type {Job} from "./queue";

const deepest = 60;   // levels of quotes and lists; what is deeper is shown as it was written
const topHeading = 3; // the page has its own above

export const md = markdownIt({html: false, linkify: true, breaks: true}).use(honest);
for (const schema of ["ftp:", "//", "mailto:"]) md.linkify.add(schema, null);
md.linkify.set({fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false});

md.block.ruler.before("table", "deepest", (state, start, end, silent) => {
  if (state.level < deepest) return false;
  if (silent) return true;
  const token = state.push("code_block", "code", 0);
  token.content = state.getLines(start, end, state.blkIndent, false);
  token.map = [start, end];
  state.line = end;
  return true;
});

md.core.ruler.push("page", ({tokens}) => {
  tokens.forEach((token, i) => {
    if (token.type.startsWith("heading_")) token.tag = `h${Math.min(6, Number(token.tag[1]) + topHeading - 1)}`;
    // The page allows no styles within its markup.
    const style = token.attrGet("style");
    if (style) token.attrs = [["align", String(style).replace("text-align:", "")]];
    if (token.type === "inline" && tokens[i - 2]?.type === "list_item_open") check(token);
  });
});

// check shows the box of an entry of a list of tasks.
function check(token: Token) {
  const first = token.children?.[0];
  if (first?.type === "text") first.content = first.content.replace(/^\[ \](?= )/, "☐").replace(/^\[x\](?= )/i, "☑");
}

const fence = (tokens: Token[], i: number) => {
  const language = tokens[i].info.trim().split(/\s/, 1)[0];
  const {escapeHtml} = md.utils;
  return `<pre${language ? ` data-language="${escapeHtml(language)}"` : ""}><code>${escapeHtml(tokens[i].content.replace(/\n$/, ""))}</code></pre>`;
};
Object.assign(md.renderer.rules, {fence, code_block: fence});

const purify = DOMPurify(window);
purify.setConfig({
  ALLOWED_TAGS: ["#text", "a", "blockquote", "br", "code", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul"],
  ALLOWED_ATTR: ["align", "data-language", "href", "start"],
  ALLOW_ARIA_ATTR: false, ALLOW_DATA_ATTR: false,
  ALLOWED_URI_REGEXP: /^https?:\/\//i,
  ADD_URI_SAFE_ATTR: ["align", "data-language", "start"], // the others must match it
  RETURN_DOM_FRAGMENT: true,
});

function nodes(tokens: Token[]) {
  const fragment = purify.sanitize(md.renderer.render(tokens, md.options, {})) as unknown as DocumentFragment; // see RETURN_DOM_FRAGMENT
  for (const a of fragment.querySelectorAll("a")) Object.assign(a, {target: "_blank", rel: "noopener noreferrer"});
  for (const table of fragment.querySelectorAll("table")) {
    const box = document.createElement("div");
    Object.assign(box, {className: "table", tabIndex: 0});
    table.replaceWith(box);
    box.append(table);
  }
  for (const pre of fragment.querySelectorAll("pre")) {
    const box = document.createElement("div");
    box.className = "code-block";
    Object.assign(pre, {tabIndex: 0, dir: "ltr"});
    pre.replaceWith(box);
    box.append(pre);
  }
  return fragment;
}

// render shows text in an element, piece by piece, in place of what is there.
export function* render(text: string, element: Element): Job {
  const parts = pieces(md.parse(text, {}));
  yield;
  const shown = nodes(parts[0] ?? []);
  dress(shown);
  if (parts.length < 2) {
    element.replaceChildren(shown);
    return;
  }
  // A browser lays out only those pieces that are in sight.
  const piece = (inner: Node) => {
    const box = document.createElement("div");
    box.className = "piece";
    box.append(inner);
    return box;
  };
  element.replaceChildren(piece(shown));
  for (const part of parts.slice(1)) {
    yield;
    const next = nodes(part);
    dress(next);
    element.append(piece(next));
  }
}

// renderOpen shows a text that is still being written in an element, behind the node
// done: its finished blocks, and the block that may still become something else. It
// returns the last node of the finished ones and how many characters they are of,
// and into which element what follows belongs.
export function renderOpen(text: string, element: Element, done: ChildNode | null) {
  const tokens = md.parse(text, {});
  const last = tokens.findLastIndex(t => t.level === 0 && t.nesting >= 0 && t.map);
  const finished = nodes(tokens.slice(0, Math.max(last, 0)));
  const count = finished.childNodes.length;
  finished.append(nodes(tokens.slice(Math.max(last, 0))));
  patch(element, done, finished);
  const ended = dressNext(element, done, count);
  const open: Token | undefined = tokens[last];
  const lastLine = text.slice(text.lastIndexOf("\n") + 1);
  const code = open?.type === "fence" && !lastLine.trim().startsWith(open.markup) && element.lastElementChild?.querySelector("pre > code");
  return {done: ended, into: code || element, length: last > 0 ? offset(text, open.map?.[0] ?? 0) : 0};
}

// renderWhole shows a text in an element that shows it in part.
export function renderWhole(text: string, element: Element) {
  const whole = nodes(md.parse(text, {}));
  patch(element, null, whole);
  dress(element);
}

// dressNext finishes count nodes behind one, and returns the last of them.
function dressNext(element: Element, done: ChildNode | null, count: number) {
  let node = done;
  for (; count > 0; count--) {
    node = node ? node.nextSibling : element.firstChild;
    if (node instanceof Element) dress(node);
  }
  return node;
}

// offset is where a line begins.
function offset(text: string, line: number) {
  let at = 0;
  for (; line > 0; line--) at = text.indexOf("\n", at) + 1;
  return at;
}
