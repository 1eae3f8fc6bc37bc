"use strict";
// Without this script all steps and pictures stand below each other; with it they come one at a time.
(() => {
  let step = 0, frame = 0, all = false, timer = 0;
  const parts = name => [...document.querySelectorAll(`#trace [data-${name}]`)];
  const trace = () => document.getElementById("trace");
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  function show() {
    const steps = parts("step"), frames = parts("frame");
    if (!steps.length) return;
    step = Math.max(0, Math.min(step, steps.length - 1));
    frame = Math.max(0, Math.min(frame, frames.length - 1));
    steps.forEach((part, i) => { part.hidden = !all && i !== step; });
    frames.forEach((part, i) => { part.hidden = i !== frame; });
    trace().querySelector("[data-at]").textContent = all ? "" : say("step {n:,} of {of:,}", { n: step + 1, of: steps.length });
    trace().querySelector("[data-do=back]").disabled = all || step === 0;
    trace().querySelector("[data-do=next]").disabled = all || step === steps.length - 1;
    trace().querySelector("[data-do=all]").setAttribute("aria-pressed", String(all));
    const slider = document.getElementById("frame");
    if (slider) {
      slider.value = frame + 1;
      slider.setAttribute("aria-valuetext", frames[frame].querySelector("figcaption").textContent);
    }
  }

  function go(to) {
    step = to;
    const steps = parts("step"), own = steps[Math.max(0, Math.min(step, steps.length - 1))]?.dataset.picture;
    if (own !== undefined) { stop(); frame = Number(own); }
    show();
  }

  function stop() {
    clearInterval(timer); timer = 0;
    const button = trace()?.querySelector("[data-do=play]");
    if (button?.dataset.play) button.textContent = button.dataset.play;
  }

  function play(button) {
    if (timer) { stop(); return; }
    button.dataset.play = button.textContent;
    button.textContent = say("Stop");
    if (frame >= parts("frame").length - 1) frame = -1;
    timer = setInterval(() => {
      frame += 1; show();
      if (frame >= parts("frame").length - 1) stop();
    }, calm.matches ? 2000 : 700);
  }

  document.addEventListener("click", event => {
    const button = event.target.closest("#trace [data-do]");
    if (!button) return;
    if (button.dataset.do === "back") go(step - 1);
    if (button.dataset.do === "next") go(step + 1);
    if (button.dataset.do === "all") { all = !all; show(); }
    if (button.dataset.do === "play") play(button);
  });
  document.addEventListener("input", event => {
    if (event.target.id === "frame") { stop(); frame = Number(event.target.value) - 1; show(); }
  });
  document.addEventListener("keydown", event => {
    // The arrows belong to whatever field or picture has the focus.
    if (!trace() || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.closest("input, select, textarea, .scroll")) return;
    if (event.key === "ArrowRight") go(step + 1);
    if (event.key === "ArrowLeft") go(step - 1);
  });

  function begin() {
    if (!trace()) return;
    stop(); step = 0; frame = 0; all = false;
    for (const part of document.querySelectorAll("#trace .controls, #trace .animation-controls")) part.hidden = false;
    go(0);
  }
  document.addEventListener("content", begin);
  begin();
})();
