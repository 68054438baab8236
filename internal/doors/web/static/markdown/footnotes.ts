// Footnotes: a number in the text that leads to a note at its end, and back.

import type {MarkdownIt, Token} from "markdown-it";
import footnote from "markdown-it-footnote";
import {say} from "../words";

// What the plug-in keeps of a text.
export interface Notes {
  refs?: Record<string, number>; // the places in list of labels; -1: nothing refers to it
  list?: {label: string; count: number}[];
}

const reference = /\[\^[^\s\]]{1,100}\]/y;

// What the tokens of notes are as a list.
const listed: Record<string, [type: string, tag: string]> = {
  footnote_block_open: ["ordered_list_open", "ol"], footnote_block_close: ["ordered_list_close", "ol"],
  footnote_open: ["list_item_open", "li"], footnote_close: ["list_item_close", "li"],
};

export const hasNotes = (env: {footnotes?: Notes}) => Object.keys(env.footnotes?.refs ?? {}).length > 0;

// footnotes is a plug-in of markdown-it. env.docId sets the notes of a text apart from those of
// others on the page.
export function footnotes(md: MarkdownIt) {
  md.use(footnote);
  md.inline.ruler.disable("footnote_inline"); // ^[…] is not GitHub's

  // Without this, the plug-in reads on from each "[^" to the end of the text.
  md.inline.ruler.before("footnote_ref", "footnote_none", (state, silent) => {
    reference.lastIndex = state.pos;
    if (!state.src.startsWith("[^", state.pos) || reference.test(state.src)) return false;
    if (!silent) state.pending += "[^";
    state.pos += 2;
    return true;
  });

  // The plug-in drops notes that nothing refers to. What was written has to be shown.
  md.core.ruler.before("footnote_tail", "footnote_unused", ({env}) => {
    const notes = env.footnotes as Notes | undefined;
    for (const [label, at] of Object.entries(notes?.refs ?? {})) {
      if (at < 0) (notes!.list ??= []).push({label: label.slice(1), count: 0});
    }
  });

  // The notes are a list as others are, which can be divided into pieces.
  md.core.ruler.after("footnote_tail", "footnote_list", ({tokens, env}) => {
    const from = tokens.findIndex(t => t.type === "footnote_block_open");
    if (from < 0) return;
    let level = 0;
    for (const token of tokens.slice(from)) {
      if (token.nesting < 0) level--;
      token.level = level;
      if (token.nesting > 0) level++;
      const [type, tag] = listed[token.type] ?? [];
      if (type) Object.assign(token, {type, tag, block: true});
      if (type === "ordered_list_open") token.attrs = [["data-notes", ""]];
      if (type === "list_item_open" && token.meta) token.attrs = [["id", names(token, env).note]];
    }
  });

  md.renderer.rules.footnote_ref = (tokens, i, _, env) => {
    const {note, from, number} = names(tokens[i], env);
    return `<sup><a id="${from}" href="#${note}">${number}</a></sup>`;
  };
  md.renderer.rules.footnote_anchor = (tokens, i, _, env) => {
    const {from, number} = names(tokens[i], env);
    return (env?.footnotes as Notes).list![number - 1].count ? ` <a href="#${from}">↩\uFE0E</a>` : "";
  };
}

// names returns the ids of a note and of the place that refers to it.
function names(token: Token, env: Record<string, unknown> = {}) {
  const {id, subId = 0} = token.meta as {id: number; subId?: number};
  const number = id + 1, note = `note-${env.docId}-${number}`;
  return {note, from: `${note}-from-${subId}`, number};
}

// nameNotes names the links within a node for who does not see them.
export function nameNotes(node: ParentNode) {
  for (const a of node.querySelectorAll('a[href^="#note-"]')) {
    const [, , number, from] = a.getAttribute("href")!.split("-");
    a.ariaLabel = say(from ? "page.markdown.back" : "page.markdown.footnote", {number});
  }
  for (const list of node.querySelectorAll("[data-notes]")) list.ariaLabel = say("page.markdown.footnotes");
  for (const note of node.querySelectorAll("[data-notes] > li")) note.setAttribute("tabindex", "-1");
}

// The address of a page says which session or message is shown: a note does not change it.
document.addEventListener("click", event => {
  const link = event.target instanceof Element && event.target.closest('.markdown a[href^="#note-"]');
  if (!link) return;
  event.preventDefault();
  document.getElementById(link.getAttribute("href")!.slice(1))?.focus();
});
