// A chat of another platform: what was said there, to be read.

import {ask} from "../api.js";
import {may} from "../stores/account.js";
import {html, useEffect, useRef, useState} from "../ui.js";
import {language, say} from "../words.js";
import {platform} from "./platform.js";
import {Transcript} from "./transcript.js";

export function ReadAlong({session, chats}) {
  const [shown, setShown] = useState(null), [wrong, setWrong] = useState(""), end = useRef();
  const active = chats.open.value?.active;
  useEffect(() => {
    ask(`/api/sessions/${encodeURIComponent(session)}`).then(setShown, error => setWrong(error.message));
  }, [session, active]);
  useEffect(() => { end.current?.scrollIntoView({block: "end"}); }, [shown]);
  const where = shown?.session.route.channel;
  if (where === "web") location.replace(`/?chat=${encodeURIComponent(shown.session.route.chat)}`);
  return html`
    <main>
      <div class="read-along" tabindex="0" role="region" aria-label=${chats.open.value?.title || say("page.chats")}>
        ${wrong && html`<p class="muted">${wrong}</p>`}
        ${shown && html`<${Transcript} messages=${shown.messages ?? []} notices=${shown.notices ?? []} artifacts=${shown.artifacts ?? []} />`}
        <div ref=${end}></div>
      </div>
    </main>
    <footer>${shown && html`<p class="elsewhere" lang=${language}>${say("page.read_along.chat_write_there_here", {platform: platform(where)})}
      ${may("GET /sessions") && html` <a href=${`/sessions#${shown.session.id}`}>${say("page.read_along.its_session")}</a>`}</p>`}</footer>`;
}
