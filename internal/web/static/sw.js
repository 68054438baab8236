// What makes the chat page an app that opens where errand cannot be reached: the browser
// keeps its shell, which says nothing of anybody. What errand answers is never kept, and as
// long as errand answers, the shell is what it answers.

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

async function answer(event, path) {
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

async function keep(cache, path, response) {
  if (versioned.test(path) && !response.headers.get("Cache-Control").includes("immutable")) return; // it is another version's
  await cache.put(path, path === "/" ? response.clone() : response);
  if (path !== "/") return;
  const [now] = (await response.text()).match(/\/assets\/[^/]+\//) ?? [];
  for (const {url} of await cache.keys()) {
    const {pathname} = new URL(url);
    if (now && versioned.test(pathname) && !pathname.startsWith(now)) await cache.delete(pathname); // of the version before
  }
}

// What it told by itself, where a page cannot, leads to the page.
self.addEventListener("notificationclick", event => {
  event.notification.close();
  event.waitUntil(self.clients.openWindow(event.notification.data ?? "/"));
});
