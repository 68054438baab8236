// Platforms, as they call themselves.

import {display} from "../api.js";

export const platform = channel => channel === "whatsapp" ? "WhatsApp" : display(channel);

// placeOf says where a chat is, if that is not here.
export const placeOf = route => route.channel === "web" ? "" : `${platform(route.channel)} · `;
