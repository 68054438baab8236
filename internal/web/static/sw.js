// What makes the chat page an app that opens where errand cannot be reached: the browser
// keeps its shell, which says nothing of anybody. What errand answers is never kept, and as
// long as errand answers, the shell is what it answers.

const shell = "shell";

const kept = /\.(js|mjs|css|svg|png)$/;

self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("activate", event => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", event => {
  const {request} = event, at = new URL(request.url);
  if (request.method !== "GET" || at.origin !== self.location.origin || at.pathname.startsWith("/api/")) return;
  if (request.mode === "navigate" ? at.pathname === "/" : kept.test(at.pathname) || at.pathname === "/manifest.json") event.respondWith(answer(request, at.pathname));
});

async function answer(request, path) {
  const cache = await caches.open(shell);
  try {
    const response = await fetch(request);
    // Who is not logged in is led elsewhere: that is no part of it.
    if (response.ok && response.type === "basic" && !response.redirected) await cache.put(path, response.clone()).catch(() => {}); // there may be no room
    return response;
  } catch (error) {
    const found = await cache.match(path);
    if (found) return found;
    throw error;
  }
}

// What it told by itself, where a page cannot, leads to the page.
self.addEventListener("notificationclick", event => {
  event.notification.close();
  event.waitUntil(self.clients.openWindow(event.notification.data ?? "/"));
});
