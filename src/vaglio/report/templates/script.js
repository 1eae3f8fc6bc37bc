"use strict";
(() => {
  const root = document.documentElement;
  const words = JSON.parse(document.getElementById("words").textContent);
  const filled = (template, values) => template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  // A number as English writes it, with the marks of the language of the page.
  const marked = text => text.replace(/[.,]/g, mark => mark === "." ? words.point : words.comma);

  // -- light and dark --------------------------------------------------------------------------------------------
  const button = document.getElementById("theme");
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
  const nameTheme = () => { button.textContent = isDark() ? words.light : words.dark; };
  button.hidden = false;
  button.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; nameTheme(); });
  system.addEventListener("change", nameTheme);
  nameTheme();

  // -- on paper nothing can be unfolded: open everything before printing --------------------------------------------------------------------------
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const part of folded) part.open = true;
  });
  window.addEventListener("afterprint", () => { for (const part of folded) part.open = false; });

  // -- the chapter in view ---------------------------------------------------------------------------------------
  const links = new Map([...document.querySelectorAll(".contents a")].map(a => [a.hash.slice(1), a]));
  const watcher = new IntersectionObserver(entries => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const link of links.values()) link.removeAttribute("aria-current");
      links.get(entry.target.id)?.setAttribute("aria-current", "true");
    }
  }, { rootMargin: "-20% 0px -70% 0px" });
  for (const section of document.querySelectorAll("main > section")) watcher.observe(section);

  // -- the columns whose name has what is typed ----------------------------------------------------------------------
  const finder = document.getElementById("find");
  if (finder) {
    const cards = [...document.querySelectorAll(".gallery.long .column")];
    const told = document.getElementById("found");
    finder.closest(".find").hidden = false;
    finder.addEventListener("input", () => {
      const wanted = finder.value.trim().toLowerCase();
      for (const card of cards) card.hidden = !card.querySelector("h3").textContent.toLowerCase().includes(wanted);
      const n = cards.filter(card => !card.hidden).length;
      told.textContent = filled(words.found, { n: marked(n.toLocaleString("en")) });
    });
  }

  // -- one threshold for all panels ------------------------------------------------------------------------------
  const data = document.getElementById("curve-data");
  if (!data) return;
  const classes = JSON.parse(data.textContent);
  const slider = document.getElementById("slider");
  const chooser = document.getElementById("class");
  const output = document.getElementById("threshold-value");
  const decided = document.getElementById("decided");
  const SVG = "http://www.w3.org/2000/svg";
  let one = classes[0];

  const percent = share => {
    const text = share === 0 || share === 1 ? String(100 * share) : (100 * share).toFixed(1);
    const n = text === "100.0" ? ">99.9" : text === "0.0" ? "<0.1" : text;
    return filled(words.percent, { n: marked(n) });
  };
  const rows = n => marked(Number.isInteger(n) ? n.toLocaleString("en") : n.toFixed(1));
  const show = (name, text) => {
    for (const place of document.querySelectorAll(`#performance [data-of="${name}"]`)) place.textContent = text;
  };
  const path = points => "M" + points.map(p => p.join(" ")).join("L");
  const circle = (css, x, y, r) => {
    const mark = document.createElementNS(SVG, "circle");
    mark.setAttribute("class", css);
    mark.setAttribute("cx", x); mark.setAttribute("cy", y); mark.setAttribute("r", r);
    return mark;
  };

  function drawClass() {
    for (const [name, panel] of Object.entries(one.panels)) {
      const figure = document.getElementById(`panel-${name}`);
      if (panel.axes) figure.querySelector(".axes").innerHTML = panel.axes;
      if (name === "scores") {
        figure.querySelector(".of-class").setAttribute("d", panel.ofClass);
        figure.querySelector(".of-others").setAttribute("d", panel.ofOthers);
      } else {
        figure.querySelector(".curve").setAttribute("d", path(panel.points));
      }
      figure.querySelector(".chance").setAttribute("d", panel.chance);
      figure.querySelector(".band")?.setAttribute("d", panel.bands || "");
      figure.querySelector(".dots")?.replaceChildren(...(panel.dots || []).map(d => circle("bin", ...d)));
      const title = figure.querySelector("figcaption strong").textContent;
      const svg = figure.querySelector("svg");
      const named = filled(words.curve, { curve: title, label: one.label });
      svg.setAttribute("aria-label", named);
      svg.querySelector("title").textContent = named;
    }
    show("label", one.label); show("rest", one.rest);
    show("rocArea", one.rocArea); show("averagePrecision", one.averagePrecision);
    slider.max = one.tp.length - 1;
    slider.value = one.start;
    move();
  }

  function move() {
    const at = Number(slider.value), tp = one.tp[at], fp = one.fp[at];
    const fn = one.positives - tp, tn = one.negatives - fp, total = one.positives + one.negatives;
    const predicted = tp + fp;
    const threshold = at === one.start ? one.usual : one.threshold[at];
    const shown = threshold === null ? words.above : marked(String(Number(threshold.toPrecision(3))));
    output.textContent = shown;
    for (const [name, n] of Object.entries({ tp, fp, fn, tn })) show(name, rows(n));
    show("recall", percent(tp / one.positives));
    show("precision", predicted ? percent(tp / predicted) : "–");
    show("fpr", percent(fp / one.negatives));
    show("accuracy", percent((tp + tn) / total));
    show("f1", marked((2 * tp / (2 * tp + fp + fn)).toFixed(3)));
    show("predicted", percent(predicted / total));
    show("lift", predicted ? `${marked((tp / predicted / (one.positives / total)).toFixed(2))}×` : "–");
    if (one.cost) {
      const [ctn, cfp, cfn, ctp] = one.cost;
      show("cost", marked(String(Number(((ctn * tn + cfp * fp + cfn * fn + ctp * tp) / total).toPrecision(4)))));
    }
    for (const [name, panel] of Object.entries(one.panels)) {
      if (name === "scores") {
        document.querySelector("#panel-scores .cut").setAttribute("transform", `translate(${panel.points[at][0]})`);
        continue;
      }
      const dot = document.querySelector(`#panel-${name} .dot`);
      if (!dot) continue;
      dot.setAttribute("cx", panel.points[at][0]);
      dot.setAttribute("cy", panel.points[at][1]);
    }
    slider.setAttribute("aria-valuetext", filled(words.slider, {
      threshold: shown,
      recall: percent(tp / one.positives),
      precision: predicted ? percent(tp / predicted) : words.undefined,
    }));
    decided.textContent = at === one.start && one.asDecided ? words.decided : "";
  }

  slider.addEventListener("input", move);
  chooser.addEventListener("change", () => { one = classes[Number(chooser.value)]; drawClass(); });
  document.getElementById("reset").addEventListener("click", () => { slider.value = one.start; move(); });
  drawClass();
})();
