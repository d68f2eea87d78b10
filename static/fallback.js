/* The waiting page on a browser that runs scripts and cannot read htmx: look again every five seconds. Plain ES5. */
window.addEventListener("load", function () {
  if (window.htmx || !document.querySelector(".status[hx-get]")) return;
  window.setTimeout(function () { window.location.reload(); }, 5000);
});
