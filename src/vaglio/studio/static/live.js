"use strict";
// Forms work without this script: it only puts their answer into the page instead of loading a new one.
(() => {
  const parse = text => new DOMParser().parseFromString(text, "text/html");
  let asking = 0;

  // -- a new content in place of the old one ---------------------------------------------------------------------
  function keepOpen(before, after) {
    const key = part => part.querySelector("summary")?.textContent.trim() + (part.closest("[id]")?.id || "");
    const open = new Map([...before.querySelectorAll("details")].map(part => [key(part), part.open]));
    for (const part of after.querySelectorAll("details")) if (open.has(key(part))) part.open = open.get(key(part));
  }

  function place(page, address, move, to) {
    const before = document.getElementById("content"), after = page.getElementById("content");
    if (!after) { location.assign(address); return; }
    const focused = document.activeElement?.id, top = scrollY;
    keepOpen(before, after);
    before.replaceWith(after);
    const sides = [document.querySelector(".pages"), page.querySelector(".pages")];
    if (sides[0] && sides[1]) sides[0].replaceWith(sides[1]);
    document.title = page.title;
    const hash = to || new URL(address, location.href).hash.slice(1);
    const problem = after.querySelector(".problem[role=alert]:not([hidden])");
    if (problem) problem.scrollIntoView({ block: "center" });
    else if (move && hash && document.getElementById(hash)) document.getElementById(hash).scrollIntoView({ block: to ? "start" : "nearest" });
    else scrollTo(0, top);
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
    document.dispatchEvent(new CustomEvent("content"));
  }

  function lost() {
    if (document.getElementById("lost")) return;
    const said = document.createElement("p");
    said.id = "lost"; said.className = "problem"; said.setAttribute("role", "alert");
    said.textContent = say("The studio does not respond. Is it still running?");
    document.getElementById("content").prepend(said);
  }

  async function ask(address, options, move, to) {
    const mine = ++asking, content = document.getElementById("content");
    content.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(address, { credentials: "same-origin", ...options });
      const page = parse(await answer.text());
      if (mine !== asking) return;
      document.getElementById("lost")?.remove();
      if (answer.redirected) history.replaceState(null, "", answer.url);
      // The address of an answer has no part behind #; that of the question has.
      place(page, answer.redirected ? answer.url : address, move, to);
    } catch { if (mine === asking) { content.removeAttribute("aria-busy"); lost(); again(); } }
  }

  function visit(address) {
    history.pushState(null, "", address);
    ask(address, {}, true);
  }
  addEventListener("popstate", () => ask(location.href, {}, false));
  document.addEventListener("click", event => {
    const link = event.target.closest("a[data-live]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    visit(link.getAttribute("href"));
  });

  // -- forms -----------------------------------------------------------------------------------------------------
  document.addEventListener("submit", event => {
    const form = event.target;
    if (form.hasAttribute("data-whole")) return;
    event.preventDefault();
    const fields = new FormData(form, event.submitter || undefined);
    if (form.method === "get") { visit(`${form.action}?${new URLSearchParams(fields)}`); return; }
    const button = event.submitter || form.querySelector("button");
    if (button) button.disabled = true;
    ask(form.action, { method: "POST", body: new URLSearchParams(fields) }, true, form.dataset.to)
      .finally(() => { if (button) button.disabled = false; });
  });
  document.addEventListener("change", event => {
    if (event.target.matches("[data-now]")) event.target.form.requestSubmit();
  });

  // -- what is at work is looked at again -----------------------------------------------------------------------
  let timer = 0;
  function again() {
    clearTimeout(timer);
    const pauses = [...document.querySelectorAll("[data-again]")].map(part => Number(part.dataset.again));
    if (pauses.length) timer = setTimeout(look, Math.min(...pauses));
  }
  async function look() {
    // Whoever is filling in a form must not lose it: only the parts that are at work are replaced.
    const before = asking;
    try {
      const answer = await fetch(location.pathname + location.search, { credentials: "same-origin" });
      const page = parse(await answer.text());
      if (before !== asking) return;
      document.getElementById("lost")?.remove();
      for (const part of document.querySelectorAll("section:has([data-again]), section[data-again]")) {
        const fresh = part.id && page.getElementById(part.id);
        if (fresh) { keepOpen(part, fresh); part.replaceWith(fresh); }
      }
      document.dispatchEvent(new CustomEvent("content"));
    } catch { lost(); }
    again();
  }
  document.addEventListener("content", again);
  document.addEventListener("DOMContentLoaded", again);
})();
