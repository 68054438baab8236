// The search that Ctrl-K opens: chats and their messages, tasks, agents, and a new chat that begins
// with the search text. A message links to its place in the chat.

import type * as API from "../api_types";
import {display, literal, moment} from "../api";
import {me} from "../stores/account";
import {addressOf, type Chats, type Found, newChat} from "../stores/chats";
import type {Conversation} from "../stores/conversation";
import {draft, keepDraft} from "../stores/drafts";
import {type ComponentChildren, useRef} from "../ui";
import {language, say} from "../words";
import {Icon} from "./icon";
import {Initials} from "./initials";
import {useModal} from "./modal";
import {placeOf} from "./platform";
import {stateWord} from "./state_word";
import {placeOf as whereIs} from "./transcript";

// conversation is the chat on the page, if any. chat is the name of the last chat.
export function ChatSearch({chats, conversation, chat}: {chats: Chats; conversation: Conversation | null; chat: string}) {
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
  const submit = async (event: Event) => {
    event.preventDefault();
    await chats.looked; // what is listed may be of other words
    dialog.current.querySelector<HTMLElement>("li a")?.click();
  };
  // A message of the chat that is open is no other page.
  const go = (event: MouseEvent) => {
    dialog.current.close();
    if ((event.currentTarget as HTMLAnchorElement).href === location.href) window.dispatchEvent(new HashChangeEvent("hashchange"));
  };
  const write = (event: MouseEvent, text: string, to = chat) => {
    dialog.current.close();
    if (conversation?.chat === to) {
      event.preventDefault();
      conversation.wanted.value = text;
    } else if (me.value) {
      keepDraft(me.value.id, to, [draft(me.value.id, to).trimEnd(), text].filter(Boolean).join("\n"));
    }
  };
  return <dialog class="search" lang={language} ref={dialog} aria-label={say("page.chat_search.search_your_chats")} onClose={closed} onKeyDown={keys}
      onClick={event => { if (event.target === dialog.current) dialog.current.close(); }}>
    <form onSubmit={submit}>
      <Icon name="search" />
      <input type="search" maxlength={200} autocomplete="off" aria-label={say("page.chat_search.search_your_chats")} placeholder={say("page.chat_search.titles_was_said")} onInput={event => chats.find(event.currentTarget.value)} />
      <button class="small" type="button" onClick={() => dialog.current.close()}>{say("page.close")}</button>
    </form>
    {found && <p class="muted">{found.says}</p>}
    {found && <Results found={found} chats={chats} chat={chat} go={go} write={write} />}
    <p class="keys" aria-hidden="true"><span><kbd>↑</kbd> <kbd>↓</kbd> {say("page.chat_search.choose")}</span><span><kbd>Enter</kbd> {say("page.chat_search.open")}</span><span><kbd>Ctrl</kbd> <kbd>Enter</kbd> {say("page.header.new_tab")}</span></p>
  </dialog>;
}

interface ResultsProps {
  found: Found;
  chats: Chats;
  chat: string;
  go: (event: MouseEvent) => void;
  write: (event: MouseEvent, text: string, to?: string) => void;
}

function Results({found, chats, chat, go, write}: ResultsProps) {
  const {q, tasks, agents} = found, fresh = newChat();
  return <>
    <Section name="chats" title={say("page.chats")}>{groupsOf(found, chats).map(group => <Group key={group.key} group={group} q={q} go={go} />)}</Section>
    <Section name="tasks" title={say("page.tasks")}>{tasks.map(t => <li key={t.id}><a href={`/tasks/${t.id}`} onClick={go}>
      <Initials name={t.agent} /><span class="title" dir="auto">{marked(t.title, q)}</span><span class="muted">{stateWord(t.state)}, {moment(t.finished ?? t.created)}</span></a></li>)}</Section>
    <Section name="agents" title={say("page.chat_search.agents")}>{agents.map(name => <li key={name}>
      <a href={`/?chat=${encodeURIComponent(chat)}`} onClick={event => write(event, `${say("page.chat_search.ask", {agent: display(name)})} `)}>
        <Initials name={name} /><span class="title" dir="auto">{marked(display(name), q.replace(/^@/, ""))}</span><span class="muted">{say("page.chat_search.write")}</span></a></li>)}</Section>
    <Section name="do" title={say("page.chat_search.do")}><li><a href={fresh} onClick={event => write(event, q, new URLSearchParams(fresh.slice(1)).get("chat")!)}>
      <Icon name="squarePen" /><span class="title" dir="auto">{say("page.chat_search.new_chat", {q})}</span></a></li></Section>
  </>;
}

function Section({name, title, children}: {name: string; title: string; children: ComponentChildren}) {
  if (Array.isArray(children) && !children.length) return null;
  return <section data-group={name}><h2>{title}</h2><ul class="found">{children}</ul></section>;
}

// A Group is a chat with what was found in it. Without an address its title was not looked for.
interface Group {
  key: string;
  title: string;
  about: string;
  href?: string;
  hits: API.Hit[];
}

function groupsOf({chats: found, hits}: Found, chats: Chats) {
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
