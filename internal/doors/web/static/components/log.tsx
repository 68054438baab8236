// What was said in a chat, oldest first. The view follows its end, whatever grows in it, until the
// person scrolls up.

import {failed} from "../stores/account";
import type {Conversation, Entry as Said, Send} from "../stores/conversation";
import {cardAt, delegatedFor, inOrder} from "../stores/errands";
import {Fragment, useEffect, useLayoutEffect, useRef, useState} from "../ui";
import {language, say} from "../words";
import {Act} from "./act";
import {Day, dayOf, StartedOver} from "./day";
import {Icon} from "./icon";
import {later} from "./later";
import {Message} from "./message";
import {OwnMessage} from "./own_message";

// placeOf is how far down a view is, and how far down it can be.
const placeOf = ({scrollTop, scrollHeight, clientHeight}: Element) => ({top: scrollTop, end: scrollHeight - clientHeight});

// isUp reports whether a person scrolled up. A view also goes up when its end does, by as much.
const isUp = (now: ReturnType<typeof placeOf>, before: ReturnType<typeof placeOf>) => before.top - now.top > Math.max(0, before.end - now.end) + 1;

const Errands = later(() => import("./errands").then(module => module.Errands));

export function Log({conversation, send}: {conversation: Conversation; send: Send}) {
  const [away, setAway] = useState(""); // the entry that was the newest when somebody scrolled away
  const log = useRef<HTMLDivElement>(null!), latest = useRef<string | undefined>(undefined), pinned = useRef(true), view = useRef({top: 0, end: 0}), first = useRef<string | undefined>(undefined), newest = useRef<string | undefined>(undefined), height = useRef(0);
  const entries = conversation.entries.value;
  const last = entries.at(-1);
  latest.current = last?.key;

  useLayoutEffect(() => {
    const main = log.current.parentElement!;
    const toEnd = () => {
      if (pinned.current) main.scrollTop = main.scrollHeight;
      view.current = placeOf(main);
    };
    const scrolled = () => {
      const now = placeOf(main);
      if (now.end - now.top < 2) pinned.current = true;
      else if (isUp(now, view.current)) pinned.current = false;
      view.current = now;
      setAway(before => pinned.current ? "" : before || latest.current || "");
    };
    const grown = new ResizeObserver(toEnd);
    for (const part of [log.current, main]) grown.observe(part); // main shrinks when what is around it grows
    main.addEventListener("scroll", scrolled);
    return () => {
      grown.disconnect();
      main.removeEventListener("scroll", scrolled);
    };
  }, []);

  useLayoutEffect(() => {
    const main = log.current.parentElement!;
    if (isUp(placeOf(main), view.current)) pinned.current = false; // the event of the scroll is still to come
    // What one has said here, one wants to see. What comes from another device, maybe not.
    if (last?.kind === "mine" && !last.event && last.key !== newest.current) pinned.current = true;
    newest.current = last?.key;
    if (first.current && first.current !== entries[0]?.key && !pinned.current) main.scrollTop += main.scrollHeight - height.current;
    if (pinned.current) main.scrollTop = main.scrollHeight;
    first.current = entries[0]?.key;
    height.current = main.scrollHeight;
    view.current = placeOf(main);
  }, [entries]);

  // Somebody may have been led to a message, or to a task.
  useEffect(() => {
    const go = async () => {
      if (location.hash) conversation.drawAll();
      const [, event] = location.hash.match(/^#e(\d+)$/) ?? [];
      if (event && !await conversation.show(Number(event))) return;
      conversation.reveal(entry => entry.id === location.hash.slice(1));
      const there = await entryOf(location.hash.slice(1));
      if (!there) return;
      for (const before of log.current.querySelectorAll(".target")) before.classList.remove("target");
      there.classList.add("target");
      pinned.current = false;
      there.scrollIntoView({block: "center"});
      there.focus({preventScroll: true});
    };
    if (conversation.read.value) go().catch(failed);
    window.addEventListener("hashchange", go);
    return () => window.removeEventListener("hashchange", go);
  }, [conversation.read.value]);

  const fresh = away ? entries.slice(entries.findIndex(entry => entry.key === away) + 1).filter(entry => entry.kind !== "mine").length : 0;
  const jump = () => {
    pinned.current = true;
    const main = log.current.parentElement!;
    main.scrollTop = main.scrollHeight;
    log.current.focus({preventScroll: true}); // the button is gone
  };
  const anew = entries.findLastIndex(entry => entry.kind === "session");
  let day = "";
  const rows = inOrder(entries, conversation).map(i => {
    const entry = entries[i];
    const begins = entry.at && dayOf(entry.at) > day; // a message that waited may be older than what is above it
    if (begins) day = dayOf(entry.at);
    return <Fragment key={entry.key}>
      {begins && <Day at={entry.at!} />}
      <Row entries={entries} at={i} conversation={conversation} send={send} />
    </Fragment>;
  });
  // What is new is told by the announcer, once and when it is whole.
  return (
    <>
      <div id="log" role="log" aria-live="off" aria-label={say("page.log.conversation")} tabindex={0} ref={log}>
        {conversation.allDrawn && conversation.more.value && <div class="earlier" key="earlier"><Act label={say("page.log.earlier_messages")} run={() => conversation.earlier()} /></div>}
        {anew > 0 && <div key="past" class="past">{rows.slice(0, anew)}</div>}
        {rows.slice(Math.max(0, anew))}
      </div>
      {away && <div class="jump"><button id="newest" class="small" type="button" lang={language} onClick={jump}><Icon name="arrowDown" /> {fresh ? say("page.new", {n: fresh}) : say("page.log.newest")}</button></div>}
    </>
  );
}

// entryOf waits for an entry to be drawn: what draws the cards of tasks comes later.
async function entryOf(id: string) {
  for (let frames = 0; id && frames < 120; frames++) {
    const there = document.getElementById(id);
    if (there) return there;
    await new Promise(requestAnimationFrame);
  }
}

function Row({entries, at, conversation, send}: {entries: Said[]; at: number; conversation: Conversation; send: Send}) {
  const entry = entries[at];
  switch (entry.kind) {
    case "mine":
      return <OwnMessage entry={entry} conversation={conversation} />;
    case "task": { // it may be in the card of one above
      const ids = cardAt(entries, at, conversation);
      return ids.length > 0 ? <Errands ids={ids} conversation={conversation} /> : null;
    }
    case "session": // nothing was said before the first, nor after one that another follows
      return at > 0 && entries[at + 1]?.kind !== "session" ? <StartedOver at={entry.at!} agent={entry.who} /> : null;
  }
  return <Message entry={entry} asked={delegatedFor(entries, at, conversation)} conversation={conversation} send={send} />;
}
