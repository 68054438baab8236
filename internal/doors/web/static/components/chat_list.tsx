// The chats of a person, the pinned ones first and the others by day. Each has a menu.

import type * as API from "../api_types";
import {may} from "../stores/account";
import {addressOf, type Chats, newChat} from "../stores/chats";
import {before, dayOf} from "../times";
import {useState} from "../ui";
import {say} from "../words";
import {ChatMenu, ChatName} from "./chat_menu";
import {Icon} from "./icon";
import {platform} from "./platform";

export function ChatList({chats}: {chats: Chats}) {
  const list = chats.list.value, kept = list.filter(c => !c.archived || chats.isOpen(c)), archived = list.filter(c => !kept.includes(c));
  const item = (c: API.Chat) => <ChatItem key={c.session_id} chat={c} chats={chats} />;
  return <div class="chat-list">
    <a id="new-chat" class="new" href={newChat()} aria-current={chats.isNew.value ? "page" : undefined}><Icon name="squarePen" />{say("page.chat_list.new_chat")}</a>
    {list.length === 0 && <p class="muted">{say("page.chat_list.listed_here")}</p>}
    {[...Map.groupBy(kept, whenOf)].map(([when, those]) => <section key={when}><h2>{say(when)}</h2><ul>{those.map(item)}</ul></section>)}
    {archived.length > 0 && <details class="archived"><summary>{say("page.chat_list.archived", {n: archived.length})}</summary><ul>{archived.map(item)}</ul></details>}
    {may("GET /sessions") && list.length > 0 && <p><a class="muted" href="/sessions">{say("page.all_sessions")}</a></p>}
  </div>;
}

// whenOf returns the heading for a chat by its last activity.
function whenOf({pinned, active}: API.Chat) {
  const day = dayOf(active), today = dayOf(new Date()), week = dayOf(Date.now() - 7 * 24 * 3600 * 1000);
  if (pinned) return "page.chat_list.pinned";
  if (day >= today) return "page.chat_list.today";
  if (day === before(today)) return "page.chat_list.yesterday";
  return day >= week ? "page.chat_list.last_week" : "page.chat_list.earlier";
}

function ChatItem({chat: c, chats}: {chat: API.Chat; chats: Chats}) {
  const [naming, setNaming] = useState(false), open = chats.isOpen(c), unread = open && !document.hidden ? 0 : c.unread;
  return <li class={open ? "chat-item current" : "chat-item"} data-chat={c.route.chat}>
    {naming ? <ChatName chat={c} chats={chats} leave={() => setNaming(false)} /> : <>
      <a href={addressOf(c.route, c.session_id)} aria-current={open ? "page" : undefined}>
        <span class="chat-title" dir="auto">{c.title || say("page.chat_list.new_chat")}</span>
        {c.waiting ? <span class="unread wait"><span aria-hidden="true">{c.waiting}</span><span class="hidden">{say("page.header.wait_for_you", {n: c.waiting})}</span></span>
          : unread > 0 ? <span class="unread dot"><span class="hidden">{say("page.new", {n: unread})}</span></span>
          : c.working && <span class="spin"><span class="hidden">{say("page.chat_list.at_work")}</span></span>}
        {c.route.channel !== "web" && <span class="chat-about">{platform(c.route.channel)}</span>}
      </a>
      <ChatMenu chat={c} chats={chats} rename={() => setNaming(true)} id={`menu-${c.session_id}`} />
    </>}
  </li>;
}
