// Who asks to be let in, and letting them in: without showing the code, as a name
// proves nothing, and the code that somebody says does.

import {messageOf, moment} from "../api";
import {announce} from "../stores/announcer";
import {nameOf} from "../stores/names";
import type {People} from "../stores/people";
import {useRef, useState} from "../ui";
import {say} from "../words";
import {Act} from "./act";
import {type Choice, Select} from "./select";

// on is a channel with the account of ours.
export const on = (i: {channel: string; account?: string}) => i.account ? `${i.channel}/${i.account}` : i.channel;

export function Approve({people}: {people: People}) {
  const code = useRef<HTMLInputElement>(null!);
  const [role, setRole] = useState("member");
  const [{said, good}, setSaid] = useState<{said: string; good?: boolean}>({said: ""});
  const tell = (said: string, good = false) => {
    setSaid({said, good});
    announce(said);
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    setSaid({said: ""});
    try {
      const person = await people.approve(code.current.value.trim(), role);
      code.current.value = "";
      tell(say("page.pairings.has_access_now", {name: person.name || person.id}), true);
    } catch (error) {
      tell(messageOf(error));
    }
  };
  return <form id="approve" class="row" onSubmit={submit}>
    <input id="code" aria-label={say("page.pairings.code")} placeholder={say("page.pairings.code_they_were_given")} maxlength={40} autocomplete="off" spellcheck={false} required ref={code} />
    <span id="as" class="row"><Role label={say("page.pairings.role")} role={role} roles={people.roles()} choose={setRole} /></span>
    <button class="small primary">{say("page.pairings.approve")}</button>
    <span id="approved" class={good ? "muted" : "said"}>{said}</span>
  </form>;
}

export function Role({label, role, roles, choose}: {label: string; role: string; roles: Choice[]; choose: (role: string) => void}) {
  return <Select aria-label={label} value={role} options={roles} choose={choose} />;
}

export function Pairings({people}: {people: People}) {
  const list = people.pairings.value;
  return <div id="pairings" class="cards">
    {list.map(p => <article class="card" key={p.code} data-name={p.name}>
      <div class="row"><span class="title" dir="auto">{p.name || say("page.pairings.no_name_given")}</span>{p.person && <span class="role">{say("page.pairings.known_already", {name: nameOf(p.person)})}</span>}</div>
      <div class="row muted">
        <span>{p.channel === "web" ? (p.address ? say("page.pairings.in_a_browser_at", {address: p.address}) : say("page.pairings.in_a_browser")) : `${on(p)} ${p.external_id}`}</span>
        <span>{say("page.pairings.requested_at_valid_until", {from: moment(p.created), until: moment(p.expires)})}</span>
        <Act label={say("page.pairings.deny")} describe={say("page.pairings.deny_name", {name: p.name})} end run={() => people.deny(p.code)} />
      </div>
    </article>)}
    {people.read.value && !list.length && <p class="muted">{say("page.pairings.no_requests_are_waiting", {address: location.origin})}</p>}
  </div>;
}
