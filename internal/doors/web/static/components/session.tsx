// One session: who talked where, and what was said.

import type * as API from "../api_types";
import {display, moment} from "../api";
import {may, me, roleName} from "../stores/account";
import {nameOf} from "../stores/names";
import type {Sessions} from "../stores/sessions";
import {useLayoutEffect, useRef} from "../ui";
import {say} from "../words";
import {Act} from "./act";
import {Files} from "./file";
import {Plan} from "./plan";
import {place} from "./platform";
import {FilePreview} from "./preview";
import {stateName, titleOf} from "./session_list";
import {Transcript} from "./transcript";

export function Shown({sessions}: {sessions: Sessions}) {
  const at = useRef<HTMLElement>(null!), shown = sessions.shown.value;
  useLayoutEffect(() => {
    document.body.classList.toggle("one", sessions.id.value !== "");
    if (!shown) return;
    at.current.focus({preventScroll: true});
    const found = at.current.querySelector(".found");
    if (found) found.scrollIntoView({block: "center"});
    else at.current.scrollTop = 0;
  }, [sessions.id.value, sessions.found.value, shown]);
  if (!sessions.id.value) return null;
  return <section id="shown" tabindex={-1} aria-label={say("page.session.session")} ref={at}>
    <a class="back" href="#">← {say("page.all_sessions")}</a>
    {shown?.error && <p class="muted">{shown.error}</p>}
    {shown?.session && <Session {...shown} session={shown.session} sessions={sessions} />}
  </section>;
}

function Session({session: s, messages, name, artifacts, files, notices, role, tools, sessions}: Partial<API.Export> & {session: API.Session; sessions: Sessions}) {
  const file = (format: string) => `/api/sessions/${s.id}/export?format=${format}`;
  const mine = sessions.isMine(s.person);
  return (
    <>
      <div class="row"><h2 dir="auto">{titleOf(s)}</h2><span class={`state ${s.state}`}>{stateName(s.state)}</span></div>
      <p class="muted">{[s.title && display(s.agent), say("page.session.on_to", {name: mine ? say("page.you") : name || nameOf(s.person), place: place(s.route.channel, s.route.chat),
        from: moment(s.created), until: moment(s.active)})].filter(Boolean).join(" · ")}</p>
      {s.route.channel !== "web" && <p class="muted">{say("page.session.account", {account: `${s.route.channel}/${s.route.account}`})}</p>}
      {role && <details class="muted"><summary>{say("page.session.role_now", {role: roleName(role)})}</summary>{say("page.session.tools", {tools: (tools ?? []).join(", ") || say("page.session.none")})}</details>}
      <p class="muted"><code>{s.id}</code></p>
      <div class="row">
        {mine && s.route.channel === "web" && s.state !== "ended" && <a class="button small" href={`/?chat=${encodeURIComponent(s.route.chat ?? "")}`}>{say("page.session.open_the_chat")}</a>}
        <a class="button small" href={file("markdown")} download="">Markdown</a>
        <a class="button small" href={file("json")} download="">JSON</a>
        {may("DELETE /api/sessions/{id}") && (mine || me.value?.role === "master_admin") && <Act label={say("page.delete")} name="small danger" run={() => sessions.remove(s.id)} />}
      </div>
      {s.plan && <Plan plan={s.plan} named over />}
      <Files of={s.id} files={files} />
      <FilePreview />
      <Transcript messages={messages ?? []} notices={notices ?? []} artifacts={artifacts ?? []} found={sessions.found.value} />
    </>
  );
}
