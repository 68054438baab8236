// Logging out, on whichever page.

import {ask} from "../api";

// logOut ends the login of this browser. What errand had told its push service is still on
// its way there, or shown already: whoever is at the browser next reads none of it. What
// somebody has said about being told stays, so that they are told again once they are back.
export async function logOut() {
  await ask("/logout", {});
  const registration = await navigator.serviceWorker?.getRegistration();
  try {
    await (await registration?.pushManager?.getSubscription())?.unsubscribe();
  } catch (error) {
    console.warn("The browser's push service does not forget it:", error); // errand has, with the login
  }
  for (const shown of await registration?.getNotifications() ?? []) shown.close(); // no more come
}
