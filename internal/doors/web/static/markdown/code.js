// Blocks of code: colours, and a button that copies one. The highlighter loads
// when the first block is there that it knows something about.

import {make} from "./make.js";
import DOMPurify from "../vendor/dompurify/purify.es.mjs";
import {enqueue} from "./queue.js";
import {say} from "../words.js";

const longest = 20000; // characters; a grammar may take long over more

const purify = DOMPurify(window);
purify.setConfig({ALLOWED_TAGS: ["#text", "span"], ALLOWED_ATTR: ["class"], ALLOW_ARIA_ATTR: false, ALLOW_DATA_ATTR: false, RETURN_DOM_FRAGMENT: true});

let highlighter;

// dress finishes the blocks of code within a node, and that which it is itself.
export function dress(node) {
  const boxes = [...node.querySelectorAll(".code-block")];
  if (node.matches?.(".code-block")) boxes.push(node);
  for (const box of boxes) {
    const pre = box.querySelector("pre"), code = pre.querySelector("code");
    box.append(copyButton(code));
    if (pre.dataset.language && code.textContent.length <= longest) highlight(code, pre.dataset.language);
  }
}

async function highlight(code, language) {
  try {
    highlighter ??= import("../vendor/highlight/highlight.min.js");
    const {default: known} = await highlighter;
    if (known.getLanguage(language)) enqueue(coloured(known, code, language));
  } catch (error) {
    console.warn("Code is shown without colours:", error);
  }
}

function* coloured(known, code, language) {
  yield; // after what is already waiting for its turn
  code.replaceChildren(purify.sanitize(known.highlight(code.textContent, {language, ignoreIllegals: true}).value));
}

function copyButton(code) {
  const button = make("button", {class: "copy small", type: "button", "aria-label": say("page.code.copy_the_code"), onclick: async () => {
    button.textContent = say(await copied(code) ? "page.copied" : "page.not_copied");
    setTimeout(() => { button.textContent = say("page.copy"); }, 2000);
  }}, say("page.copy"));
  return button;
}

// copied puts the code on the clipboard. A browser has none for a page that is
// neither on this machine nor under TLS: there it copies what is selected.
async function copied(code) {
  if (navigator.clipboard) return navigator.clipboard.writeText(code.textContent).then(() => true, () => false);
  getSelection().selectAllChildren(code);
  return document.execCommand("copy");
}
