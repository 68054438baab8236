// One entry of a chat that somebody has said.

import {html} from "../ui.js";
import {FileLink} from "./file.js";
import {Text} from "./text.js";

// Why a text ends before its end.
const endings = {
  stopped: "Stopped",
  length: "Cut off at the model's limit",
  content_filter: "The model's provider withheld the rest",
};

export function Message({entry, choices, send}) {
  const {kind, who, text, live, ending, options, passing, file, question} = entry;
  if (kind === "notice") {
    return html`<div class="message notice" dir="auto">${text}${passing && html`<span class="note">Only here: reloading the page removes it</span>`}</div>`;
  }
  const offered = ending === "length" ? ["Continue"] : options ?? [];
  const offers = choices.value === entry.key && offered.length > 0;
  return html`<div class="message ${kind}">
    ${who && html`<span class="who">${who}</span>`}
    ${(text || live) && html`<${Text} text=${text} live=${live} />`}
    ${file && html`<${FileLink} href=${`/api/file-versions/${file.id}`} name=${file.name} size=${file.size} />`}
    ${endings[ending] && html`<p class="ending">${endings[ending]}</p>`}
    ${offers && html`<div class="choices">
      ${offered.map(option => html`<button key=${option} class="small" type="button" onClick=${() => send(question ? `/answer ${question} ${option}` : option)}>${option}</button>`)}
    </div>`}
  </div>`;
}
