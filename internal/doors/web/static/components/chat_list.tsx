// The chats of a person, with what can be done with each.

import type * as API from "../api_types";
import {moment} from "../api";
import {may} from "../stores/account";
import {addressOf, type Chats, newChat} from "../stores/chats";
import {useEffect, useRef, useState} from "../ui";
import {say} from "../words";
import {Act} from "./act";
import {placeOf} from "./platform";
import {Icon} from "./icon";

export function ChatList({chats}: {chats: Chats}) {
  const list = chats.list.value, kept = list.filter(c => !c.archived || chats.isOpen(c)), archived = list.filter(c => !kept.includes(c));
  const item = (c: API.Chat) => <ChatItem key={c.session_id} chat={c} chats={chats} />;
  return <div class="chat-list">
    <a id="new-chat" class="new" href={newChat()}><Icon name="squarePen" />{say("page.chat_list.new_chat")}</a>
    <ul>{kept.map(item)}</ul>
    {archived.length > 0 && <details class="archived"><summary>{say("page.chat_list.archived", {n: archived.length})}</summary><ul>{archived.map(item)}</ul></details>}
    {may("GET /sessions") && <p><a class="muted" href="/sessions">{say("page.all_sessions")}</a></p>}
  </div>;
}

function ChatItem({chat: c, chats}: {chat: API.Chat; chats: Chats}) {
  const [naming, setNaming] = useState(false), more = useRef<HTMLDetailsElement>(null!);
  const open = chats.isOpen(c), title = c.title || say("page.chat_list.new_chat"), unread = open && !document.hidden ? 0 : c.unread;
  const close = () => {
    more.current.open = false;
    more.current.querySelector("summary")?.focus();
  };
  const act = (label: string, to: {pinned?: boolean; archived?: boolean}) => <Act key={label} label={say(label)} describe={`${say(label)}: ${title}`} run={async () => {
    await chats.change(c, to);
    if (more.current) close(); // it may stand elsewhere now
  }} />;
  return <li class={open ? "chat-item current" : "chat-item"} data-chat={c.route.chat}>
    {naming ? <Name chat={c} save={async name => {
      await chats.change(c, {name});
      setNaming(false);
    }} leave={() => setNaming(false)} /> : <><a href={addressOf(c.route, c.session_id)} aria-current={open ? "page" : undefined}>
      <span class="chat-title" dir="auto">{title}</span>
      {unread > 0 && <span class="unread"><span aria-hidden="true">{unread}</span><span class="hidden">{say("page.new", {n: unread})}</span></span>}
      <span class="chat-about">{c.pinned && <span title={say("page.chat_list.pinned")}>📌<span class="hidden">{say("page.chat_list.pinned")}</span></span>} {placeOf(c.route)}{moment(c.active)}</span>
    </a>
    {may("POST /api/chats/{id}") && <details class="more" ref={more} onKeyDown={event => { if (event.key === "Escape" && more.current.open) { event.preventDefault(); event.stopPropagation(); close(); } }}>
      <summary aria-label={say("page.chat_list.more_for", {title})}>⋯</summary>
      <div class="choices">
        <button class="small" type="button" aria-label={`${say("page.chat_list.rename")}: ${title}`} onClick={() => setNaming(true)}>{say("page.chat_list.rename")}</button>
        {act(c.pinned ? "page.chat_list.unpin" : "page.chat_list.pin", {pinned: !c.pinned})}
        {act(c.archived ? "page.chat_list.unarchive" : "page.chat_list.archive", {archived: !c.archived})}
      </div>
    </details>}</>}
  </li>;
}

function Name({chat: c, save, leave}: {chat: API.Chat; save: (name: string) => Promise<void>; leave: () => void}) {
  const field = useRef<HTMLInputElement>(null!), [wrong, setWrong] = useState("");
  useEffect(() => {
    field.current.focus();
    field.current.select();
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    save(field.current.value).catch(error => setWrong(error.message));
  };
  return <form class="chat-name" onSubmit={submit} onKeyDown={event => { if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); leave(); } }}>
    <input ref={field} aria-label={say("page.chat_list.name_of_the_chat")} defaultValue={c.title} placeholder={c.title} maxlength={80} dir="auto" />
    <button class="small" type="submit">{say("page.save")}</button>
    <span class="said">{wrong}</span>
  </form>;
}
