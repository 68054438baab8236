// The chat that a task was asked for in. One's own on the page are a way there, to its card.

import {me} from "../stores/account.js";
import {html} from "../ui.js";
import {say} from "../words.js";

export function ChatLink({task: {id, origin}, title = origin.chat}) {
  if (!origin.chat) return html`<span class="muted">${say("page.chat_link.no_chat")}</span>`;
  if (origin.channel !== "web") return html`<span dir="auto">${origin.channel}</span>`;
  if (origin.person !== me.value?.id) return html`<span dir="auto">${origin.chat}</span>`;
  return html`<a href=${`/?chat=${encodeURIComponent(origin.chat)}#${id}`} dir="auto" title=${title}>${title}</a>`;
}
