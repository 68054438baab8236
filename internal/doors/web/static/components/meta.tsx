// What can be done with a message, and when it was said: shown where the pointer or the focus is,
// and always to screen readers and where there is no pointer. Its room is kept, so nothing moves.

import {announce} from "../stores/announcer";
import type {Entry} from "../stores/conversation";
import {moment, whole, zone} from "../times";
import {type ComponentChildren, useMemo, useState} from "../ui";
import {language, say} from "../words";
import {Icon, type IconName} from "./icon";

export function Meta({entry, text, children}: {entry: Entry; text?: () => string; children?: ComponentChildren}) {
  const [said, setSaid] = useState(""), {at, event} = entry;
  // A chat is drawn anew with each message of it, and times take long to be written.
  const time = useMemo(() => at ? {iso: new Date(at).toISOString(), long: whole(at), short: moment(at)} : null, [at, language.value, zone.value]);
  const copy = async (text: () => string) => {
    const word = say(await copied(text()) ? "page.copied" : "page.not_copied");
    setSaid(word);
    announce(word);
    setTimeout(() => setSaid(""), 2000);
  };
  return <div class="meta" dir="ltr" lang={language}>
    {time && <time datetime={time.iso} title={time.long}>{time.short}</time>}
    {text && <MetaButton icon="copy" label={say("page.meta.copy_this_message")} act={() => copy(text)}>{said}</MetaButton>}
    {children}
    {event && <a href={`${location.pathname}${location.search}#e${event}`} title={say("page.meta.link_to_this_message")} aria-label={say("page.meta.link_to_this_message")}><Icon name="link" /></a>}
  </div>;
}

// MetaButton has an icon, and for a moment what came of it.
export function MetaButton({icon, label, act, children}: {icon: IconName; label: string; act: () => unknown; children?: ComponentChildren}) {
  return <button type="button" aria-label={label} title={label} onClick={act}>{children || <Icon name={icon} />}</button>;
}

// copied puts a text on the clipboard. A browser has none for a page that is neither on
// this machine nor under TLS: there it copies what is selected.
export async function copied(text: string) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text).then(() => true, () => false);
  const field = document.createElement("textarea"), before = document.activeElement;
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return done;
}
