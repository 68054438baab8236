// How a connection is, to a platform or to a server of tools, in words.

import {say, type Words} from "../words";

const words: Words = {
  connecting: () => say("page.connection_word.connecting"), connected: () => say("page.connection_word.connected"), degraded: () => say("page.connection_word.does_not_work_just"), logged_out: () => say("page.connection_word.logged_out"),
  replaced: () => say("page.connection_word.taken_over_another_program"), down: () => say("page.connection_word.down"), elsewhere: () => say("page.connection_word.at_another_worker"), unknown: () => say("page.not_known"),
};

export const connectionWord = (state: string) => words[state.replaceAll(" ", "_")]?.() ?? state;
