"use strict";
// A file is sent as it is, and not as a form: so it can be of any size, and is written to disk while it arrives.
(() => {
  const MOST_SAID = 100;
  function prepare() {
    const drop = document.getElementById("drop"), input = document.getElementById("file");
    if (!drop || drop.dataset.ready) return;
    drop.dataset.ready = "yes";
    input.addEventListener("change", () => { if (input.files.length) send(drop, input.files[0]); });
    for (const kind of ["dragenter", "dragover"]) {
      drop.addEventListener(kind, event => { event.preventDefault(); drop.classList.add("over"); });
    }
    drop.addEventListener("dragleave", () => drop.classList.remove("over"));
    drop.addEventListener("drop", event => {
      event.preventDefault();
      drop.classList.remove("over");
      if (event.dataTransfer.files.length) send(drop, event.dataTransfer.files[0]);
    });
  }

  async function send(drop, file) {
    const progress = document.getElementById("upload-progress"), problem = document.getElementById("upload-problem");
    problem.hidden = true;
    progress.hidden = false;
    progress.className = "working";
    progress.textContent = say("Reading {name} …", { name: file.name.slice(0, MOST_SAID) });
    try {
      const joint = drop.dataset.address.includes("?") ? "&" : "?";
      const address = `${drop.dataset.address}${joint}name=${encodeURIComponent(file.name)}`;
      const answer = await fetch(address, { method: "POST", body: file, credentials: "same-origin" });
      if (answer.ok) { location.assign(drop.dataset.then || "/table"); return; }
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      problem.textContent = page.querySelector(".problem")?.textContent || answer.statusText;
    } catch (error) {
      problem.textContent = say("The studio does not respond. Is it still running?");
    }
    progress.hidden = true;
    problem.hidden = false;
  }

  document.addEventListener("content", prepare);
  prepare();
})();
