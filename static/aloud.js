/* Reading aloud: sentence by sentence, with a voice of this device, until the end or until it is time to sleep. */
const speeds = [0.7, 0.85, 1, 1.15];
const aloud = document.querySelector(".aloud");
const panel = document.querySelector(".speed");
const until = panel.querySelector(".until");
let speed = 1, sentences = [], current = -1, saying, voice, bed;

const findVoice = () => {
  const tongue = article.lang.split("-")[0];
  voice = speechSynthesis.getVoices().find((one) => one.localService && one.lang.toLowerCase().startsWith(tongue));
  aloud.disabled = !voice;
};
const split = (text) => window.Intl?.Segmenter
  ? [...new Intl.Segmenter(article.lang, { granularity: "sentence" }).segment(text)].map((part) => part.segment)
  : text.match(/[^.!?…]*[.!?…]+["”’»]*\s*|[^.!?…]+$/g) ?? [text];
const wrap = (paragraph) => {
  const texts = split(paragraph.textContent);
  const nodes = document.createDocumentFragment();
  nodes.append(...paragraph.childNodes);
  const parts = texts.map((text) => {
    const part = document.createElement("span");
    for (let left = text.length; left > 0 && nodes.firstChild;) left -= take(nodes.firstChild, left, part);
    return part;
  });
  paragraph.replaceChildren(...parts);
  return parts;
};
/* Moves a text or a stressed word into the part, or as much of its beginning as fits; how many characters that were */
const take = (node, most, part) => {
  const text = node.firstChild ?? node;
  if (text.length > most) {
    const after = text.splitText(most);
    if (node !== text) {
      const more = node.cloneNode();
      more.append(after);
      node.after(more);
    }
  }
  part.append(node);
  return text.length;
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
  clearTimeout(bed);
  mark(-1);
  speechSynthesis.cancel();
  panel.hidden = true;
  aloud.setAttribute("aria-pressed", "false");
  aloud.lastElementChild.textContent = "Read aloud";
};
const speak = (index) => {
  if (index >= sentences.length || bed === "now") return stop();
  mark(index);
  const utterance = new SpeechSynthesisUtterance(sentences[index].textContent);
  Object.assign(utterance, { voice, lang: voice.lang, rate: speeds[speed] });
  saying = utterance;
  utterance.onend = () => { if (saying === utterance) speak(index + 1); };
  utterance.onerror = () => { if (saying === utterance) stop(); };
  speechSynthesis.speak(utterance);
};
/* After so many minutes the sentence is said to its end, and then it is quiet */
const setBed = () => {
  clearTimeout(bed);
  bed = Number(until.value) && setTimeout(() => { bed = "now"; }, Number(until.value) * 60000);
};
const start = () => {
  if (!sentences.length) sentences = paragraphs.flatMap(wrap);
  panel.hidden = false;
  setBed();
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
  until.addEventListener("change", setBed);
  addEventListener("pagehide", stop);
}
