// Tokens, with what they are for and how long they hold.

import {moment} from "../api.js";
import {html} from "../ui.js";
import {say} from "../words.js";
import {Act} from "./act.js";

const kinds = {login: () => say("Login"), link: () => say("Link to log in")};

export function TokenList({tokens, revoke}) {
  if (!tokens?.length) return null;
  return html`<ul class="plain">${tokens.map(t => html`<li class="row" key=${t.id}>
    <span>${kinds[t.kind]?.() ?? say("Token")}</span>${t.name && html`<span>${t.name}</span>`}
    ${t.scope && html`<span class="role">${t.scope.replaceAll(" ", ", ")}</span>`}
    <span class="muted">${[say("since {time}", {time: moment(t.created)}), validity(t), t.used && say("used {time}", {time: moment(t.used)})].filter(Boolean).join(", ")}</span>
    <${Act} label=${say("Revoke")} describe=${say("Revoke {name}", {name: t.name || t.kind})} run=${() => revoke(t)} />
  </li>`)}</ul>`;
}

function validity(t) {
  if (!t.expires) return say("does not expire");
  return new Date(t.expires) < new Date() ? say("expired {time}", {time: moment(t.expires)}) : say("until {time}", {time: moment(t.expires)});
}
