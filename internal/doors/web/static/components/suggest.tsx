// What can stand where one writes: the commands after a slash, and the agents after an @.
// The focus stays in the field; arrows choose, Enter and Tab take, Escape leaves.

import type * as API from "../api_types";
import {ask, display} from "../api";
import {may} from "../stores/account";
import {announce} from "../stores/announcer";
import type {Conversation} from "../stores/conversation";
import {useLayoutEffect, useRef, useState} from "../ui";
import {language, say} from "../words";

interface Suggestion {
  key: string;
  name: string;
  about: string;
  text: string;
}

// asked finds what somebody is about to name: {sign, word, at} before the cursor.
function asked(field: HTMLTextAreaElement) {
  const before = field.value.slice(0, field.selectionStart);
  const [, command] = before.match(/^\s*\/([^\s/]*)$/) ?? [];
  if (command !== undefined) return {sign: "/", word: command.toLowerCase(), at: before.length - command.length - 1};
  const found = before.match(/(?:^|\s)@([\p{L}\p{N}_-]*)$/u);
  return found && {sign: "@", word: found[1].toLowerCase(), at: before.length - found[1].length - 1};
}

// useSuggestions has a field suggest: list is what to show, keys is asked first of every
// key, and returns whether it has taken it, and typed is to be called when something was.
export function useSuggestions(field: {current: HTMLTextAreaElement}, conversation: Conversation) {
  const [list, setList] = useState<Suggestion[]>([]), [chosen, setChosen] = useState(0), commands = useRef<API.Command[] | null>(null), said = useRef(0);
  const close = () => setList([]);
  const typed = async () => {
    const wanted = asked(field.current), mine = ++said.current;
    let found: Suggestion[] = [];
    if (wanted?.sign === "/" && may("GET /api/commands")) {
      commands.current ??= await ask<API.Command[]>("/api/commands").catch(() => null);
      found = (commands.current ?? []).filter(c => c.name.slice(1).startsWith(wanted.word)).map(c => ({key: c.name, name: c.usage, about: c.about, text: c.takes ? `${c.name} ` : c.name}));
    } else if (wanted?.sign === "@") {
      found = conversation.agents.value.filter(a => a.name.toLowerCase().startsWith(wanted.word)).map(a => ({key: a.name, name: display(a.name), about: a.description, text: `${display(a.name)} `}));
    }
    if (mine !== said.current) return; // somebody typed on
    setList(found);
    setChosen(0);
    if (found.length) announce(`${say("page.suggest.suggestions", {n: found.length})}: ${found[0].name}`);
  };
  const take = (one: Suggestion) => {
    const to = field.current, wanted = asked(to);
    if (wanted) to.setRangeText(one.text, wanted.at, to.selectionStart, "end");
    to.dispatchEvent(new Event("input", {bubbles: true})); // it is a draft now
    said.current++;
    close();
    to.focus();
  };
  const keys = (event: KeyboardEvent) => {
    if (!list.length || event.isComposing) return false;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step) {
      const next = (chosen + step + list.length) % list.length;
      setChosen(next);
      announce(`${list[next].name}: ${list[next].about}`);
    } else if (event.key === "Escape") {
      close();
    } else if (event.key === "Tab" || event.key === "Enter" && !event.shiftKey) {
      // What is typed in full is not suggested any more: Enter sends it.
      if (event.key === "Enter" && field.current.value.trim() === list[chosen].text.trim()) {
        close();
        return false;
      }
      take(list[chosen]);
    } else {
      return false;
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return {list, chosen, typed, keys, take, close};
}

export function Suggestions({list, chosen, take}: {list: Suggestion[]; chosen: number; take: (one: Suggestion) => void}) {
  const box = useRef<HTMLUListElement>(null!);
  useLayoutEffect(() => { box.current?.children[chosen]?.scrollIntoView({block: "nearest"}); }, [list, chosen]);
  if (!list.length) return null;
  return <ul id="suggestions" role="listbox" tabindex={-1} lang={language} aria-label={say("page.suggest.title")} ref={box}>
    {list.map((one, i) => <li key={one.key} id={`suggestion-${i}`} role="option" aria-selected={i === chosen ? "true" : "false"}
      onMouseDown={event => { event.preventDefault(); take(one); }}><strong>{one.name}</strong> <span class="muted">{one.about}</span></li>)}
  </ul>;
}
