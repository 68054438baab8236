// A message of the person's own, which the agent has read or is about to read.

import {type Conversation, type Entry, idOf, wordsOf} from "../stores/conversation";
import {language, say} from "../words";
import {Blind, FileLink, isPicture, WaitingFile} from "./file";
import {Meta, MetaButton} from "./meta";
import {Edit} from "./queue";
import {Versions} from "./versions";

export function OwnMessage({entry, conversation}: {entry: Entry; conversation: Conversation}) {
  const {message, attached, version} = entry, text = wordsOf(entry), {editing, wanted} = conversation;
  const files = attached?.map(({id, name, type, size}) => <FileLink key={id} href={`/api/artifacts/${id}`} name={name} type={type} size={size} />);
  const last = conversation.lastMine.value?.key === entry.key;
  if (last && editing.value === idOf(entry)) {
    return <article class="message mine"><Edit text={text} verb={say("page.composer.send")} save={async to => to.trim() !== "" && conversation.replace(entry, to)}
      leave={() => { editing.value = ""; document.getElementById("text")?.focus(); }} late={words => { wanted.value = words; }} />{files}</article>;
  }
  return <article class={`message mine${message?.state === "sending" ? " sending" : ""}`} data-message={idOf(entry)} id={entry.event ? `e${entry.event}` : undefined} tabindex={entry.event ? -1 : undefined}>
    <div class="bubble" dir="auto">
      <h2 class="hidden" lang={language} dir="auto">{say("page.you")}: </h2>{text}
      {message?.files?.map(file => <p class="file"><WaitingFile {...file} /></p>)}
      {attached?.some(isPicture) && <Blind agent={conversation.agent.value?.name} />}
      {files}
    </div>
    <Meta entry={entry} text={text ? () => text : undefined}>
      {last && text && <MetaButton icon="pencil" label={say("page.own_message.edit_message_send_again")} act={() => { editing.value = idOf(entry); }} />}
      {version && <Versions version={version} conversation={conversation} />}
    </Meta>
  </article>;
}
