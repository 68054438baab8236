// Where the list of chats is: beside the chat, or, where there is no room, in a drawer.

import {html, signal, useRef} from "../ui.js";
import {language, say} from "../words.js";
import {later} from "./later.js";
import {useModal} from "./modal.js";

const ChatList = later(() => import("./chat_list.js"), "ChatList");

const room = matchMedia("(min-width: 62rem)");
const beside = signal(room.matches);
const drawn = signal(false);

room.addEventListener("change", () => {
  beside.value = room.matches;
  drawn.value = false;
});

export function ChatSide({chats}) {
  if (beside.value) return html`<nav id="chats" class="side" aria-label=${say("page.chats")} lang=${language}><${ChatList} chats=${chats} /></nav>`;
  return drawn.value && html`<${Drawer} chats=${chats} />`;
}

// DrawerButton opens the drawer, where there is one; it says whether something is new in it.
export function DrawerButton({chats}) {
  if (beside.value) return null;
  const unread = chats.list.value.filter(c => c.unread && !chats.isOpen(c)).length;
  return html`<button id="draw" class="small" type="button" lang=${language} onClick=${() => { drawn.value = true; }}>☰ ${say("page.chats")}
    ${unread > 0 && html` <span class="unread"><span aria-hidden="true">${unread}</span><span class="hidden">${say("page.new", {n: unread})}</span></span>`}</button>`;
}

function Drawer({chats}) {
  const dialog = useRef();
  useModal(dialog);
  return html`<dialog id="chats" class="drawer" lang=${language} aria-label=${say("page.chats")} ref=${dialog} onClose=${() => { drawn.value = false; }}
      onClick=${event => { if (event.target === dialog.current) dialog.current.close(); }}>
    <div class="drawer-head"><strong>${say("page.chats")}</strong><button class="small" type="button" onClick=${() => dialog.current.close()}>${say("page.close")}</button></div>
    <${ChatList} chats=${chats} />
  </dialog>`;
}
