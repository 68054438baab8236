// Sessions, or where words were found.

import type * as API from "../api_types";
import {display, moment} from "../api";
import {nameOf} from "../stores/names";
import type {Sessions} from "../stores/sessions";
import {say, type Words} from "../words";
import {place} from "./platform";
import {placeOf} from "./transcript";

// stateName is the state of a session, for people.
const states: Words = {active: () => say("page.session_list.active"), suspended: () => say("page.session_list.suspended"), ended: () => say("page.session_list.ended")};

export const stateName = (state: string) => states[state]?.() ?? state;

// titleOf is what a session is called: as its chat, or as its agent.
export const titleOf = (session: API.Session) => session.title || display(session.agent);

export function SessionList({sessions}: {sessions: Sessions}) {
  return (
    <>
      <p id="said" class="muted">{sessions.says}</p>
      <div id="sessions" class="cards">{sessions.list.value.map(found => "excerpt" in found
        ? <Hit key={`${found.session_id}-${found.created}-${found.excerpt}`} hit={found} sessions={sessions} />
        : <Session key={found.id} session={found} sessions={sessions} />)}</div>
      {sessions.more.value && <p><button id="more" type="button" class="small" onClick={() => sessions.find(true)}>{say("page.older")}</button></p>}
    </>
  );
}

function Session({session: s, sessions}: {session: API.Session; sessions: Sessions}) {
  return <a class={sessions.id.value === s.id ? "card current" : "card"} href={`#${s.id}`} data-session={s.id}>
    <span class="row"><span class="title" dir="auto">{titleOf(s)}</span><span class={`state ${s.state}`}>{stateName(s.state)}</span><span class="when muted">{moment(s.active)}</span></span>
    <span class="row muted">{s.title && <span>{display(s.agent)}</span>}<span>{place(s.route.channel, s.route.chat)}</span><span>{s.turns === 1 ? say("page.session_list.one_turn") : say("page.session_list.turns", {n: s.turns})}</span>
      {!sessions.isMine(s.person) && <span>{nameOf(s.person)}</span>}</span>
  </a>;
}

function Hit({hit: h, sessions}: {hit: API.Hit; sessions: Sessions}) {
  const mine = sessions.isMine(h.person), at = placeOf(h);
  return <a class={sessions.id.value === h.session_id && sessions.found.value === at ? "card current" : "card"} href={`#${h.session_id}@${at}`} data-session={h.session_id}>
    <span class="row"><span class="title">{h.speaker !== "user" ? display(h.agent) : mine ? say("page.you") : nameOf(h.person)}</span><span class="when muted">{moment(h.created)}</span></span>
    <span class="excerpt" dir="auto">{h.excerpt}</span>
    <span class="row muted"><span>{place(h.channel, h.chat)}</span>{!mine && <span>{nameOf(h.person)}</span>}</span>
  </a>;
}
