// The card of a person: what they may do, by what they are known, and their tokens.

import type * as API from "../api_types";
import {messageOf} from "../api";
import {announce} from "../stores/announcer";
import {personName} from "../stores/account";
import {type People, personPath} from "../stores/people";
import {useState} from "../ui";
import {languageName, say} from "../words";
import {Act} from "./act";
import {NewToken} from "./new_token";
import {on, Role} from "./pairings";
import {TokenList} from "./token_list";

export function Person({person: p, people}: {person: API.PersonView; people: People}) {
  const [said, setSaid] = useState("");
  const choose = async (role: string) => {
    setSaid("");
    try {
      await people.setRole(p, role);
    } catch (error) {
      setSaid(messageOf(error));
      announce(messageOf(error));
      people.refresh();
    }
  };
  return <article class="card" data-person={p.id}>
    <div class="row"><span class="title" dir="auto">{personName(p)}</span>{people.isMe(p) && <span class="role">{say("page.you_lower")}</span>}
      <code class="muted">{p.id}</code><Role label={say("page.person.role_of", {name: personName(p)})} role={p.role} roles={people.roles()} choose={choose} />
      <span class="said">{said}</span></div>
    {p.language && <p class="muted">{say("page.person.language", {language: languageName(p.language)})}</p>}
    <Identities person={p} people={people} />
    <TokenList tokens={p.tokens} revoke={t => people.revoke(t)} />
    <div class="row"><NewToken path={`${personPath(p)}/tokens`} />
      {!people.isMe(p) && <Act label={say("page.remove")} describe={say("page.remove_name", {name: personName(p)})} end run={() => people.remove(p)} />}</div>
  </article>;
}

// Browsers are known by their logins.
function Identities({person: p, people}: {person: API.PersonView; people: People}) {
  const known = (p.identities ?? []).filter(i => i.channel !== "web");
  if (!known.length) return null;
  return <ul class="plain">{known.map(i => <li class="row" key={`${on(i)} ${i.external_id}`}>
    <span>{on(i)} {i.external_id}</span>{i.name && <span class="muted">{i.name}</span>}
    <Act label={say("page.unlink")} describe={say("page.person.unlink", {name: `${on(i)} ${i.external_id}`})} run={() => people.unlink(p, i)} />
  </li>)}</ul>;
}
