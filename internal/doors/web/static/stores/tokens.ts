// One's own tokens.

import type * as API from "../api_types";
import {ask} from "../api";
import {signal} from "../ui";
import {poll} from "./poll";

export class Tokens {
  list = signal<API.Token[]>([]);

  read = signal(false);

  refresh = poll(async () => {
    this.list.value = await ask<API.Token[]>("/api/me/tokens");
    this.read.value = true;
  }, 5000);

  async revoke(token: API.Token) {
    await ask(`/api/me/tokens/${encodeURIComponent(token.id)}`, undefined, "DELETE");
    await this.refresh();
  }
}
