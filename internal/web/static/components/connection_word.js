// How a connection is, to a platform or to a server of tools, in words.

import {say} from "../words.js";

const words = {
  connecting: () => say("connecting"), connected: () => say("connected"), degraded: () => say("does not work just now"), logged_out: () => say("logged out"),
  replaced: () => say("taken over by another program"), down: () => say("down"), elsewhere: () => say("at another worker"), unknown: () => say("not known"),
};

export const connectionWord = state => words[state.replaceAll(" ", "_")]?.() ?? state;
