// A message of the person's own, and how far it has come.

import {announce} from "../stores/announcer.js";
import {html, useEffect, useRef, useState} from "../ui.js";
import {language, say} from "../words.js";
import {Act} from "./act.js";
import {FileLink, WaitingFile} from "./file.js";
import {Meta} from "./meta.js";

const classes = {sending: "sending", unsent: "failed", refused: "failed"};

export function OwnMessage({entry, conversation}) {
  const {message, attached} = entry, {outgoing, held} = conversation;
  // A message without words has the names of its files for text: those stand below.
  const text = attached && entry.text === attached.map(({name}) => `📎 ${name}`).join("\n") ? "" : entry.text;
  const id = message?.id ?? entry.key.replace("message-", "");
  const waits = held.ids.value.has(id), last = conversation.lastMine.value === entry;
  const again = last && text && html`<button class="link" type="button" aria-label=${say("page.own_message.edit_message_send_again")} onClick=${() => { conversation.wanted.value = text; }}>${say("page.own_message.edit")}</button>`;
  return html`<div class="message mine ${classes[message?.state] ?? ""}" data-message=${id} id=${entry.event ? `e${entry.event}` : undefined} tabindex=${entry.event ? "-1" : undefined} dir="auto">
    <span class="hidden" lang=${language} dir="auto">${say("page.you")}: </span>${text}
    ${message?.files?.map(file => html`<p class="file"><${WaitingFile} ...${file} /></p>`)}
    ${attached?.map(({id, name, type, size}) => html`<${FileLink} key=${id} href=${`/api/artifacts/${id}`} name=${name} type=${type} size=${size} />`)}
    ${waits && html`<${Waits} id=${id} text=${text} held=${held} />`}
    ${message?.error || message?.state === "unsent" ? html`<div class="choices" dir="ltr">
      <span class="note">${message.error || say("page.own_message.not_sent_yet_goes")}</span>
      <button class="small" type="button" onClick=${() => outgoing.again(id)}>${say("page.send_again")}</button>
      <button class="small" type="button" onClick=${() => outgoing.drop(id)}>${say("page.own_message.discard")}</button>
    </div>` : null}
    ${!message?.error && message?.state !== "unsent" && html`<${Meta} entry=${entry} text=${text ? () => text : undefined}>${again}<//>`}
  </div>`;
}

// Waits says that no turn has taken a message yet: until then it can be changed.
function Waits({id, text, held}) {
  const [editing, setEditing] = useState(false);
  const withdraw = async () => {
    await held.withdraw(id);
    announce(say("page.own_message.your_message_was_taken"));
    document.getElementById("text")?.focus();
  };
  return html`<div class="choices waits" dir="ltr" lang=${language}>
    ${editing ? html`<${Edit} id=${id} text=${text} held=${held} leave=${() => setEditing(false)} />` : html`
      <span class="note">${say("page.waiting")}</span>
      ${text && html`<button class="small" type="button" aria-label=${say("page.own_message.edit_message_waits")} onClick=${() => setEditing(true)}>${say("page.own_message.edit")}</button>`}
      <${Act} label=${say("page.own_message.take_back")} describe=${say("page.own_message.take_back_message_waits")} run=${withdraw} />`}
  </div>`;
}

function Edit({id, text, held, leave}) {
  const field = useRef(), [wrong, setWrong] = useState("");
  useEffect(() => {
    field.current.focus();
    return () => document.getElementById("text")?.focus();
  }, []);
  const submit = async event => {
    event.preventDefault();
    try {
      await held.edit(id, field.current.value);
      leave();
    } catch (error) {
      setWrong(error.message);
      announce(error.message);
    }
  };
  const key = event => {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      leave();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      submit(event);
    }
  };
  return html`<form class="edit" onSubmit=${submit} onKeyDown=${key}>
    <textarea ref=${field} rows="2" dir="auto" aria-label=${say("page.own_message.your_message")} defaultValue=${text}></textarea>
    <button class="small" type="submit">${say("page.save")}</button>
    <button class="small" type="button" onClick=${leave}>${say("page.cancel")}</button>
    <span class="said">${wrong}</span>
  </form>`;
}
