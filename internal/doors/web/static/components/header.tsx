// What is around every page: where one can go, what waits, the search, and the menu under one's
// name. It shows only what this person may use. On a phone the places are a bar at the bottom.

import {about, load, may, me, personName, roleName, trouble} from "../stores/account";
import {Chats} from "../stores/chats";
import type {Conversation} from "../stores/conversation";
import {logOut} from "../stores/logout";
import {poll} from "../stores/poll";
import "../stores/title";
import {signal, useEffect, useLayoutEffect} from "../ui";
import {say} from "../words";
import {ChatSearch} from "./chat_search"; // at hand, so that no key is lost while it loads
import {Icon, type IconName} from "./icon";
import {Initials} from "./initials";
import {later} from "./later";
import {Side} from "./side";
import {Today} from "./today";

const Settings = later(() => import("./settings").then(module => module.Settings));

// A Place is a page, and the route that one has to be allowed to use to see it.
type Place = [needs: string, href: string, icon: IconName, name: () => string];

const places: Place[] = [
  ["GET /api/me", "/", "messageSquare", () => say("page.chat")],
  ["GET /tasks", "/tasks", "listChecks", () => say("page.tasks")],
  ["GET /questions", "/questions", "question", () => say("page.questions")],
  ["GET /sessions", "/sessions", "history", () => say("page.sessions")],
];
const mine: Place[] = [
  ["GET /usage", "/usage", "chartColumn", () => say("page.usage")],
  ["GET /tokens", "/tokens", "keyRound", () => say("page.header.tokens")],
];
const installation: Place[] = [
  ["GET /models", "/models", "cpu", () => say("page.header.models")],
  ["GET /people", "/people", "users", () => say("page.people")],
  ["GET /channels", "/channels", "plug", () => say("page.channels")],
  ["GET /tools", "/tools", "wrench", () => say("page.header.tools")],
  ["GET /audit", "/audit", "scrollText", () => say("page.header.audit")],
];

const often = 15000; // milliseconds between requests for the number of open questions

export const searchKeys = navigator.platform.startsWith("Mac") ? "⌘K" : "Ctrl K";

const settings = signal(false); // the dialog is open

const allowed = (list: Place[]) => list.filter(([needs]) => may(needs));
const current = (href: string) => location.pathname === href ? "page" : location.pathname.startsWith(`${href}/`) && href !== "/" ? "true" : undefined;

// lastChat is the address of the chat that the person was in last, for the way back from other pages.
const keyOfLast = () => `chat:${me.value?.id}`;
const lastChat = () => location.pathname === "/" ? location.search : localStorage.getItem(keyOfLast()) ?? "";

export function Header({conversation = null, chats: given}: {conversation?: Conversation | null; chats?: Chats}) {
  const chats = given ?? elsewhere();
  useLayoutEffect(() => { // before anybody can see the page and press a key
    const keys = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault(); // some browsers have a search there, too
      chats.searching.value = true;
    };
    document.addEventListener("keydown", keys);
    return () => document.removeEventListener("keydown", keys);
  }, []);
  useEffect(() => { poll(load, often, {reached: () => {}, failed: () => {}}, true); }, []);
  useEffect(() => { if (given && me.value) localStorage.setItem(keyOfLast(), location.search); }, [me.value]);
  useEffect(() => { if (!given && chats.searching.value) chats.load().catch(() => {}); }, [chats.searching.value]);
  return <>
    <header class="top">
      <a class="word" href={`/${lastChat()}`}>errand</a>
      <nav id="nav" aria-label={say("page.header.pages")}>{allowed(places).map(place => <PlaceLink key={place[1]} place={place} />)}</nav>
      <span id="connection" class="status">{trouble.value && <><Icon name="cloudOff" /> {trouble}</>}</span>
      {may("GET /api/chats") && <button id="find" class="find" type="button" aria-keyshortcuts="Control+K Meta+K" onClick={() => { chats.searching.value = true; }}>
        <Icon name="search" /><span class="label">{say("page.search")}</span> <kbd aria-hidden="true">{searchKeys}</kbd></button>}
      {me.value && <Menu />}
    </header>
    {chats.searching.value && <ChatSearch chats={chats} conversation={conversation} chat={new URLSearchParams(lastChat()).get("chat") ?? "main"} />}
    {settings.value && <Settings conversation={conversation} closed={() => { settings.value = false; }} />}
  </>;
}

// elsewhere returns the chats for the search on a page that shows none.
let others: Chats | undefined;
const elsewhere = () => others ??= new Chats({chat: "", session: null});

function PlaceLink({place: [, href, icon, name]}: {place: Place}) {
  const {waiting = 0, requests = 0} = me.value ?? {}, n = href === "/questions" ? waiting : href === "/people" ? requests : 0;
  return <a href={href === "/" ? `/${lastChat()}` : href} aria-current={current(href)}><Icon name={icon} />{name()}
    {n > 0 && <span class="count"><span aria-hidden="true">{n}</span><span class="hidden">{say(href === "/people" ? "page.header.requests_wait" : "page.header.wait_for_you", {n})}</span></span>}</a>;
}

function Menu() {
  const {id, name, role, login, requests: n = 0} = me.value!, called = personName({id, name});
  const openSettings = () => {
    document.getElementById("menu")?.hidePopover();
    document.getElementById("who")?.focus(); // where it returns to
    settings.value = true;
  };
  return <>
    <button id="who" class="account" type="button" popovertarget="menu"><Initials name={called} person /><span class="name">{called}</span>{n > 0 && <span class="count"><span aria-hidden="true">{n}</span><span class="hidden">, {say("page.header.requests_wait", {n})}</span></span>}<span class="hidden">, {roleName(role)}, {say("page.header.menu")}</span><Icon name="chevronDown" /></button>
    <nav id="menu" popover="auto" aria-label={called}>
      <p class="menu-who"><b dir="auto">{called}</b><span>{roleName(role)}</span></p>
      <Today />
      <div><button id="settings" type="button" onClick={openSettings}><Icon name="settings" />{say("page.settings.settings")}</button>{allowed(mine).map(place => <PlaceLink key={place[1]} place={place} />)}</div>
      <div>{allowed(installation).map(place => <PlaceLink key={place[1]} place={place} />)}
        {about.value.web_ui && <a href={about.value.web_ui} target="_blank" rel="noopener"><Icon name="externalLink" />Temporal<span class="hint">{say("page.header.new_tab")}</span></a>}</div>
      <div>{login === "cookie" ? <button id="log-out" type="button" onClick={leave}><Icon name="logOut" />{say("page.log_out")}</button> : <a href="/login.html"><Icon name="user" />{say("page.header.switch_user")}</a>}</div>
    </nav>
  </>;
}

async function leave() {
  await logOut();
  location.assign("/login.html");
}

// SettingsSide is the column beside the pages of settings: the same places as in the menu.
export function SettingsSide() {
  return <Side label={say("page.settings.settings")}>
    <h2>{say("page.header.mine")}</h2>
    {allowed(mine).map(place => <PlaceLink key={place[1]} place={place} />)}
    {allowed(installation).length > 0 && <h2>{say("page.header.installation")}</h2>}
    {allowed(installation).map(place => <PlaceLink key={place[1]} place={place} />)}
  </Side>;
}
