// The chat that a task was asked for in. One's own on the page are a way there, to its card.

import type * as API from "../api_types";
import {me} from "../stores/account";
import {say} from "../words";

export function ChatLink({task: {id, origin}, title = origin.chat}: {task: API.Task; title?: string}) {
  if (!origin.chat) return <span class="muted">{say("page.chat_link.no_chat")}</span>;
  if (origin.channel !== "web") return <span dir="auto">{origin.channel}</span>;
  if (origin.person !== me.value?.id) return <span dir="auto">{title}</span>;
  return <a href={`/?chat=${encodeURIComponent(origin.chat)}#${id}`} dir="auto" title={title}>{title}</a>;
}
