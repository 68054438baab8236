// What makes the chat page an app that opens where errand cannot be reached: the browser
// keeps its shell, which says nothing of anybody. What errand answers is never kept, and as
// long as errand answers, the shell is what it answers.

export {}; // a module of its own

declare const self: ServiceWorkerGlobalScope;

const shell = "shell";

// What a page is made of has its version in its address: what is kept of it stays true.
const versioned = /^\/assets\/[^/]+\//;

const kept = /\.(js|mjs|css|svg|png)$/;

self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("activate", event => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", event => {
  const {request} = event, at = new URL(request.url);
  if (request.method !== "GET" || at.origin !== self.location.origin || at.pathname.startsWith("/api/")) return;
  if (request.mode === "navigate" ? at.pathname === "/" : kept.test(at.pathname) || at.pathname === "/manifest.json") event.respondWith(answer(event, at.pathname));
});

async function answer(event: FetchEvent, path: string) {
  const cache = await caches.open(shell), there = versioned.test(path) && await cache.match(path);
  if (there) return there;
  try {
    const response = await fetch(event.request);
    // Who is not logged in is led elsewhere: that is no part of it.
    if (response.ok && response.type === "basic" && !response.redirected) event.waitUntil(keep(cache, path, response.clone()).catch(() => {})); // there may be no room
    return response;
  } catch (error) {
    const found = await cache.match(path);
    if (found) return found;
    throw error;
  }
}

async function keep(cache: Cache, path: string, response: Response) {
  if (versioned.test(path) && !response.headers.get("Cache-Control")?.includes("immutable")) return; // it is another version's
  await cache.put(path, path === "/" ? response.clone() : response);
  if (path !== "/") return;
  const [now] = (await response.text()).match(/\/assets\/[^/]+\//) ?? [];
  for (const {url} of await cache.keys()) {
    const {pathname} = new URL(url);
    if (now && versioned.test(pathname) && !pathname.startsWith(now)) await cache.delete(pathname); // of the version before
  }
}

// What comes while nobody looks is told here, also when no page is open. It comes over the
// browser's push service, encrypted by errand.
self.addEventListener("push", event => event.waitUntil(tell(event.data?.json())));

async function tell(news?: {event: number; body: string; url: string}) {
  if (!news) return;
  const pages = await self.clients.matchAll({type: "window", includeUncontrolled: true});
  for (const page of pages) page.postMessage({told: news.event});
  if (pages.some(page => page.visibilityState === "visible")) return; // it is seen there
  await self.registration.showNotification("errand", {body: news.body, tag: `errand-${news.event}`, icon: "/icon_192.png", data: news.url});
}

// The browser has another subscription: errand puts it in the place of the one before.
self.addEventListener("pushsubscriptionchange", event => event.waitUntil(renew(event)));

async function renew({oldSubscription, newSubscription}: PushSubscriptionChangeEvent) {
  const key = async () => (await (await fetch("/api/me/push")).json()).key;
  const subscription = newSubscription ?? await self.registration.pushManager.subscribe({userVisibleOnly: true, applicationServerKey: await key()});
  const {endpoint, keys} = subscription.toJSON();
  await fetch("/api/me/push", {method: "PUT", headers: {"Content-Type": "application/json"}, body: JSON.stringify({endpoint, ...keys, replaces: oldSubscription?.endpoint})});
}

// What was told leads to the page: to one that shows the chat already, if there is one.
self.addEventListener("notificationclick", event => {
  event.notification.close();
  event.waitUntil(open(new URL(event.notification.data ?? "/", self.location.origin)));
});

async function open(at: URL) {
  if (at.origin !== self.location.origin) return;
  const chat = (address: URL) => address.pathname === "/" && !address.searchParams.has("session") ? address.searchParams.get("chat") || "main" : null;
  const page = (await self.clients.matchAll({type: "window"})).find(p => chat(new URL(p.url)) === chat(at));
  if (!page) return self.clients.openWindow(at.href);
  await page.focus();
  return page.navigate(at.href);
}
