// A message of the person's own, and how far it has come.

import {messageOf} from "../api";
import {announce} from "../stores/announcer";
import type {Conversation, Entry} from "../stores/conversation";
import type {Held} from "../stores/held";
import {useEffect, useRef, useState} from "../ui";
import {language, say} from "../words";
import {Act} from "./act";
import {FileLink, WaitingFile} from "./file";
import {Meta} from "./meta";

const classes: Partial<Record<string, string>> = {sending: "sending", unsent: "failed", refused: "failed"};

export function OwnMessage({entry, conversation}: {entry: Entry; conversation: Conversation}) {
  const {message, attached} = entry, {outgoing, held} = conversation;
  // A message without words has the names of its files for text: those stand below.
  const text = attached && entry.text === attached.map(({name}) => `📎 ${name}`).join("\n") ? "" : entry.text ?? "";
  const id = message?.id ?? entry.key.replace("message-", "");
  const waits = held.ids.value.has(id), last = conversation.lastMine.value === entry;
  const again = last && text && <button class="link" type="button" aria-label={say("page.own_message.edit_message_send_again")} onClick={() => { conversation.wanted.value = text; }}>{say("page.own_message.edit")}</button>;
  return <div class={`message mine ${classes[message?.state ?? ""] ?? ""}`} data-message={id} id={entry.event ? `e${entry.event}` : undefined} tabindex={entry.event ? -1 : undefined} dir="auto">
    <span class="hidden" lang={language} dir="auto">{say("page.you")}: </span>{text}
    {message?.files?.map(file => <p class="file"><WaitingFile {...file} /></p>)}
    {attached?.map(({id, name, type, size}) => <FileLink key={id} href={`/api/artifacts/${id}`} name={name} type={type} size={size} />)}
    {waits && <Waits id={id} text={text} held={held} />}
    {message?.error || message?.state === "unsent" ? <div class="choices" dir="ltr">
      <span class="note">{message.error || say("page.own_message.not_sent_yet_goes")}</span>
      <button class="small" type="button" onClick={() => outgoing.again(id)}>{say("page.send_again")}</button>
      <button class="small" type="button" onClick={() => outgoing.drop(id)}>{say("page.own_message.discard")}</button>
    </div> : null}
    {!message?.error && message?.state !== "unsent" && <Meta entry={entry} text={text ? () => text : undefined}>{again}</Meta>}
  </div>;
}

interface WaitsProps {
  id: string;
  text: string;
  held: Held;
}

// Waits says that no turn has taken a message yet: until then it can be changed.
function Waits({id, text, held}: WaitsProps) {
  const [editing, setEditing] = useState(false);
  const withdraw = async () => {
    await held.withdraw(id);
    announce(say("page.own_message.your_message_was_taken"));
    document.getElementById("text")?.focus();
  };
  return <div class="choices waits" dir="ltr" lang={language}>
    {editing ? <Edit id={id} text={text} held={held} leave={() => setEditing(false)} /> : (
      <>
        <span class="note">{say("page.waiting")}</span>
        {text && <button class="small" type="button" aria-label={say("page.own_message.edit_message_waits")} onClick={() => setEditing(true)}>{say("page.own_message.edit")}</button>}
        <Act label={say("page.own_message.take_back")} describe={say("page.own_message.take_back_message_waits")} run={withdraw} />
      </>
    )}
  </div>;
}

function Edit({id, text, held, leave}: WaitsProps & {leave: () => void}) {
  const field = useRef<HTMLTextAreaElement>(null!), [wrong, setWrong] = useState("");
  useEffect(() => {
    field.current.focus();
    return () => document.getElementById("text")?.focus();
  }, []);
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      await held.edit(id, field.current.value);
      leave();
    } catch (error) {
      setWrong(messageOf(error));
      announce(messageOf(error));
    }
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      leave();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      submit(event);
    }
  };
  return <form class="edit" onSubmit={submit} onKeyDown={key}>
    <textarea ref={field} rows={2} dir="auto" aria-label={say("page.own_message.your_message")} defaultValue={text}></textarea>
    <button class="small" type="submit">{say("page.save")}</button>
    <button class="small" type="button" onClick={leave}>{say("page.cancel")}</button>
    <span class="said">{wrong}</span>
  </form>;
}
