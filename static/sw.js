/* Answers with the copy that a family kept, when the house itself does not answer, or a proxy answers in its place.
   Everything else goes its usual way. When the house says that a page is not for this device any more, its copy goes too. */
const IN_ITS_PLACE = [502, 504];
const kept = (request) => caches.match(request, { ignoreVary: true });
const forget = async (request) => (await caches.open("stories")).delete(request, { ignoreVary: true });
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !(request.mode === "navigate" || request.url.includes("/static/"))) return;
  const asked = fetch(request);
  event.waitUntil(asked.then((answer) =>
    (answer.type === "opaqueredirect" || [401, 403, 404].includes(answer.status)) && forget(request)).catch(() => {}));
  event.respondWith(asked.then(
    async (answer) => (IN_ITS_PLACE.includes(answer.status) && (await kept(request))) || answer,
    async () => (await kept(request)) ?? Response.error()));
});
