"use strict";
document.addEventListener("click", event => {
  const button = event.target.closest("[data-copy]");
  if (button) navigator.clipboard?.writeText(document.getElementById(button.dataset.copy).textContent);
});
