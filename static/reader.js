/* Reading: where we are, and that we came to the end; printing in two sizes. */
const article = document.querySelector(".story article");
const paragraphs = [...article.querySelectorAll("p[id]")];
const numberOf = (paragraph) => Number(paragraph.id.slice(1));
const atUpperThird = () => {
  const line = innerHeight / 3;
  if (scrollY < 8) return 0;
  return Math.max(0, paragraphs.findLastIndex((paragraph) => paragraph.getBoundingClientRect().top <= line));
};

/* We got this far */
const far = document.querySelector(".far");
const keepPlace = (paragraph) => {
  const body = new URLSearchParams({ paragraph: numberOf(paragraph) });
  return fetch(far.action, { method: "POST", body, redirect: "manual" })
    .then((answer) => answer.ok || answer.type === "opaqueredirect", () => false);
};
far.addEventListener("submit", async (event) => {
  event.preventDefault();
  const here = paragraphs[atUpperThird()];
  const kept = await keepPlace(here);
  if (kept) for (const paragraph of paragraphs) paragraph.classList.toggle("here", paragraph === here);
  say(kept ? "Kept. Next time it goes on from here." : "The house can’t be reached, so the place is not kept.");
  setTimeout(say, 4000, "");
});

/* Who has the good-night in front of them for two seconds has read it: said once. "again!" is over with that, unless it
   was pressed in this very reading */
const last = paragraphs.at(-1);
const again = () => document.querySelector(".marks [name=again]")?.getAttribute("aria-pressed") === "true";
const wished = again();
if (last && (wished || !last.classList.contains("here"))) {
  let waiting;
  const end = new IntersectionObserver(([{ isIntersecting }]) => {
    clearTimeout(waiting);
    if (!isIntersecting) return;
    waiting = setTimeout(() => {
      end.disconnect();
      if (wished || !again()) keepPlace(last);
    }, 2000);
  });
  end.observe(document.querySelector(".story .night"));
}

/* Print */
document.addEventListener("click", ({ target }) => {
  const size = target.closest?.("[data-print]:is(button)")?.dataset.print;
  if (!size) return;
  document.documentElement.dataset.print = size;
  print();
});
