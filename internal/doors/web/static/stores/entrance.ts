// The way in: whether this browser is somebody's, and asking to be let in.

import {ask, messageOf} from "../api";
import {signal} from "../ui";
import {say, type Words} from "../words";
import {announce} from "./announcer";
import {logOut} from "./logout";

const says: Words = {
  denied: () => say("page.entrance.your_request_was_denied"),
  expired: () => say("page.entrance.nobody_answered_time_or"),
};

const wrong = () => say("page.entrance.token_not_valid_wrong");

export class Entrance {
  state = signal("");      // as errand says; empty: not known yet
  name = signal("");
  asked = signal<{code: string; expires: string} | null>(JSON.parse(localStorage.getItem("asked") ?? "null")); // the code and until when it is valid
  result = signal("");
  #timer = 0;

  constructor() {
    if (location.search !== "?wrong") return;
    this.tell(wrong());
    history.replaceState(null, "", "/login.html");
  }

  tell(text: string) {
    this.result.value = text;
    if (text) announce(text);
  }

  // look finds out how it stands, again and again while somebody has to decide.
  async look() {
    clearTimeout(this.#timer);
    let wait = 2000;
    try {
      const {state, name} = await ask<{state: string; name: string}>("/login/state");
      if (this.state.value === "pending" && state === "approved") {
        localStorage.removeItem("asked");
        location.assign("/");
        return;
      }
      const told = says[state];
      if (state !== this.state.value && told) this.tell(told());
      this.name.value = name;
      this.state.value = state;
      if (state !== "pending") return;
    } catch {
      wait = 5000; // errand may be starting again
    }
    this.#timer = setTimeout(() => this.look(), wait);
  }

  async ask(name: string) {
    this.tell("");
    try {
      this.asked.value = await ask("/login/ask", {name});
      localStorage.setItem("asked", JSON.stringify(this.asked.value));
      this.state.value = "";
      await this.look();
    } catch (error) {
      this.tell(messageOf(error));
    }
  }

  // leave logs out, or gives up what was asked for.
  async leave() {
    await logOut();
    localStorage.removeItem("asked");
    this.asked.value = null;
    this.state.value = "";
    await this.look();
  }

  async token(token: string) {
    this.tell("");
    try {
      const response = await fetch("/login", {method: "POST", body: new URLSearchParams({token})});
      if (response.ok) {
        location.assign("/");
        return;
      }
      const answer = await response.json().catch(() => ({}));
      this.tell(response.status === 401 ? wrong() : answer.error?.message ?? say("page.errand_answered", {status: response.status}));
    } catch {
      this.tell(say("page.entrance.errand_does_not_answer"));
    }
  }
}
