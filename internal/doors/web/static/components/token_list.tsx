// Tokens, with what they are for and how long they hold.

import type * as API from "../api_types";
import {moment} from "../api";
import {say, type Words} from "../words";
import {Act} from "./act";

const kinds: Words = {login: () => say("page.token_list.login"), link: () => say("page.token_list.link_to_log_in")};

export function TokenList({tokens, revoke}: {tokens?: API.Token[]; revoke: (token: API.Token) => unknown}) {
  if (!tokens?.length) return null;
  const over = tokens.filter(isOver), valid = tokens.filter(t => !isOver(t));
  return <>
    <ul class="plain">{valid.map(t => <Row key={t.id} token={t} revoke={revoke} />)}</ul>
    {over.length > 0 && <details class="over"><summary>{say("page.token_list.over", {n: over.length})}</summary><ul class="plain">{over.map(t => <Row key={t.id} token={t} />)}</ul></details>}
  </>;
}

// isOver reports whether a token can no longer be used. A login link works once.
const isOver = (t: API.Token) => Boolean(t.expires && new Date(t.expires) < new Date()) || t.kind === "link" && Boolean(t.used);

function Row({token: t, revoke}: {token: API.Token; revoke?: (token: API.Token) => unknown}) {
  return <li class="token">
    <div class="row"><span>{kinds[t.kind]?.() ?? say("page.token_list.token")}</span>{t.name && <span>{t.name}</span>}
      {t.scope && <span class="role">{t.scope.replaceAll(" ", ", ")}</span>}</div>
    <span class="muted">{[say("page.since_time", {time: moment(t.created)}), validity(t), t.used && say("page.token_list.used", {time: moment(t.used)})].filter(Boolean).join(", ")}</span>
    {revoke && <Act label={say("page.token_list.revoke")} describe={say("page.token_list.revoke_name", {name: t.name || t.kind})} run={() => revoke(t)} />}
  </li>;
}

function validity(t: API.Token) {
  if (!t.expires) return say("page.token_list.does_not_expire");
  return new Date(t.expires) < new Date() ? say("page.token_list.expired", {time: moment(t.expires)}) : say("page.until", {time: moment(t.expires)});
}
