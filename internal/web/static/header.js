// The head of every page: where one can go, and who one is. Only what this
// person may use is shown; the server refuses the rest in any case.

import {ask, make} from "./api.js";

const pages = [["GET /api/me", "/", "Chat"], ["GET /tasks", "/tasks", "Tasks"], ["GET /sessions", "/sessions", "Sessions"], ["GET /channels", "/channels", "Channels"], ["GET /people", "/people", "People"]];

// header fills the head in, and resolves to who this is and what errand is.
// may(pattern) tells whether this person may use a route.
export async function header() {
  const [me, info] = await Promise.all([ask("/api/me"), ask("/api/about")]);
  me.may = new Set(me.may);
  const links = pages.filter(([pattern]) => me.may.has(pattern)).map(([, href, name]) =>
    make("a", {href, "aria-current": location.pathname === href ? "page" : undefined}, name));
  if (info.web_ui) links.push(make("a", {href: info.web_ui, target: "_blank", rel: "noopener"}, "Temporal"));
  document.getElementById("nav").replaceChildren(...links);
  document.getElementById("who").replaceChildren(
    make("span", {class: "name"}, me.name || me.id), make("span", {class: "role"}, me.role_name),
    me.login === "cookie"
      ? make("button", {class: "link", type: "button", onclick: logout}, "Log out")
      : make("a", {href: "/login.html"}, "Not you?"));
  return {me, info, may: pattern => me.may.has(pattern)};
}

async function logout() {
  await ask("/logout", {});
  location.assign("/login.html");
}
