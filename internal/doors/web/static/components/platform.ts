// Platforms, as they call themselves.

import type * as API from "../api_types";
import {display} from "../api";

export const platform = (channel: string) => channel === "whatsapp" ? "WhatsApp" : display(channel);

// place returns the platform and the name of a chat. The names of chats on the page are ids, which it
// leaves out.
export const place = (channel: string, chat = "") => channel === "web" ? platform(channel) : `${platform(channel)}, ${chat}`;

// placeOf says where a chat is, if that is not here.
export const placeOf = (route: Pick<API.Route, "channel">) => route.channel === "web" ? "" : `${platform(route.channel)} · `;
