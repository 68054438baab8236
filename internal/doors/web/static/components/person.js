// The card of a person: what they may do, by what they are known, and their tokens.

import {announce} from "../stores/announcer.js";
import {personName} from "../stores/account.js";
import {personPath} from "../stores/people.js";
import {html, useState} from "../ui.js";
import {languageName, say} from "../words.js";
import {Act} from "./act.js";
import {NewToken} from "./new_token.js";
import {on, Role} from "./pairings.js";
import {TokenList} from "./token_list.js";

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
    <div class="row"><span class="title" dir="auto">${personName(p)}</span>${people.isMe(p) && html`<span class="role">${say("page.you_lower")}</span>`}
      <code class="muted">${p.id}</code><${Role} label=${say("page.person.role_of", {name: personName(p)})} role=${p.role} roles=${people.roles()} choose=${choose} />
      <span class="said">${said}</span></div>
    ${p.language && html`<p class="muted">${say("page.person.language", {language: languageName(p.language)})}</p>`}
    <${Identities} person=${p} people=${people} />
    <${TokenList} tokens=${p.tokens} revoke=${t => people.revoke(t)} />
    <div class="row"><${NewToken} path=${`${personPath(p)}/tokens`} />
      ${!people.isMe(p) && html`<${Act} label=${say("page.remove")} describe=${say("page.remove_name", {name: personName(p)})} end run=${() => people.remove(p)} />`}</div>
  </article>`;
}

// Browsers are known by their logins.
function Identities({person: p, people}) {
  const known = (p.identities ?? []).filter(i => i.channel !== "web");
  if (!known.length) return null;
  return html`<ul class="plain">${known.map(i => html`<li class="row" key=${`${on(i)} ${i.external_id}`}>
    <span>${on(i)} ${i.external_id}</span>${i.name && html`<span class="muted">${i.name}</span>`}
    <${Act} label=${say("page.unlink")} describe=${say("page.person.unlink", {name: `${on(i)} ${i.external_id}`})} run=${() => people.unlink(p, i)} />
  </li>`)}</ul>`;
}
