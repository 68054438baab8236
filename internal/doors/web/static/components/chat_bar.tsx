// What chat this is, who answers in it, and a new beginning.

import type * as API from "../api_types";
import {display} from "../api";
import type {Chats} from "../stores/chats";
import type {Conversation} from "../stores/conversation";
import {say} from "../words";
import {Act} from "./act";
import {DrawerButton} from "./chat_drawer";
import {Icon} from "./icon";
import {Select} from "./select";
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
    <AgentPicker agents={conversation.agents.value} active={conversation.agent.value} choose={name => act(`/agent ${name}`)} />
    <button id="new" class="text" type="button" title={say("page.chat_bar.agent_forgets_conversation_begins")} onClick={() => act("/new")}><Icon name="rotate" /><span class="label">{say("page.chat_bar.start_over")}</span></button>
    <WorkButton conversation={conversation} />
  </section>;
}

function AgentPicker({agents, active, choose}: {agents: API.AgentView[]; active?: API.AgentView; choose: (name: string) => void}) {
  if (!active) return null;
  const offered = agents.filter(a => a.talks || a === active);
  return <label class="muted" id="with">{say("page.chat_bar.with")} <Select id="agent" value={active.name} disabled={offered.length < 2} options={offered.map(a => [a.name, display(a.name), a.description])} choose={choose} /></label>;
}
