// Blocks of code: the name of the language, colors, and a button that copies the code. The
// highlighter loads when the first block is there that it knows something about.

import type {Highlighter} from "@highlightjs/cdn-assets/highlight.min.js";
import {make} from "./make";
import DOMPurify from "dompurify";
import {enqueue, type Job} from "./queue";
import {Icon} from "../components/icon";
import {announce} from "../stores/announcer";
import {render} from "../ui";
import {say} from "../words";

const longest = 20000; // characters; a grammar may take long over more

const purify = DOMPurify(window);
purify.setConfig({ALLOWED_TAGS: ["#text", "span"], ALLOWED_ATTR: ["class"], ALLOW_ARIA_ATTR: false, ALLOW_DATA_ATTR: false, RETURN_DOM_FRAGMENT: true});

let highlighter: Promise<{default: Highlighter}> | undefined;

// dress finishes the blocks of code within a node, and that which it is itself.
export function dress(node: ParentNode) {
  const boxes = [...node.querySelectorAll(".code-block")];
  if (node instanceof Element && node.matches(".code-block")) boxes.push(node);
  for (const box of boxes) {
    const pre = box.querySelector("pre")!, code = pre.querySelector("code")!;
    box.querySelector(".code-head")!.append(copyButton(code));
    if (pre.dataset.language && code.textContent.length <= longest) highlight(code, pre.dataset.language);
  }
}

async function highlight(code: HTMLElement, language: string) {
  try {
    highlighter ??= import("@highlightjs/cdn-assets/highlight.min.js");
    const {default: known} = await highlighter;
    const grammar = known.getLanguage(language);
    if (!grammar) return;
    code.closest(".code-block")!.querySelector(".code-head > span")!.textContent = grammar.name;
    enqueue(coloured(known, code, language));
  } catch (error) {
    console.warn("Code is shown without colours:", error);
  }
}

function* coloured(known: Highlighter, code: HTMLElement, language: string): Job {
  yield; // after what is already waiting for its turn
  code.replaceChildren(purify.sanitize(known.highlight(code.textContent, {language, ignoreIllegals: true}).value));
}

function copyButton(code: HTMLElement) {
  const button = make("button", {class: "copy", type: "button", "aria-label": say("page.code.copy_the_code"), onclick: async () => {
    const done = say(await copied(code) ? "page.copied" : "page.not_copied");
    announce(done);
    render(done, button);
    setTimeout(() => render(<Icon name="copy" />, button), 2000);
  }});
  render(<Icon name="copy" />, button);
  return button;
}

// copied puts the code on the clipboard. A browser has none for a page that is
// neither on this machine nor under TLS: there it copies what is selected.
async function copied(code: HTMLElement) {
  if (navigator.clipboard) return navigator.clipboard.writeText(code.textContent).then(() => true, () => false);
  getSelection()?.selectAllChildren(code);
  return document.execCommand("copy");
}
