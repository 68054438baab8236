// Who asks to be let in, and letting them in: without showing the code, as a name
// proves nothing, and the code that somebody says does.

import {moment} from "../api.js";
import {announce} from "../stores/announcer.js";
import {html, useRef, useState} from "../ui.js";
import {Act} from "./act.js";

// on is a channel with the account of ours.
export const on = i => i.account ? `${i.channel}/${i.account}` : i.channel;

export function Approve({people}) {
  const code = useRef();
  const [role, setRole] = useState("member");
  const [{said, good}, setSaid] = useState({said: ""});
  const say = (said, good) => {
    setSaid({said, good});
    announce(said);
  };
  const submit = async event => {
    event.preventDefault();
    setSaid({said: ""});
    try {
      const person = await people.approve(code.current.value.trim(), role);
      code.current.value = "";
      say(`${person.name || person.id} is in.`, true);
    } catch (error) {
      say(error.message);
    }
  };
  return html`<form id="approve" class="row" onSubmit=${submit}>
    <input id="code" aria-label="Code" placeholder="the code they were told" maxlength="40" autocomplete="off" spellcheck=${false} required ref=${code} />
    <span id="as" class="row"><${Role} label="Role" role=${role} roles=${people.roles()} choose=${setRole} /></span>
    <button class="small primary">Let in</button>
    <span id="approved" class=${good ? "muted" : "said"}>${said}</span>
  </form>`;
}

export function Role({label, role, roles, choose}) {
  return html`<select aria-label=${label} value=${role} onChange=${event => choose(event.target.value)}>
    ${roles.map(([value, name]) => html`<option key=${value} value=${value} selected=${value === role}>${name}</option>`)}
  </select>`;
}

export function Pairings({people}) {
  const list = people.pairings.value;
  return html`<div id="pairings" class="cards">
    ${list.map(p => html`<article class="card" key=${p.code} data-name=${p.name}>
      <div class="row"><span class="title" dir="auto">${p.name || "somebody without a name"}</span>${p.person && html`<span class="role">known already: ${people.called(p.person)}</span>`}</div>
      <div class="row muted">
        <span>${p.channel === "web" ? `in a browser${p.address ? ` at ${p.address}` : ""}` : `${on(p)} ${p.external_id}`}</span>
        <span>asked at ${moment(p.created)}, until ${moment(p.expires)}</span>
        <${Act} label="Deny" describe=${`Deny ${p.name}`} end run=${() => people.deny(p.code)} />
      </div>
    </article>`)}
    ${people.read.value && !list.length && html`<p class="muted">Nobody is waiting.</p>`}
  </div>`;
}
