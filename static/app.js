/* Manners that HTML cannot have: polling that rests, a word when nobody answers, ideas, light and letters. */
document.documentElement.classList.add("scripts");

const say = (text) => {
  const line = document.querySelector(".say");
  if (line && line.textContent !== text) line.textContent = text;
};

const comfort = (ctx) =>
  ctx?.request.method === "POST" ? "Everything is still here: press again in a moment." : "We keep trying.";

/* A page for whoever is not signed in, or will be somebody else: what was kept here for another is not theirs */
if (document.querySelector("[data-forget]")) window.caches?.delete("stories");

document.addEventListener("htmx:config:request", (event) => {
  if (document.hidden && event.detail.ctx.request.method === "GET") event.preventDefault();
});
document.addEventListener("visibilitychange", () => {
  const waiting = document.querySelector(".status[hx-get]");
  if (!document.hidden && waiting && window.htmx) htmx.trigger(waiting, "wake");
});

document.addEventListener("htmx:response:error", ({ detail: { ctx } }) => {
  if (ctx.response.status === 422 || ctx.response.status === 429) return;
  const page = new DOMParser().parseFromString(ctx.text, "text/html");
  say(page.querySelector(".error p")?.textContent ?? `That didn’t work just now. ${comfort(ctx)}`);
});
document.addEventListener("htmx:error", ({ detail: { ctx } }) => {
  say(`The house can’t be reached just now. ${comfort(ctx)}`);
});
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx.swap !== "none") say("");
});

document.addEventListener("click", ({ target }) => {
  const idea = target.closest?.("[data-idea]");
  if (!idea) return;
  const field = document.querySelector("[name=idea]");
  field.value = idea.dataset.idea;
  field.focus();
});

document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (!form.matches(".look") || !submitter) return;
  event.preventDefault();
  const { name, value } = submitter;
  document.documentElement.dataset[name] = value;
  for (const button of document.querySelectorAll(`.look [name=${name}]`)) {
    button.setAttribute("aria-pressed", String(button.value === value));
  }
  const body = new URLSearchParams(new FormData(form));
  body.set(name, value);
  fetch(form.action, { method: "POST", body, redirect: "manual" })
    .catch(() => say("It holds on this page only: the house can’t be reached just now."));
});

// On a reader's device a story may be hidden while one looks elsewhere: no page comes back from memory unasked.
// `no-store` alone does not see to that.
if (document.documentElement.hasAttribute("data-reader")) {
  window.addEventListener("pagehide", () => { document.body.hidden = true; });
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
}

// Back at a form that was sent: a fresh one, with a fresh key. One that was only left keeps what was typed.
window.addEventListener("pageshow", (event) => {
  if (event.persisted && document.querySelector("form[hx-post] button:disabled")) location.reload();
});
