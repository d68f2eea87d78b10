/* Answers with the copy that a family kept, when the house itself does not answer. Everything else goes its usual way. */
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !(request.mode === "navigate" || request.url.includes("/static/"))) return;
  event.respondWith(fetch(request).catch(async () =>
    (await caches.match(request, { ignoreVary: true })) ?? Response.error()));
});
