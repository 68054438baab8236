// A message of the person's own, and how far it has come.

import {html} from "../ui.js";
import {FileLink, WaitingFile} from "./file.js";
import {Meta} from "./meta.js";

const classes = {sending: "sending", unsent: "failed", refused: "failed"};

export function OwnMessage({entry, outgoing}) {
  const {message, attached} = entry;
  // A message without words has the names of its files for text: those stand below.
  const text = attached && entry.text === attached.map(({name}) => `📎 ${name}`).join("\n") ? "" : entry.text;
  const id = message?.id ?? entry.key.replace("message-", "");
  return html`<div class="message mine ${classes[message?.state] ?? ""}" data-message=${id} id=${entry.event ? `e${entry.event}` : undefined} tabindex=${entry.event ? "-1" : undefined} dir="auto">${text}
    ${message?.files?.map(file => html`<p class="file"><${WaitingFile} ...${file} /></p>`)}
    ${attached?.map(({id, name, type, size}) => html`<${FileLink} key=${id} href=${`/api/artifacts/${id}`} name=${name} type=${type} size=${size} />`)}
    ${message?.error || message?.state === "unsent" ? html`<div class="choices" dir="ltr">
      <span class="note">${message.error || "Not sent yet; it goes when errand is back"}</span>
      <button class="small" type="button" onClick=${() => outgoing.again(id)}>Send again</button>
      <button class="small" type="button" onClick=${() => outgoing.drop(id)}>Discard</button>
    </div>` : null}
    ${!message?.error && message?.state !== "unsent" && html`<${Meta} entry=${entry} text=${text ? () => text : undefined} />`}
  </div>`;
}
