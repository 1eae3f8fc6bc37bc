"use strict";
// Without this script all steps and pictures stand below each other; with it they come one at a time.
(() => {
  let step = 0, shot = 0, all = false, timer = 0;
  const parts = name => [...document.querySelectorAll(`#lecture [data-${name}]`)];
  const lecture = () => document.getElementById("lecture");
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  function show() {
    const steps = parts("step"), shots = parts("shot");
    if (!steps.length) return;
    step = Math.max(0, Math.min(step, steps.length - 1));
    shot = Math.max(0, Math.min(shot, shots.length - 1));
    steps.forEach((part, i) => { part.hidden = !all && i !== step; });
    shots.forEach((part, i) => { part.hidden = i !== shot; });
    const of = lecture().dataset.of;
    lecture().querySelector("[data-at]").textContent = all ? "" : `${step + 1} ${of} ${steps.length}`;
    lecture().querySelector("[data-do=back]").disabled = all || step === 0;
    lecture().querySelector("[data-do=next]").disabled = all || step === steps.length - 1;
    lecture().querySelector("[data-do=all]").setAttribute("aria-pressed", String(all));
    const slider = document.getElementById("shot");
    if (slider) {
      slider.value = shot + 1;
      slider.setAttribute("aria-valuetext", shots[shot].querySelector("figcaption").textContent);
    }
  }

  function go(to) {
    step = to;
    const steps = parts("step"), own = steps[Math.max(0, Math.min(step, steps.length - 1))]?.dataset.picture;
    if (own !== undefined) { stop(); shot = Number(own); }
    show();
  }

  function stop() {
    clearInterval(timer); timer = 0;
    const button = lecture()?.querySelector("[data-do=play]");
    if (button?.dataset.play) button.textContent = button.dataset.play;
  }

  function play(button) {
    if (timer) { stop(); return; }
    button.dataset.play = button.textContent;
    button.textContent = button.dataset.stop;
    if (shot >= parts("shot").length - 1) shot = -1;
    timer = setInterval(() => {
      shot += 1; show();
      if (shot >= parts("shot").length - 1) stop();
    }, calm.matches ? 2000 : 700);
  }

  document.addEventListener("click", event => {
    const button = event.target.closest("#lecture [data-do]");
    if (!button) return;
    if (button.dataset.do === "back") go(step - 1);
    if (button.dataset.do === "next") go(step + 1);
    if (button.dataset.do === "all") { all = !all; show(); }
    if (button.dataset.do === "play") play(button);
  });
  document.addEventListener("input", event => {
    if (event.target.id === "shot") { stop(); shot = Number(event.target.value) - 1; show(); }
  });
  document.addEventListener("keydown", event => {
    // The arrows belong to whatever field or picture has the focus.
    if (!lecture() || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.closest("input, select, textarea, .scroll")) return;
    if (event.key === "ArrowRight") go(step + 1);
    if (event.key === "ArrowLeft") go(step - 1);
  });

  function begin() {
    if (!lecture()) return;
    stop(); step = 0; shot = 0; all = false;
    for (const part of document.querySelectorAll("#lecture .controls, #lecture .film-controls")) part.hidden = false;
    go(0);
  }
  document.addEventListener("content", begin);
  begin();
})();
