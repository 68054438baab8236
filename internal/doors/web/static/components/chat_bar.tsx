// What chat this is, and a new beginning.

import type {Chats} from "../stores/chats";
import type {Conversation} from "../stores/conversation";
import {say} from "../words";
import {DrawerButton} from "./chat_drawer";
import {Icon} from "./icon";
import {WorkButton} from "./work_button";

const focus = () => document.getElementById("text")?.focus();

export function ChatBar({conversation, chats}: {conversation: Conversation; chats: Chats}) {
  const act = async (text: string) => {
    await conversation.command(text);
    focus();
  };
  return <section class="bar" aria-label={say("page.this_chat")}>
    <DrawerButton chats={chats} />
    <h1 id="chat-name" class="chat-title" dir="auto">{chats.open.value?.title || say("page.chat_list.new_chat")}</h1>
    <button id="new" class="text" type="button" title={say("page.chat_bar.agent_forgets_conversation_begins")} onClick={() => act("/new")}><Icon name="rotate" /><span class="label">{say("page.chat_bar.start_over")}</span></button>
    <WorkButton conversation={conversation} />
  </section>;
}
