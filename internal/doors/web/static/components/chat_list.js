// The chats of a person, with what can be done with each.

import {moment} from "../api.js";
import {may} from "../stores/account.js";
import {addressOf, newChat} from "../stores/chats.js";
import {html, useEffect, useRef, useState} from "../ui.js";
import {say} from "../words.js";
import {Act} from "./act.js";
import {placeOf} from "./platform.js";
import {SettingsButton} from "./settings.js";

export const searchKeys = navigator.platform.startsWith("Mac") ? "⌘K" : "Ctrl K";

export function ChatList({chats}) {
  const list = chats.list.value, kept = list.filter(c => !c.archived || chats.isOpen(c)), archived = list.filter(c => !kept.includes(c));
  const item = c => html`<${ChatItem} key=${c.session_id} chat=${c} chats=${chats} />`;
  return html`<div class="chat-list">
    <div class="chat-acts">
      <a id="new-chat" class="button small" href=${newChat()}>${say("page.chat_list.new_chat")}</a>
      <button id="find" class="small" type="button" aria-keyshortcuts="Control+K Meta+K" onClick=${() => { chats.searching.value = true; }}>${say("page.search")} <kbd>${searchKeys}</kbd></button>
    </div>
    <ul>${kept.map(item)}</ul>
    ${archived.length > 0 && html`<details class="archived"><summary>${say("page.chat_list.archived", {n: archived.length})}</summary><ul>${archived.map(item)}</ul></details>`}
    <p><${SettingsButton} /></p>
    ${may("GET /sessions") && html`<p><a class="muted" href="/sessions">${say("page.all_sessions")}</a></p>`}
  </div>`;
}

function ChatItem({chat: c, chats}) {
  const [naming, setNaming] = useState(false), more = useRef();
  const open = chats.isOpen(c), title = c.title || say("page.chat_list.new_chat"), unread = open && !document.hidden ? 0 : c.unread;
  const close = () => {
    more.current.open = false;
    more.current.querySelector("summary").focus();
  };
  const act = (label, to) => html`<${Act} key=${label} label=${say(label)} describe=${`${say(label)}: ${title}`} run=${async () => {
    await chats.change(c, to);
    if (more.current) close(); // it may stand elsewhere now
  }} />`;
  return html`<li class=${open ? "chat-item current" : "chat-item"} data-chat=${c.route.chat}>
    ${naming ? html`<${Name} chat=${c} save=${async name => {
      await chats.change(c, {name});
      setNaming(false);
    }} leave=${() => setNaming(false)} />` : html`<a href=${addressOf(c.route, c.session_id)} aria-current=${open ? "page" : undefined}>
      <span class="chat-title" dir="auto">${title}</span>
      ${unread > 0 && html`<span class="unread"><span aria-hidden="true">${unread}</span><span class="hidden">${say("page.new", {n: unread})}</span></span>`}
      <span class="chat-about">${c.pinned && html`<span title=${say("page.chat_list.pinned")}>📌<span class="hidden">${say("page.chat_list.pinned")}</span></span>`} ${placeOf(c.route)}${moment(c.active)}</span>
    </a>
    ${may("POST /api/chats/{id}") && html`<details class="more" ref=${more} onKeyDown=${event => { if (event.key === "Escape" && more.current.open) { event.preventDefault(); event.stopPropagation(); close(); } }}>
      <summary aria-label=${say("page.chat_list.more_for", {title})}>⋯</summary>
      <div class="choices">
        <button class="small" type="button" aria-label=${`${say("page.chat_list.rename")}: ${title}`} onClick=${() => setNaming(true)}>${say("page.chat_list.rename")}</button>
        ${act(c.pinned ? "page.chat_list.unpin" : "page.chat_list.pin", {pinned: !c.pinned})}
        ${act(c.archived ? "page.chat_list.unarchive" : "page.chat_list.archive", {archived: !c.archived})}
      </div>
    </details>`}`}
  </li>`;
}

function Name({chat: c, save, leave}) {
  const field = useRef(), [wrong, setWrong] = useState("");
  useEffect(() => {
    field.current.focus();
    field.current.select();
  }, []);
  const submit = event => {
    event.preventDefault();
    save(field.current.value).catch(error => setWrong(error.message));
  };
  return html`<form class="chat-name" onSubmit=${submit} onKeyDown=${event => { if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); leave(); } }}>
    <input ref=${field} aria-label=${say("page.chat_list.name_of_the_chat")} defaultValue=${c.title} placeholder=${c.title} maxlength="80" dir="auto" />
    <button class="small" type="submit">${say("page.save")}</button>
    <span class="said">${wrong}</span>
  </form>`;
}
