// The card of a person: what they may do, by what they are known, and their tokens.

import {moment} from "../api.js";
import {announce} from "../stores/announcer.js";
import {html, useState} from "../ui.js";
import {Act} from "./act.js";
import {NewToken} from "./new_token.js";
import {on, Role} from "./pairings.js";

export function Person({person: p, people}) {
  const [said, setSaid] = useState("");
  const choose = async role => {
    setSaid("");
    try {
      await people.setRole(p, role);
    } catch (error) {
      setSaid(error.message);
      announce(error.message);
      people.refresh();
    }
  };
  return html`<article class="card" data-person=${p.id}>
    <div class="row"><span class="title" dir="auto">${p.name || p.id}</span>${people.isMe(p) && html`<span class="role">you</span>`}
      <code class="muted">${p.id}</code><${Role} label=${`Role of ${p.name}`} role=${p.role} roles=${people.roles()} choose=${choose} />
      <span class="said">${said}</span></div>
    ${p.language && html`<p class="muted">speaks ${p.language}</p>`}
    <${Identities} person=${p} people=${people} />
    <${Tokens} person=${p} people=${people} />
    <div class="row"><${NewToken} person=${p} />
      ${!people.isMe(p) && html`<${Act} label="Remove" describe=${`Remove ${p.name || p.id}`} end run=${() => people.remove(p)} />`}</div>
  </article>`;
}

// Browsers are known by their logins.
function Identities({person: p, people}) {
  const known = (p.identities ?? []).filter(i => i.channel !== "web");
  if (!known.length) return null;
  return html`<ul class="plain">${known.map(i => html`<li class="row" key=${`${on(i)} ${i.external_id}`}>
    <span>${on(i)} ${i.external_id}</span>${i.name && html`<span class="muted">${i.name}</span>`}
    <${Act} label="Unlink" describe=${`Unlink ${on(i)} ${i.external_id}`} run=${() => people.unlink(p, i)} />
  </li>`)}</ul>`;
}

const kinds = {login: "Login", link: "Link to log in"};

function Tokens({person: p, people}) {
  if (!p.tokens?.length) return null;
  return html`<ul class="plain">${p.tokens.map(t => html`<li class="row" key=${t.id}>
    <span>${kinds[t.kind] ?? "Token"}</span>${t.name && html`<span>${t.name}</span>`}
    <span class="muted">since ${moment(t.created)}, ${validity(t)}</span>
    <${Act} label="Revoke" describe=${`Revoke ${t.name || t.kind}`} run=${() => people.revoke(t)} />
  </li>`)}</ul>`;
}

function validity(t) {
  if (!t.expires) return "does not expire";
  return `${new Date(t.expires) < new Date() ? "expired" : "until"} ${moment(t.expires)}`;
}
