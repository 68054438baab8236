// Looking for a chat by its title, or by what was said in it. With a keyboard: arrows go
// through what was found, and Enter opens it.

import {display, moment} from "../api.js";
import {addressOf} from "../stores/chats.js";
import {html, useRef} from "../ui.js";
import {language, say} from "../words.js";
import {placeOf} from "./platform.js";
import {useModal} from "./modal.js";

export function ChatSearch({chats}) {
  const dialog = useRef(), found = chats.found.value;
  useModal(dialog);
  const closed = () => {
    chats.searching.value = false;
    chats.find("");
  };
  const keys = event => {
    if (event.key === "Escape") {
      event.preventDefault(); // in a search field it would only empty that
      dialog.current.close();
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const stops = [...dialog.current.querySelectorAll("input, li a")], at = stops.indexOf(document.activeElement);
    event.preventDefault();
    stops[Math.min(stops.length - 1, Math.max(0, at + (event.key === "ArrowDown" ? 1 : -1)))].focus();
  };
  const submit = event => {
    event.preventDefault();
    dialog.current.querySelector("li a")?.click();
  };
  return html`<dialog class="search" lang=${language} ref=${dialog} aria-label=${say("page.chat_search.search_your_chats")} onClose=${closed} onKeyDown=${keys}
      onClick=${event => { if (event.target === dialog.current) dialog.current.close(); }}>
    <form onSubmit=${submit}>
      <input type="search" maxlength="200" autocomplete="off" aria-label=${say("page.chat_search.search_your_chats")} placeholder=${say("page.chat_search.titles_was_said")} onInput=${event => chats.find(event.target.value)} />
      <button class="small" type="button" onClick=${() => dialog.current.close()}>${say("page.close")}</button>
    </form>
    ${found && html`<p class="muted">${found.says}</p>
      <ul class="found">
        ${found.chats.map(c => html`<li key=${c.session_id}><a href=${addressOf(c.route, c.session_id)}><span class="title" dir="auto">${c.title}</span>
          <span class="muted">${placeOf(c.route)}${moment(c.active)}</span></a></li>`)}
        ${found.hits.map(h => html`<li key=${`${h.session_id} ${h.turn} ${h.step} ${h.index}`}><a href=${addressOf(h, h.session_id)}>
          <span class="excerpt" dir="auto">${h.speaker === "user" ? say("page.you") : display(h.agent)}: ${h.excerpt}</span>
          <span class="muted"><span dir="auto">${chats.titleOf(h)}</span> · ${placeOf(h)}${moment(h.created)}</span></a></li>`)}
      </ul>`}
  </dialog>`;
}
