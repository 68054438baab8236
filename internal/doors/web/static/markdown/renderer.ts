// The renderer: GitHub's Markdown as DOM nodes. Of HTML in a text only what elements.ts
// names becomes markup: markdown-it writes the rest as text, and DOMPurify lets no other
// elements and attributes through than those that are named here.

import DOMPurify from "dompurify";
import markdownIt, {type Token} from "markdown-it";
import * as code from "./code";
import {elements} from "./elements";
import {footnotes, hasNotes, nameNotes, type Notes} from "./footnotes";
import * as formulas from "./formulas";
import {honest} from "./links";
import {make} from "./make";
import {patch} from "./patch";
import {pieces} from "./pieces";
import type {Job} from "./queue";
import {watch} from "./scrolling";

const deepest = 60;   // levels of quotes and lists; what is deeper is shown as it was written
const topHeading = 3; // the page has its own above

export const md = markdownIt({html: false, linkify: true, breaks: true}).use(footnotes).use(elements).use(formulas.formulas).use(honest);
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
    "span", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul"],
  ALLOWED_ATTR: ["align", "data-formula", "data-language", "data-notes", "href", "id", "start"],
  ALLOW_ARIA_ATTR: false, ALLOW_DATA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:\/\/|#note-)/i,
  ADD_URI_SAFE_ATTR: ["align", "data-formula", "data-language", "data-notes", "id", "start"], // the others must match it
  RETURN_DOM_FRAGMENT: true,
});

// A Doc is a text that an element shows.
type Doc = {
  docId: number;     // tells its footnotes from those of others on the page
  outline: number[]; // the levels of the headings that the next block is below
  open?: boolean;    // it is still being written
  footnotes?: Notes;
};

const docs = new WeakMap<Element, Doc>();
let latest = 0;

// docOf returns what an element shows, from its beginning.
function docOf(element: Element): Doc {
  const docId = docs.get(element)?.docId ?? ++latest, doc = {docId, outline: []};
  docs.set(element, doc);
  return doc;
}

// outline gives the headings of the next blocks of a text their levels: one below the heading
// before, at most. The levels that models write often begin in the middle, or leave one out.
function outline(tokens: Token[], levels: number[]) {
  for (const token of tokens) {
    if (token.type === "heading_open") {
      const level = Number(token.tag[1]);
      while (levels.length && levels[levels.length - 1] >= level) levels.pop();
      levels.push(level);
    }
    if (token.type.startsWith("heading_")) token.tag = `h${Math.min(6, topHeading - 1 + levels.length)}`;
  }
}

function nodes(tokens: Token[], doc: Doc) {
  outline(tokens, doc.outline);
  const html = md.renderer.render(tokens, md.options, {...doc});
  const fragment = purify.sanitize(html) as unknown as DocumentFragment; // see RETURN_DOM_FRAGMENT
  for (const a of fragment.querySelectorAll('a:not([href^="#"])')) Object.assign(a, {target: "_blank", rel: "noopener noreferrer"});
  for (const table of fragment.querySelectorAll("table")) {
    const box = make("div", {class: "table"});
    table.replaceWith(box);
    box.append(table);
  }
  for (const pre of fragment.querySelectorAll("pre")) {
    const box = make("div", {class: "code-block", dir: "ltr"}, make("div", {class: "code-head"}, make("span", {}, pre.dataset.language ?? "")));
    pre.replaceWith(box);
    box.append(pre);
  }
  nameNotes(fragment);
  formulas.sources(fragment);
  return fragment;
}

// dress finishes what was put on the page, and what will be.
function dress(node: ParentNode) {
  code.dress(node);
  formulas.render(node);
  watch(node);
}

// render shows text in an element, piece by piece, in place of what is there.
export function* render(text: string, element: Element): Job {
  const doc = docOf(element);
  const parts = pieces(md.parse(text, doc));
  yield;
  const shown = nodes(parts[0] ?? [], doc);
  dress(shown);
  if (parts.length < 2) {
    element.replaceChildren(shown);
    return;
  }
  // A browser lays out only those pieces that are in sight.
  const piece = (inner: Node) => make("div", {class: "piece"}, inner);
  element.replaceChildren(piece(shown));
  for (const part of parts.slice(1)) {
    yield;
    const next = nodes(part, doc);
    dress(next);
    element.append(piece(next));
  }
}

// renderOpen shows a text that is still being written in an element, behind the node
// done: its finished blocks, and the block that may still become something else. It
// returns the last node of the finished ones and how many characters they are of,
// and into which element what follows belongs.
export function renderOpen(text: string, element: Element, done: ChildNode | null) {
  const doc = done && docs.get(element) || docOf(element);
  const env: Doc = {...doc, open: true, footnotes: undefined};
  const tokens = md.parse(text, env);
  const last = tokens.findLastIndex(t => t.level === 0 && t.nesting >= 0 && t.map);
  const ended = hasNotes(env) ? 0 : Math.max(last, 0); // what may refer to the notes is not finished before they are
  const finished = nodes(tokens.slice(0, ended), env);
  const count = finished.childNodes.length;
  finished.append(nodes(tokens.slice(ended), {...env, outline: [...doc.outline]}));
  patch(element, done, finished);
  const end = dressNext(element, done, count);
  for (let node = end ? end.nextSibling : element.firstChild; node; node = node.nextSibling) {
    if (node instanceof Element) formulas.render(node);
  }
  const open: Token | undefined = tokens[last];
  const lastLine = text.slice(text.lastIndexOf("\n") + 1);
  const block = open?.type === "fence" && !lastLine.trim().startsWith(open.markup) && element.lastElementChild?.querySelector("pre > code");
  return {done: end, into: block || element, length: ended > 0 ? offset(text, open.map?.[0] ?? 0) : 0};
}

// renderWhole shows a text in an element that shows it in part.
export function renderWhole(text: string, element: Element) {
  const doc = docOf(element);
  const whole = nodes(md.parse(text, doc), doc);
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
