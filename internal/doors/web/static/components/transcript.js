// What was said in a session, with what errand itself said between, by time.

import {display, moment} from "../api.js";
import {html} from "../ui.js";
import {say} from "../words.js";
import {Text} from "./text.js";

// found is the place of the message in which words were found, if they were.
export function Transcript({messages, notices, artifacts, found}) {
  const said = [...messages, ...notices.map(n => ({...n, notice: true}))].map((m, i) => [m, i])
    .sort(([a, i], [b, j]) => new Date(a.created) - new Date(b.created) || i - j);
  const names = new Map(messages.flatMap(m => (m.calls ?? []).map((c, i) => [placeOf(m, i + 1), c.name])));
  return html`<div class="transcript">${said.map(([m, i]) =>
    html`<${Said} key=${i} message=${m} tool=${m.speaker === "tool" && names.get(placeOf(m))} artifacts=${artifacts} found=${!m.notice && found === placeOf(m)} />`)}</div>`;
}

// placeOf is where a message stands in its session, and a hit in it. A call stands where its
// result does.
export const placeOf = (m, index = m.index ?? 0) => `${m.turn}.${m.step}.${index}`;

function Said({message: m, tool, artifacts, found}) {
  if (m.notice) return html`<div class="message notice" dir="auto" title=${moment(m.created)}>${m.text}</div>`;
  if (m.speaker === "tool") return html`<${Folded} summary=${say("page.transcript.result_of", {tool: tool || say("page.transcript.a_tool")})} text=${linked(m.text ?? "", artifacts)} found=${found} />`;
  const calls = (m.calls ?? []).map((c, i) => html`<${Folded} key=${i} summary=${say("page.transcript.called", {tool: c.name})} text=${c.arguments} />`);
  if (!m.text) return calls.length ? html`<div>${calls}</div>` : null;
  return html`<div class=${found ? "said-by found" : "said-by"}>
    ${m.speaker === "user"
      ? html`<div class="message mine" dir="auto" title=${moment(m.created)}>${linked(m.text, artifacts)}</div>`
      : html`<div class="message reply" title=${moment(m.created)}><span class="who">${display(m.agent)}</span><${Text} text=${m.text} /></div>`}
    ${calls}
  </div>`;
}

function Folded({summary, text, found}) {
  return html`<details class=${found ? "tool found" : "tool"} open=${found}><summary>${summary}</summary><pre tabindex="0">${text}</pre></details>`;
}

// linked is what somebody wrote or a tool returned, with links to the files that came with it.
const linked = (text, artifacts) => text.split(/\b(a-[2-9a-z]{8})\b/).map(piece => artifacts.some(a => a.id === piece)
  ? html`<a href=${`/api/artifacts/${piece}`} download="">${piece}</a>` : piece);
