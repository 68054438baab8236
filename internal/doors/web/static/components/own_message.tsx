// A message of the person's own, which the agent has read or is about to read.

import type {Conversation, Entry} from "../stores/conversation";
import {language, say} from "../words";
import {FileLink, WaitingFile} from "./file";
import {Meta, MetaButton} from "./meta";

export function OwnMessage({entry, conversation}: {entry: Entry; conversation: Conversation}) {
  const {message, attached} = entry;
  // A message without words has the names of its files for text: those stand below.
  const text = attached && entry.text === attached.map(({name}) => `📎 ${name}`).join("\n") ? "" : entry.text ?? "";
  const again = conversation.lastMine.value === entry && text && <MetaButton icon="pencil" label={say("page.own_message.edit_message_send_again")} act={() => { conversation.wanted.value = text; }} />;
  return <article class={`message mine${message?.state === "sending" ? " sending" : ""}`} data-message={entry.key.replace("message-", "")} id={entry.event ? `e${entry.event}` : undefined} tabindex={entry.event ? -1 : undefined}>
    <div class="bubble" dir="auto">
      <h2 class="hidden" lang={language} dir="auto">{say("page.you")}: </h2>{text}
      {message?.files?.map(file => <p class="file"><WaitingFile {...file} /></p>)}
      {attached?.map(({id, name, type, size}) => <FileLink key={id} href={`/api/artifacts/${id}`} name={name} type={type} size={size} />)}
    </div>
    <Meta entry={entry} text={text ? () => text : undefined}>{again}</Meta>
  </article>;
}
