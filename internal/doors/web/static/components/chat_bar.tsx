// The bar of a chat: its name and its menu.

import type {Chats} from "../stores/chats";
import type {Conversation} from "../stores/conversation";
import {useState} from "../ui";
import {say} from "../words";
import {DrawerButton} from "./chat_drawer";
import {ChatMenu, ChatName} from "./chat_menu";
import {Icon} from "./icon";
import {WorkButton} from "./work_button";

export function ChatBar({conversation, chats}: {conversation: Conversation; chats: Chats}) {
  const [naming, setNaming] = useState(false), chat = chats.open.value;
  const startOver = async () => {
    await conversation.command("/new");
    document.getElementById("text")?.focus();
  };
  return <section class="bar" aria-label={say("page.this_chat")}>
    <DrawerButton chats={chats} />
    {chat && naming ? <ChatName chat={chat} chats={chats} leave={() => setNaming(false)} /> : <h1 id="chat-name" class="chat-title" dir="auto">{chat?.title || say("page.chat_list.new_chat")}</h1>}
    {chat && !naming && <ChatMenu chat={chat} chats={chats} rename={() => setNaming(true)} id="chat-menu">
      <button id="new" type="button" popovertarget="chat-menu" popovertargetaction="hide" title={say("page.chat_bar.agent_forgets_conversation_begins")} onClick={startOver}><Icon name="rotate" />{say("page.chat_bar.start_over")}</button>
    </ChatMenu>}
    <WorkButton conversation={conversation} />
  </section>;
}
