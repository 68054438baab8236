// One's own tokens.

import {ask} from "../api.js";
import {signal} from "../ui.js";
import {poll} from "./poll.js";

export class Tokens {
  list = signal([]);

  refresh = poll(async () => { this.list.value = await ask("/api/me/tokens"); }, 5000);

  async revoke(token) {
    await ask(`/api/me/tokens/${encodeURIComponent(token.id)}`, undefined, "DELETE");
    await this.refresh();
  }
}
