// Where the list of chats is: beside the chat, or, where there is no room, in a drawer.

import type {Chats} from "../stores/chats";
import {signal, useRef} from "../ui";
import {language, say} from "../words";
import {Icon} from "./icon";
import {later} from "./later";
import {useModal} from "./modal";

const ChatList = later(() => import("./chat_list").then(module => module.ChatList));

const room = matchMedia("(min-width: 62rem)");
const beside = signal(room.matches);
const drawn = signal(false);

room.addEventListener("change", () => {
  beside.value = room.matches;
  drawn.value = false;
});

// If the browser comes back to this page, the drawer is closed.
addEventListener("pagehide", () => { drawn.value = false; });

export function ChatSide({chats}: {chats: Chats}) {
  if (beside.value) return <nav id="chats" class="side" aria-label={say("page.chats")} lang={language}><ChatList chats={chats} /></nav>;
  return drawn.value && <Drawer chats={chats} />;
}

// DrawerButton opens the drawer, where there is one; it says whether something is new in it.
export function DrawerButton({chats}: {chats: Chats}) {
  if (beside.value) return null;
  const unread = chats.list.value.filter(c => c.unread && !chats.isOpen(c)).length;
  return <button id="draw" class="icon-only" type="button" lang={language} title={say("page.chats")} onClick={() => { drawn.value = true; }}><Icon name="menu" /><span class="hidden">{say("page.chats")}</span>
    {unread > 0 && <> <span class="unread"><span aria-hidden="true">{unread}</span><span class="hidden">{say("page.new", {n: unread})}</span></span></>}</button>;
}

function Drawer({chats}: {chats: Chats}) {
  const dialog = useRef<HTMLDialogElement>(null!);
  useModal(dialog);
  return <dialog id="chats" class="drawer" lang={language} aria-label={say("page.chats")} ref={dialog} onClose={() => { drawn.value = false; }}
      onClick={event => { if (event.target === dialog.current) dialog.current.close(); }}>
    <div class="drawer-head"><strong>{say("page.chats")}</strong><button class="icon-only" type="button" aria-label={say("page.close")} title={say("page.close")} onClick={() => dialog.current.close()}><Icon name="x" /></button></div>
    <ChatList chats={chats} />
  </dialog>;
}
