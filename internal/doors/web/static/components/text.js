// A text in Markdown: a whole one, or one that is still being written.

import {markdown} from "../markdown.js";
import {html, useLayoutEffect, useRef} from "../ui.js";

export function Text({text, live}) {
  const at = useRef();
  useLayoutEffect(() => { at.current.replaceChildren(live?.element ?? markdown(text)); }, [live ?? text]);
  return html`<div ref=${at}></div>`;
}
