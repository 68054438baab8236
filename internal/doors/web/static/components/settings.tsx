// What a person has set for themselves, for this browser, and for the chat that is shown.

import type * as API from "../api_types";
import {ask, messageOf} from "../api";
import {may, me, reload} from "../stores/account";
import {announce} from "../stores/announcer";
import type {Conversation} from "../stores/conversation";
import {useEffect, useRef, useState} from "../ui";
import {language, languages, offered, say} from "../words";
import {useModal} from "./modal";
import {NotifySettings} from "./notify";
import {type Choice as Option, Select} from "./select";

// Settings is the dialog; conversation is the chat that is shown, if it is one of the page.
export function Settings({conversation, closed}: {conversation: Conversation | null; closed: () => void}) {
  const dialog = useRef<HTMLDialogElement>(null!), [wrong, setWrong] = useState("");
  useModal(dialog);
  const save = async (change: () => Promise<void>) => {
    setWrong("");
    try {
      await change();
      announce(say("page.settings.saved"));
    } catch (error) {
      setWrong(messageOf(error));
      announce(messageOf(error));
    }
  };
  const change = (to: {language?: string; time_zone?: string}) => save(async () => {
    await ask("/api/me", to);
    await reload();
  });
  const person = me.value, here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = [...new Set([here, person?.time_zone].filter(zone => zone !== undefined).filter(zone => zone !== ""))];
  return <dialog class="preferences" ref={dialog} lang={language} aria-label={say("page.settings.settings")} onClose={closed}
      onClick={event => { if (event.target === dialog.current) dialog.current.close(); }}>
    <div class="drawer-head"><h2>{say("page.settings.settings")}</h2><button class="small" type="button" onClick={() => dialog.current.close()}>{say("page.close")}</button></div>
    {may("POST /api/me") && (
      <>
        <Choice label={say("page.settings.language_these_pages_errands")} value={offered(person?.language)}
          options={[["", say("page.settings.as_the_browser")], ...Object.entries(languages)]} choose={tag => change({language: tag})} />
        <Choice label={say("page.settings.time_zone")} value={person?.time_zone ?? ""} options={[["", say("page.settings.not_set")], ...zones.map((zone): Option => [zone, zone])]}
          choose={zone => change({time_zone: zone})} />
      </>
    )}
    <Choice label={say("page.settings.colors_in_this_browser")} value={localStorage.getItem("theme") ?? ""} options={[["", say("page.settings.as_the_system")], ["light", say("page.settings.light")], ["dark", say("page.settings.dark")]]} choose={paint} />
    {conversation && <Busy conversation={conversation} save={save} />}
    <NotifySettings save={save} />
    <p class="said">{wrong}</p>
  </dialog>;
}

function Choice({label, value, options, choose}: {label: string; value: string; options: Option[]; choose: (value: string) => void}) {
  return <label class="field">{label}
    <Select value={value} options={options} choose={choose} />
  </label>;
}

function paint(theme: string) {
  if (theme) localStorage.setItem("theme", theme);
  else localStorage.removeItem("theme");
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

const usual = "usual"; // nobody has said otherwise

// Busy is what becomes of messages that come while an agent works, in this chat.
function Busy({conversation, save}: {conversation: Conversation; save: (change: () => Promise<void>) => Promise<void>}) {
  const [mode, setMode] = useState("");
  useEffect(() => {
    ask<API.Session[]>(`/api/sessions?chat=${encodeURIComponent(conversation.chat)}&limit=1`).then(([session]) => setMode(session ? session.busy || usual : ""), () => {});
  }, []);
  if (!mode) return null; // nothing was said here yet
  const choose = (next: string) => save(async () => {
    await conversation.command(`/busy ${next}`);
    setMode(next);
  });
  return <Choice label={say("page.settings.you_write_chat_while")} value={mode} choose={choose} options={[
    ...mode === usual ? [[usual, say("page.settings.as_is_usual_here")] as Option] : [], ["collect", say("page.settings.waits_answered_together")], ["queue", say("page.settings.waits_answered_one_one")], ["steer", say("page.settings.read_before_next_step")], ["interrupt", say("page.settings.ends_agent")]]} />;
}
