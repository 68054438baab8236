// Formulas in TeX: $…$ and \(…\) in a line, $$…$$ and \[…\] by themselves. KaTeX makes MathML of
// them. It loads when the first formula is there; until then, and for what it does not
// understand, the source is shown.

import type katex from "katex";
import type {MarkdownIt, StateBlock, StateInline} from "markdown-it";
import {enqueue, type Job} from "./queue";

const maxLength = 5000;   // characters of a formula
const maxDepth = 60;      // elements of one within each other
const maxTogether = 1000; // that are shown in a piece of a text: a browser lays out more for seconds

// The forms within a text, with the longer sign first. None of them goes beyond the next sign
// that begins the same form, so that no text is read more than once. A single $ is often a
// price or a variable: it needs a character beside it, and none of a word on its other side.
const forms = [
  {form: /(\$\$)((?:\\.|\$(?!\$)|[^\\$])+)\$\$/sy, display: true},
  {form: /(?<![\w$])(\$)(?!\s)((?:\\.|[^\\$`\n])+)(?<!\s)\$(?![\w$])/y, display: false},
  {form: /(\\\()((?:\\[^()]|[^\\])+)\\\)/sy, display: false},
  {form: /(\\\[)((?:\\[^[\]]|[^\\])+)\\\]/sy, display: true},
];

// What a form may also be: a price and words, or words in brackets.
const prose = {$: /^[\d.,]+\s+\p{L}{2}/u, "\\[": /^[^\\^_={}]*$/};

function within(state: StateInline, silent: boolean) {
  // The text of a link has to show where it leads: TeX could disguise it.
  if (state.linkLevel > 0 || !/[$\\]/.test(state.src[state.pos])) return false;
  for (const {form, display} of forms) {
    form.lastIndex = state.pos;
    const [whole, sign, tex] = form.exec(state.src) ?? [];
    if (!whole) continue;
    const end = state.pos + whole.length;
    if (end > state.posMax || tex.length > maxLength || !tex.trim()) return false;
    if (prose[sign as keyof typeof prose]?.test(tex)) return false;
    if (!silent) Object.assign(state.push("formula", "", 0), {content: tex.trim(), info: display ? "display" : "inline"});
    state.pos = end;
    return true;
  }
  return false;
}

// alone takes a formula that fills lines. What is in them is no other Markdown.
function alone(state: StateBlock, start: number, end: number, silent: boolean) {
  const line = (n: number) => state.src.slice(state.bMarks[n] + state.tShift[n], state.eMarks[n]);
  const [sign] = /^(?:\$\$|\\\[)/.exec(line(start)) ?? [];
  if (!sign || state.sCount[start] - state.blkIndent >= 4) return false;
  const closing = sign === "$$" ? "$$" : "\\]";
  let last = start, length = 0, rest = line(start).slice(2);
  for (;;) {
    length += rest.length;
    const at = rest.indexOf(closing);
    if (at >= 0 && !/^[.,;:]?\s*$/.test(rest.slice(at + 2)) || length > maxLength) return false;
    if (at >= 0) break;
    last++;
    if (last < end && !state.isEmpty(last) && state.sCount[last] < state.blkIndent) return false;
    if (last >= end) {
      if (!state.env.open || line(start).trim() !== sign) return false;
      break; // it may be one that is still being written
    }
    rest = line(last);
    if (rest.startsWith(sign) && sign !== closing) return false;
  }
  const open = last >= end, text = state.getLines(start, open ? end : last + 1, state.sCount[start], false).trim();
  const content = open ? text : text.slice(2, text.lastIndexOf(closing)).trim();
  if (!content) return false;
  if (silent) return true;
  state.line = open ? end : last + 1;
  Object.assign(state.push("formula", "", 0), {content, info: open ? "open" : "display", block: true, map: [start, state.line]});
  return true;
}

// formulas is a plug-in of markdown-it. A text that is still being written has env.open.
export function formulas(md: MarkdownIt) {
  md.inline.ruler.before("escape", "formula", within);
  md.block.ruler.after("fence", "formula", alone, {alt: ["paragraph", "reference", "blockquote", "list"]});
  md.renderer.rules.formula = (tokens, i) => {
    const {content, info, block} = tokens[i];
    const kind = info === "inline" && width(content) > 32 ? "long" : info;
    const formula = `<span data-formula="${kind}">${md.utils.escapeHtml(content)}</span>`;
    return block ? `<p>${formula}</p>\n` : formula;
  };
}

// width is about how many characters a formula shows.
const width = (tex: string) => tex.replace(/\\[a-z]+/gi, "x").replace(/[{}^_\s]/g, "").length;

// sources keeps what formulas are made of, for patch and for what follows.
export function sources(node: ParentNode) {
  for (const formula of node.querySelectorAll("[data-formula]")) formula.setAttribute("data-tex", formula.textContent);
}

let loading: Promise<{default: typeof katex}> | undefined;

// render shows the formulas within a node that are not shown yet.
export async function render(node: ParentNode) {
  const waiting = [...node.querySelectorAll("[data-formula]:not([data-formula=open], [data-shown])")];
  if (!waiting.length) return;
  for (const formula of waiting) formula.setAttribute("data-shown", "");
  try {
    loading ??= import("katex");
    enqueue(rendered((await loading).default, waiting));
  } catch (error) {
    console.warn("Formulas are shown as they were written:", error);
  }
}

function* rendered({render: typeset}: typeof katex, waiting: Element[]): Job {
  const made: {formula: Element; tex: string; math: Node[] | undefined}[] = [];
  for (const [i, formula] of waiting.entries()) {
    const tex = formula.getAttribute("data-tex") ?? "";
    const math = i < maxTogether ? mathOf(typeset, tex, formula.getAttribute("data-formula") === "display") : undefined;
    made.push({formula, tex, math});
    yield;
  }
  for (const {formula, tex, math} of made) { // together: each time costs a layout
    if (formula.getAttribute("data-tex") !== tex) continue; // it has become another one
    if (math) formula.replaceChildren(...math);
    formula.setAttribute("data-shown", math ? "math" : "source");
  }
}

// With definitions, a short formula could become endless.
const defines = /\\(?:[egx]?def|let|futurelet|(?:re)?newcommand|providecommand)(?![a-z])/i;

const settings = {output: "mathml", trust: false, strict: false, maxSize: 20, maxExpand: 1000, throwOnError: true} as const;

// KaTeX draws these with a style, which the policy of pages refuses.
const unstyled = {"\\pmb": "\\boldsymbol{#1}", "\\fcolorbox": "\\colorbox{#1}{\\colorbox{#2}{#3}}"};

function mathOf(typeset: typeof katex.render, tex: string, displayMode: boolean) {
  if (defines.test(tex)) return undefined;
  const box = document.createElement("span");
  try {
    typeset(tex, box, {displayMode, ...settings, macros: {...unstyled}});
    if (depth(box) > maxDepth) return undefined;
    for (const table of box.querySelectorAll("mtable")) align(table);
    return [...box.childNodes];
  } catch {
    return undefined; // what KaTeX would show of an error has a style, too
  }
}

// align lays out the columns of a table in a formula: browsers do not know these attributes.
function align(table: Element) {
  const values = (name: string) => {
    const list = table.getAttribute(name)?.split(" ") ?? [];
    return (i: number) => list[Math.min(i, list.length - 1)]; // the last one stands for all that follow
  };
  const side = values("columnalign"), gap = values("columnspacing"), line = values("columnlines");
  for (const row of table.querySelectorAll(":scope > mtr")) {
    const cells = [...row.querySelectorAll<MathMLElement>(":scope > mtd:not([class])")];
    const half = (i: number) => i < 0 || i === cells.length - 1 ? "0" : `calc(${gap(i) ?? "1em"} / 2)`;
    cells.forEach(({style}, i) => {
      style.textAlign = side(i) ?? "center";
      style.padding = `.2em ${half(i)} .2em ${half(i - 1)}`;
      style.borderRightWidth = "1px";
      style.borderRightStyle = i < cells.length - 1 && line(i) || "none";
    });
  }
}

const depth = (element: Element): number => 1 + Math.max(0, ...[...element.children].map(depth));
