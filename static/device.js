/* What this device can do: stay awake while somebody reads, keep a copy for when the house sleeps. */
const tellWhatItCan = (line) => { line.textContent = line.dataset.can; };

/* Ten minutes after the last touch the screen may sleep */
let lock, rest;
const wake = async () => {
  clearTimeout(rest);
  rest = setTimeout(() => lock?.release(), 600000);
  if (!document.hidden && (!lock || lock.released)) lock = await navigator.wakeLock.request("screen").catch(() => null);
};
if (navigator.wakeLock) {
  tellWhatItCan(document.querySelector(".device .awake"));
  for (const name of ["scroll", "pointerdown", "visibilitychange"]) {
    document.addEventListener(name, wake, { passive: true });
  }
}

/* A copy: this page and what it is made of, in a cache that sw.js answers from when nobody else does */
const keep = document.querySelector(".device .keep");
const page = location.pathname;
const madeOf = () => [...new Set([
  ...[...document.querySelectorAll("link[href], script[src], img[src]")].map((one) => one.href || one.src),
  ...performance.getEntriesByType("resource").map((entry) => entry.name),
])].filter((url) => new URL(url).origin === location.origin && new URL(url).pathname.startsWith("/static/"));
const show = (kept) => {
  keep.hidden = false;
  keep.setAttribute("aria-pressed", String(kept));
  keep.textContent = kept ? "Kept here. Throw the copy away" : "Keep a copy on this device";
};
const keepCopy = async () => {
  await navigator.serviceWorker.register(keep.dataset.worker);
  const copies = await caches.open("stories");
  await copies.add(new Request(page, { headers: { Accept: "text/html" } }));
  await copies.addAll(madeOf());
  await navigator.serviceWorker.ready; // nobody would open the copy before
};
if (window.isSecureContext && navigator.serviceWorker && window.caches) {
  tellWhatItCan(document.querySelector(".device .offline"));
  const isKept = () => caches.match(page, { ignoreVary: true }).then(Boolean);
  isKept().then(show);
  keep.addEventListener("click", async () => {
    keep.disabled = true;
    try {
      if (await isKept()) await (await caches.open("stories")).delete(page, { ignoreVary: true });
      else await keepCopy();
    } catch {
      say("The copy could not be kept: the house can’t be reached, or this device has no room.");
    }
    keep.disabled = false;
    show(await isKept());
  });
}
