// Looking for a chat by its title, or for a message. What was found in one chat stands together,
// and leads to its message. With a keyboard: arrows go through what was found, and Enter opens it.

import type * as API from "../api_types";
import {display, literal, moment} from "../api";
import {addressOf, type Chats} from "../stores/chats";
import {useRef} from "../ui";
import {language, say} from "../words";
import {Icon} from "./icon";
import {useModal} from "./modal";
import {placeOf} from "./platform";
import {placeOf as whereIs} from "./transcript";

export function ChatSearch({chats}: {chats: Chats}) {
  const dialog = useRef<HTMLDialogElement>(null!), found = chats.found.value;
  useModal(dialog);
  const closed = () => {
    chats.searching.value = false;
    chats.find("");
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.preventDefault(); // in a search field it would only empty that
      dialog.current.close();
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const stops = [...dialog.current.querySelectorAll<HTMLElement>("input, li a")], at = stops.findIndex(stop => stop === document.activeElement);
    event.preventDefault();
    stops[Math.min(stops.length - 1, Math.max(0, at + (event.key === "ArrowDown" ? 1 : -1)))].focus();
  };
  const submit = (event: Event) => {
    event.preventDefault();
    dialog.current.querySelector<HTMLElement>("li a")?.click();
  };
  // A message of the chat that is open is no other page.
  const go = (event: MouseEvent) => {
    dialog.current.close();
    if ((event.currentTarget as HTMLAnchorElement).href === location.href) window.dispatchEvent(new HashChangeEvent("hashchange"));
  };
  return <dialog class="search" lang={language} ref={dialog} aria-label={say("page.chat_search.search_your_chats")} onClose={closed} onKeyDown={keys}
      onClick={event => { if (event.target === dialog.current) dialog.current.close(); }}>
    <form onSubmit={submit}>
      <Icon name="search" />
      <input type="search" maxlength={200} autocomplete="off" aria-label={say("page.chat_search.search_your_chats")} placeholder={say("page.chat_search.titles_was_said")} onInput={event => chats.find(event.currentTarget.value)} />
      <button class="small" type="button" onClick={() => dialog.current.close()}>{say("page.close")}</button>
    </form>
    {found && <><p class="muted">{found.says}</p>
      <ul class="found">{groupsOf(found, chats).map(group => <Group key={group.key} group={group} q={found.q} go={go} />)}</ul></>}
  </dialog>;
}

// A Group is a chat with what was found in it. Without an address its title was not looked for.
interface Group {
  key: string;
  title: string;
  about: string;
  href?: string;
  hits: API.Hit[];
}

function groupsOf({chats: found, hits}: {chats: API.Chat[]; hits: API.Hit[]}, chats: Chats) {
  const groups = new Map<string, Group>(), keyOf = (at: Pick<API.Route, "channel" | "chat">) => `${at.channel} ${at.chat}`;
  for (const c of found) groups.set(keyOf(c.route), {key: keyOf(c.route), title: c.title, about: `${placeOf(c.route)}${moment(c.active)}`, href: addressOf(c.route, c.session_id), hits: []});
  for (const h of hits) {
    const group = groups.get(keyOf(h)) ?? {key: keyOf(h), title: chats.titleOf(h) || h.chat, about: placeOf(h), hits: []};
    group.hits.push(h);
    groups.set(group.key, group);
  }
  return [...groups.values()];
}

function Group({group: {title, about, href, hits}, q, go}: {group: Group; q: string; go: (event: MouseEvent) => void}) {
  const head = <><Icon name="messageSquare" /><span class="title" dir="auto">{href ? marked(title, q) : title}</span><span class="muted">{about}</span></>;
  return <li>
    {href ? <a href={href} onClick={go}>{head}</a> : <p>{head}</p>}
    {hits.length > 0 && <ul>{hits.map(h => <li key={`${h.session_id} ${whereIs(h)}`}><a href={hitAddress(h)} onClick={go}>
      <span class="excerpt" dir="auto">{marked(h.excerpt, ...q.split(/[^\p{L}\p{N}\p{M}]+/u))}</span>
      <span class="muted">{h.speaker === "user" ? say("page.you") : display(h.agent)}, {moment(h.created)}</span></a></li>)}</ul>}
  </li>;
}

// hitAddress leads to the message in its chat.
const hitAddress = (h: API.Hit) => `${addressOf(h, h.session_id)}${h.channel !== "web" ? `#m${whereIs(h)}` : h.event ? `#e${h.event}` : ""}`;

// marked is a text with words marked where they begin, whatever their case.
function marked(text: string, ...words: string[]) {
  const wanted = words.filter(Boolean).map(literal);
  if (!wanted.length) return text;
  return text.split(new RegExp(`(${wanted.join("|")})`, "giu")).map((piece, i) => i % 2 ? <mark>{piece}</mark> : piece);
}
