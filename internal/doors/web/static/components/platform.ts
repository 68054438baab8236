// Platforms, as they call themselves.

import type * as API from "../api_types";
import {display} from "../api";

export const platform = (channel: string) => channel === "whatsapp" ? "WhatsApp" : display(channel);

// placeOf says where a chat is, if that is not here.
export const placeOf = (route: Pick<API.Route, "channel">) => route.channel === "web" ? "" : `${platform(route.channel)} · `;
