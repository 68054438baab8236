// What was said in a chat, oldest first. The newest entry stays in sight, also while
// what is above it grows, unless somebody has scrolled away.

import {html, useLayoutEffect, useRef} from "../ui.js";
import {Act} from "./act.js";
import {Message} from "./message.js";
import {OwnMessage} from "./own_message.js";
import {TaskCard} from "./task.js";

const near = 80; // pixels from the end that count as there

export function Log({conversation, send}) {
  const log = useRef(), pinned = useRef(true), first = useRef(), newest = useRef(), height = useRef(0);
  const entries = conversation.entries.value;
  const last = entries.at(-1);

  useLayoutEffect(() => {
    const main = log.current.parentElement;
    const toEnd = () => { if (pinned.current) main.scrollTop = main.scrollHeight; };
    const scrolled = () => { pinned.current = main.scrollHeight - main.scrollTop - main.clientHeight < near; };
    const grown = new ResizeObserver(toEnd);
    for (const part of [log.current, main]) grown.observe(part); // main shrinks when what is around it grows
    main.addEventListener("scroll", scrolled);
    return () => {
      grown.disconnect();
      main.removeEventListener("scroll", scrolled);
    };
  }, []);

  useLayoutEffect(() => {
    const main = log.current.parentElement;
    if (last?.kind === "mine" && last.key !== newest.current) pinned.current = true; // what one has said, one wants to see
    newest.current = last?.key;
    if (first.current && first.current !== entries[0]?.key && !pinned.current) main.scrollTop += main.scrollHeight - height.current;
    if (pinned.current) main.scrollTop = main.scrollHeight;
    first.current = entries[0]?.key;
    height.current = main.scrollHeight;
  }, [entries]);

  // What is new is told by the announcer, once and when it is whole.
  return html`<div id="log" role="log" aria-live="off" aria-label="Conversation" tabindex="0" ref=${log}>
    ${conversation.more.value && html`<div class="earlier" key="earlier"><${Act} label="Earlier messages" run=${() => conversation.earlier()} /></div>`}
    ${entries.map(entry => html`<${Entry} key=${entry.key} entry=${entry} conversation=${conversation} send=${send} />`)}
  </div>`;
}

function Entry({entry, conversation, send}) {
  switch (entry.kind) {
    case "task":
      return html`<${TaskCard} id=${entry.id} tasks=${conversation.tasks} doing=${conversation.does(entry.id)} />`;
    case "mine":
      return html`<${OwnMessage} entry=${entry} outgoing=${conversation.outgoing} />`;
  }
  return html`<${Message} entry=${entry} conversation=${conversation} send=${send} />`;
}
