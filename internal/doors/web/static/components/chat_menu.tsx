// The menu behind the three dots of a chat, and the field for its name.

import type * as API from "../api_types";
import {messageOf} from "../api";
import {may} from "../stores/account";
import {announce} from "../stores/announcer";
import type {Chats} from "../stores/chats";
import {type ComponentChildren, useEffect, useRef, useState} from "../ui";
import {language, say} from "../words";
import {Icon, type IconName} from "./icon";

interface MenuProps {
  chat: API.Chat;
  chats: Chats;
  rename: () => void;
  id: string; // unique on the page
  children?: ComponentChildren;
}

export function ChatMenu({chat: c, chats, rename, id, children}: MenuProps) {
  const button = useRef<HTMLButtonElement>(null!), menu = useRef<HTMLDivElement>(null!), title = c.title || say("page.chat_list.new_chat");
  const place = (event: {newState: string}) => {
    if (event.newState !== "open") return;
    const {left, bottom} = button.current.getBoundingClientRect();
    Object.assign(menu.current.style, {left: `${Math.min(left, innerWidth - 216)}px`, top: `${Math.min(bottom + 4, innerHeight - 48 - 40 * menu.current.childElementCount)}px`});
  };
  const item = (icon: IconName, label: string, run: () => unknown, name?: string) => <button class={name} type="button" onClick={async () => {
    menu.current.hidePopover();
    button.current.focus();
    try {
      await run();
    } catch (error) {
      announce(messageOf(error));
      alert(messageOf(error));
    }
    // The chat may stand elsewhere now, or be gone.
    requestAnimationFrame(() => { if (document.activeElement === document.body) (document.getElementById(`more-${id}`) ?? document.getElementById("new-chat"))?.focus(); });
  }}><Icon name={icon} />{say(label)}</button>;
  return <>
    <button id={`more-${id}`} class="icon-only more" type="button" popovertarget={id} ref={button} aria-label={say("page.chat_list.more_for", {title})}><Icon name="ellipsis" /></button>
    <div id={id} class="menu" popover="auto" lang={language} ref={menu} onBeforeToggle={place}>
      {children}
      {may("POST /api/chats/{id}") && <>
        {item("pencil", "page.chat_list.rename", rename)}
        {item("pin", c.pinned ? "page.chat_list.unpin" : "page.chat_list.pin", () => chats.change(c, {pinned: !c.pinned}))}
        {item("archive", c.archived ? "page.chat_list.unarchive" : "page.chat_list.archive", () => chats.change(c, {archived: !c.archived}))}
      </>}
      {may("DELETE /api/sessions/{id}") && item("trash", "page.delete", () => chats.remove(c), "danger")}
    </div>
  </>;
}

export function ChatName({chat: c, chats, leave}: {chat: API.Chat; chats: Chats; leave: () => void}) {
  const field = useRef<HTMLInputElement>(null!), [wrong, setWrong] = useState("");
  useEffect(() => {
    field.current.focus();
    field.current.select();
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    chats.change(c, {name: field.current.value}).then(leave, error => setWrong(messageOf(error)));
  };
  return <form class="chat-name" onSubmit={submit} onKeyDown={event => { if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); leave(); } }}>
    <input ref={field} aria-label={say("page.chat_list.name_of_the_chat")} defaultValue={c.title} placeholder={c.title} maxlength={80} dir="auto" />
    <button class="small" type="submit">{say("page.save")}</button>
    <span class="said">{wrong}</span>
  </form>;
}
