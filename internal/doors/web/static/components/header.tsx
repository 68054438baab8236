// The head of every page: where one can go, and who one is. Only what this person
// may use is shown.

import {about, may, type Me, me, personName, trouble} from "../stores/account";
import {logOut} from "../stores/logout";
import {useLayoutEffect, useRef} from "../ui";
import {say} from "../words";

const pages: [string, string, () => string][] = [["GET /api/me", "/", () => say("page.chat")], ["GET /tasks", "/tasks", () => say("page.tasks")], ["GET /questions", "/questions", () => say("page.questions")], ["GET /sessions", "/sessions", () => say("page.sessions")],
  ["GET /usage", "/usage", () => say("page.usage")], ["GET /tokens", "/tokens", () => say("page.header.tokens")], ["GET /channels", "/channels", () => say("page.channels")], ["GET /tools", "/tools", () => say("page.header.tools")], ["GET /models", "/models", () => say("page.header.models")], ["GET /people", "/people", () => say("page.people")], ["GET /audit", "/audit", () => say("page.header.audit")]];

export function Header() {
  const nav = useRef<HTMLElement>(null!);
  useLayoutEffect(() => showHere(nav.current), [me.value]);
  return <header>
    <h1><a href="/">errand</a></h1>
    <nav id="nav" aria-label={say("page.header.pages")} ref={nav}>
      {pages.filter(([pattern]) => may(pattern)).map(([, href, name]) =>
        <a key={href} href={href} aria-current={location.pathname === href ? "page" : location.pathname.startsWith(`${href}/`) ? "true" : undefined}>{name()}</a>)}
      {about.value.web_ui && <a href={about.value.web_ui} target="_blank" rel="noopener">Temporal</a>}
    </nav>
    <span id="connection" class="status">{trouble}</span>
    <span id="who" class="who">{me.value && <Who {...me.value} />}</span>
  </header>;
}

// showHere has the page that one is on in the middle of those there are: on a phone they are one
// line, longer than it.
function showHere(nav: HTMLElement) {
  const here = nav.querySelector<HTMLElement>("[aria-current]");
  if (here) nav.scrollLeft += here.getBoundingClientRect().left - nav.getBoundingClientRect().left - (nav.clientWidth - here.clientWidth) / 2;
}

function Who({id, name, role_name, login}: Me) {
  return (
    <>
      <span class="name">{personName({id, name})}</span><span class="role">{role_name}</span>
      {login === "cookie" ? <button class="link" type="button" onClick={leave}>{say("page.log_out")}</button> : <a href="/login.html">{say("page.header.switch_user")}</a>}
    </>
  );
}

async function leave() {
  await logOut();
  location.assign("/login.html");
}
