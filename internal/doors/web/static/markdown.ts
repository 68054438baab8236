// Markdown on the pages. A text is shown as it was written until the renderer is
// there, which loads after the first paint, and long ones are rendered in pieces,
// so that the page never stops for one.

import {make} from "./markdown/make";
import {enqueue, painted} from "./markdown/queue";

let renderer: typeof import("./markdown/renderer") | undefined, loading: Promise<void> | undefined;

// prepareMarkdown has the renderer there soon: behind the next paint, which may be the first
// of a text. It is loaded once.
export const prepareMarkdown = () => loading ??= painted().then(() => import("./markdown/renderer")).then(module => { renderer = module; })
  .catch(error => console.warn("Messages are shown as they were written:", error));

// markdown returns an element that shows text. What is short is rendered at once.
export function markdown(text: string) {
  const element = make("div", {class: "markdown", dir: "auto"}, make("span", {class: "raw"}, text));
  const begin = () => { if (renderer) enqueue(renderer.render(text, element)); };
  if (renderer) begin();
  else prepareMarkdown().then(begin);
  return element;
}

// Up to so many characters, the block that is being written is rendered whenever
// it grows; a longer one whenever it has grown by a quarter. So the work for a
// text of any length grows with its length, and not with the square of it. What a
// block has beyond the second number is shown as it is written, until the text is
// whole: each rendering would stop the page.
const short = 4096, long = 50000;

// Up to so many characters, a text that is whole is rendered in one go.
const inPlace = 16000;

// A LiveMarkdown shows a text that is still being written: at most once in a frame.
// What is shown already is changed in place, so that what somebody has selected
// stays selected.
export class LiveMarkdown {
  element = make("div", {class: "markdown", dir: "auto"});
  #done: ChildNode | null = null; // the last node of the finished blocks
  #rest = make("span", {class: "raw"}); // what has not been rendered yet
  #all = "";
  #text = "";            // of the block that may still become something else, and the rest
  #rendered = 0;         // characters of it that are rendered
  #fresh = "";           // what is not shown at all yet
  #frame = 0;

  constructor() {
    this.element.append(this.#rest);
    prepareMarkdown().then(() => { if (this.#text) this.#show(); }); // what came before the renderer
  }

  add(text: string) {
    this.#fresh += text.replaceAll("\r", "");
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#show();
    });
  }

  // text is all that was said.
  get text() { return this.#all + this.#fresh; }

  // finish shows the whole text: the given one, or what has come of it.
  finish(text = this.text) {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#all = text;
    this.#text = this.#fresh = "";
    const begin = () => {
      if (!renderer) return;
      this.#rest.remove();
      if (text.length <= inPlace) renderer.renderWhole(text, this.element);
      else enqueue(renderer.render(text, this.element));
    };
    if (renderer) return begin();
    this.#rest.textContent = text;
    prepareMarkdown().then(begin);
  }

  #show() {
    this.#all += this.#fresh;
    this.#text += this.#fresh;
    const grown = this.#text.length <= short || this.#text.length >= this.#rendered * 1.25;
    if (!renderer || !grown || this.#rendered > long) {
      this.#rest.append(this.#fresh);
    } else {
      this.#rest.remove();
      const {done, into, length} = renderer.renderOpen(this.#text, this.element, this.#done);
      this.#done = done;
      this.#rest.replaceChildren();
      into.append(this.#rest);
      this.#text = this.#text.slice(length);
      this.#rendered = this.#text.length;
    }
    this.#fresh = "";
  }
}
