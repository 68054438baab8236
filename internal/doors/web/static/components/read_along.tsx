// A chat of another platform: what was said there, to be read.

import type * as API from "../api_types";
import {ask} from "../api";
import {may} from "../stores/account";
import type {Chats} from "../stores/chats";
import {useEffect, useRef, useState} from "../ui";
import {language, say} from "../words";
import {platform} from "./platform";
import {Transcript} from "./transcript";

export function ReadAlong({session, chats}: {session: string; chats: Chats}) {
  const [shown, setShown] = useState<API.Export | null>(null), [wrong, setWrong] = useState(""), end = useRef<HTMLDivElement>(null!);
  const active = chats.open.value?.active;
  useEffect(() => {
    ask<API.Export>(`/api/sessions/${encodeURIComponent(session)}`).then(setShown, error => setWrong(error.message));
  }, [session, active]);
  const found = location.hash.slice(2); // somebody may have been led to a message
  useEffect(() => {
    const there = document.querySelector(".read-along .found");
    if (there) there.scrollIntoView({block: "center"});
    else end.current?.scrollIntoView({block: "end"});
  }, [shown]);
  const where = shown?.session.route.channel;
  if (where === "web") location.replace(`/?chat=${encodeURIComponent(shown?.session.route.chat ?? "")}`);
  return (
    <>
      <main>
        <div class="read-along" tabindex={0} role="region" aria-label={chats.open.value?.title || say("page.chats")}>
          {wrong && <p class="muted">{wrong}</p>}
          {shown && <Transcript messages={shown.messages ?? []} notices={shown.notices ?? []} artifacts={shown.artifacts ?? []} found={found} />}
          <div ref={end}></div>
        </div>
      </main>
      <footer>{shown && <p class="elsewhere" lang={language}>{say("page.read_along.chat_write_there_here", {platform: platform(shown.session.route.channel)})}
        {may("GET /sessions") && <> <a href={`/sessions#${shown.session.id}`}>{say("page.read_along.its_session")}</a></>}</p>}</footer>
    </>
  );
}
