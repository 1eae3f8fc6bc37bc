"use strict";
// While a slider moves the class follows at once; when it rests, the reasons follow too.
(() => {
  const REST = 300;
  let timer = 0, busy = false, waiting = false, count = 0;

  const send = (form, address) => fetch(address, {
    method: "POST", credentials: "same-origin", body: new URLSearchParams(new FormData(form)),
  });

  async function answer(form) {
    // One question at a time: what is asked meanwhile is asked once, at the end.
    if (busy) { waiting = true; return; }
    busy = true;
    try {
      const given = await send(form, "/understand/answer"), data = await given.json();
      const problem = document.getElementById("row-problem");
      problem.hidden = given.ok;
      if (!given.ok) { problem.textContent = data.detail; return; }
      const predicted = data.predicted, away = document.querySelector("#why [data-of=interval]");
      document.querySelector("#why [data-of=decision]").textContent =
        typeof predicted === "number" ? number(predicted, ",.6g") : predicted;
      // The interval belongs to the number before; the reasons bring the new one.
      if (away) away.hidden = true;
      for (const line of document.querySelectorAll("#why .chances tr[data-label]")) {
        const chance = data.probabilities?.[line.dataset.label];
        if (chance === undefined) continue;
        line.querySelector("rect").setAttribute("width", 100 * chance);
        line.querySelector(".number").textContent = number(chance, ".1%");
      }
    } finally {
      busy = false;
      if (waiting) { waiting = false; answer(form); }
    }
  }

  async function explain(form) {
    const mine = ++count;
    const given = await send(form, "/understand/why");
    if (!given.ok || mine !== count) return;
    const page = new DOMParser().parseFromString(await given.text(), "text/html");
    const fresh = page.getElementById("why");
    if (fresh) document.getElementById("why").replaceWith(fresh);
    document.body.dataset.explained = String(mine);
  }

  function changed(form) {
    answer(form);
    clearTimeout(timer);
    timer = setTimeout(() => explain(form), REST);
  }

  document.addEventListener("input", event => {
    const form = event.target.closest("#values");
    if (!form) return;
    const other = event.target.dataset.for
      ? document.getElementById(event.target.dataset.for)
      : form.querySelector(`[data-for="${event.target.id}"]`);
    if (other && event.target.value !== "") other.value = event.target.value;
    changed(form);
  });
  document.addEventListener("click", event => {
    const button = event.target.closest("[data-make]");
    if (!button) return;
    const form = document.getElementById("values");
    for (const [name, value] of Object.entries(JSON.parse(button.dataset.make))) {
      const field = form.elements[`v.${name}`];
      if (!field) continue;
      field.value = value;
      const slide = form.querySelector(`[data-for="${field.id}"]`);
      if (slide) slide.value = value;
      field.closest(".field").classList.add("changed");
    }
    changed(form);
  });
})();
