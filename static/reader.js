/* Reading: where we are, reading aloud with a voice of this device, and a screen that stays awake where it can. */
const article = document.querySelector(".story article");
const paragraphs = [...article.querySelectorAll("p[id]")];
const atUpperThird = () => {
  const line = innerHeight / 3;
  return Math.max(0, paragraphs.findLastIndex((paragraph) => paragraph.getBoundingClientRect().top <= line));
};

/* We got this far */
const far = document.querySelector(".far");
far.querySelector("label").hidden = true;
far.addEventListener("submit", async (event) => {
  event.preventDefault();
  const number = atUpperThird();
  far.elements.paragraph.value = number + 1;
  const body = new URLSearchParams(new FormData(far));
  const answer = await fetch(far.action, { method: "POST", body, redirect: "manual" }).catch(() => null);
  const kept = answer && (answer.ok || answer.type === "opaqueredirect");
  if (kept) paragraphs.forEach((paragraph, index) => paragraph.classList.toggle("here", index === number));
  say(kept ? "Kept. Next time it goes on from here." : "The house can’t be reached, so the place is not kept.");
  setTimeout(say, 4000, "");
});

/* Reading aloud */
const speeds = [0.7, 0.85, 1, 1.15];
const aloud = document.querySelector(".aloud");
const panel = document.querySelector(".speed");
let speed = 1, sentences = [], current = -1, saying, voice;

const findVoice = () => {
  const tongue = article.lang.split("-")[0];
  voice = speechSynthesis.getVoices().find((one) => one.localService && one.lang.toLowerCase().startsWith(tongue));
  aloud.disabled = !voice;
};
const split = (text) => window.Intl?.Segmenter
  ? [...new Intl.Segmenter(article.lang, { granularity: "sentence" }).segment(text)].map((part) => part.segment)
  : text.match(/[^.!?…]+[.!?…]*["”’»]*\s*/g) ?? [text];
const wrap = (paragraph) => {
  const parts = split(paragraph.textContent).map((text) => {
    const part = document.createElement("span");
    part.textContent = text;
    return part;
  });
  paragraph.replaceChildren(...parts);
  return parts;
};
const mark = (index) => {
  sentences[current]?.classList.remove("said");
  current = index;
  const sentence = sentences[index];
  sentence?.classList.add("said");
  const box = sentence?.getBoundingClientRect();
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (!box || (box.top > 60 && box.bottom < innerHeight * 0.7)) return;
  scrollBy({ top: box.top - innerHeight / 3, behavior: calm ? "auto" : "smooth" });
};
const stop = () => {
  saying = null;
  mark(-1);
  speechSynthesis.cancel();
  panel.hidden = true;
  aloud.setAttribute("aria-pressed", "false");
  aloud.lastElementChild.textContent = "Read aloud";
};
const speak = (index) => {
  if (index >= sentences.length) return stop();
  mark(index);
  const utterance = new SpeechSynthesisUtterance(sentences[index].textContent);
  Object.assign(utterance, { voice, lang: voice.lang, rate: speeds[speed] });
  saying = utterance;
  utterance.onend = () => { if (saying === utterance) speak(index + 1); };
  utterance.onerror = () => { if (saying === utterance) stop(); };
  speechSynthesis.speak(utterance);
};
const start = () => {
  if (!sentences.length) sentences = paragraphs.flatMap(wrap);
  panel.hidden = false;
  aloud.setAttribute("aria-pressed", "true");
  aloud.lastElementChild.textContent = "Stop";
  speak(sentences.indexOf(paragraphs[atUpperThird()].firstElementChild));
};

if (window.speechSynthesis) {
  findVoice();
  speechSynthesis.addEventListener?.("voiceschanged", findVoice);
  aloud.addEventListener("click", () => (current < 0 ? start() : stop()));
  panel.addEventListener("click", ({ target }) => {
    if (!target.dataset.speed) return;
    speed = Math.min(speeds.length - 1, Math.max(0, speed + Number(target.dataset.speed)));
    panel.querySelector("output").textContent = ["very slowly", "slowly", "as usual", "faster"][speed];
    saying = null;
    speechSynthesis.cancel();
    speak(current);
  });
  addEventListener("pagehide", stop);
}

/* Awake while somebody reads: ten minutes after the last touch the screen may sleep */
let lock, rest;
const wake = async () => {
  clearTimeout(rest);
  rest = setTimeout(() => lock?.release(), 600000);
  if (!document.hidden && (!lock || lock.released)) lock = await navigator.wakeLock.request("screen").catch(() => null);
};
if (navigator.wakeLock) {
  for (const name of ["scroll", "pointerdown", "visibilitychange"]) {
    document.addEventListener(name, wake, { passive: true });
  }
}
