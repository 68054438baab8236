// Looking for a chat by its title, or by what was said in it. With a keyboard: arrows go
// through what was found, and Enter opens it.

import {display, moment} from "../api";
import {addressOf, type Chats} from "../stores/chats";
import {useRef} from "../ui";
import {language, say} from "../words";
import {placeOf} from "./platform";
import {useModal} from "./modal";

export function ChatSearch({chats}: {chats: Chats}) {
  const dialog = useRef<HTMLDialogElement>(null!), found = chats.found.value;
  useModal(dialog);
  const closed = () => {
    chats.searching.value = false;
    chats.find("");
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.preventDefault(); // in a search field it would only empty that
      dialog.current.close();
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const stops = [...dialog.current.querySelectorAll<HTMLElement>("input, li a")], at = stops.findIndex(stop => stop === document.activeElement);
    event.preventDefault();
    stops[Math.min(stops.length - 1, Math.max(0, at + (event.key === "ArrowDown" ? 1 : -1)))].focus();
  };
  const submit = (event: Event) => {
    event.preventDefault();
    dialog.current.querySelector<HTMLElement>("li a")?.click();
  };
  return <dialog class="search" lang={language} ref={dialog} aria-label={say("page.chat_search.search_your_chats")} onClose={closed} onKeyDown={keys}
      onClick={event => { if (event.target === dialog.current) dialog.current.close(); }}>
    <form onSubmit={submit}>
      <input type="search" maxlength={200} autocomplete="off" aria-label={say("page.chat_search.search_your_chats")} placeholder={say("page.chat_search.titles_was_said")} onInput={event => chats.find(event.currentTarget.value)} />
      <button class="small" type="button" onClick={() => dialog.current.close()}>{say("page.close")}</button>
    </form>
    {found && <><p class="muted">{found.says}</p>
      <ul class="found">
        {found.chats.map(c => <li key={c.session_id}><a href={addressOf(c.route, c.session_id)}><span class="title" dir="auto">{c.title}</span>
          <span class="muted">{placeOf(c.route)}{moment(c.active)}</span></a></li>)}
        {found.hits.map(h => <li key={`${h.session_id} ${h.turn} ${h.step} ${h.index}`}><a href={addressOf(h, h.session_id)}>
          <span class="excerpt" dir="auto">{h.speaker === "user" ? say("page.you") : display(h.agent)}: {h.excerpt}</span>
          <span class="muted"><span dir="auto">{chats.titleOf(h)}</span> · {placeOf(h)}{moment(h.created)}</span></a></li>)}
      </ul></>}
  </dialog>;
}
