// Tokens, with what they are for and how long they hold.

import {moment} from "../api.js";
import {html} from "../ui.js";
import {Act} from "./act.js";

const kinds = {login: "Login", link: "Link to log in"};

export function TokenList({tokens, revoke}) {
  if (!tokens?.length) return null;
  return html`<ul class="plain">${tokens.map(t => html`<li class="row" key=${t.id}>
    <span>${kinds[t.kind] ?? "Token"}</span>${t.name && html`<span>${t.name}</span>`}
    ${t.scope && html`<span class="role">${t.scope.replaceAll(" ", ", ")}</span>`}
    <span class="muted">since ${moment(t.created)}, ${validity(t)}${t.used && `, used ${moment(t.used)}`}</span>
    <${Act} label="Revoke" describe=${`Revoke ${t.name || t.kind}`} run=${() => revoke(t)} />
  </li>`)}</ul>`;
}

function validity(t) {
  if (!t.expires) return "does not expire";
  return `${new Date(t.expires) < new Date() ? "expired" : "until"} ${moment(t.expires)}`;
}
