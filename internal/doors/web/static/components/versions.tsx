// Buttons that show the earlier and the later version of an answer.

import {announce} from "../stores/announcer";
import type {Conversation} from "../stores/conversation";
import type {Version} from "../stores/versions";
import {language, say} from "../words";
import {Icon} from "./icon";

export function Versions({version: {key, at, of}, conversation}: {version: Version; conversation: Conversation}) {
  const id = `versions-${key}`, words = (at: number) => say("page.versions.at_of", {at, of});
  const go = (to: number) => {
    conversation.choose(key, to);
    announce(words(to));
    requestAnimationFrame(() => { // the focused button was replaced
      const [earlier, later] = document.querySelectorAll<HTMLButtonElement>(`#${CSS.escape(id)} button`);
      ((to < at && to > 1) || to === of ? earlier : later)?.focus({preventScroll: true});
    });
  };
  return <span class="versions" id={id} lang={language}>
    <button type="button" aria-label={say("page.versions.earlier")} disabled={at === 1} onClick={() => go(at - 1)}><Icon name="chevronLeft" /></button>
    {words(at)}
    <button type="button" aria-label={say("page.versions.later")} disabled={at === of} onClick={() => go(at + 1)}><Icon name="chevronRight" /></button>
  </span>;
}
