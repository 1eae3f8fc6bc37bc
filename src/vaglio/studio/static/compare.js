"use strict";
// One threshold and one pair of costs for all models: the marks on the curves, the table and the cost curve follow.
(() => {
  const SVG = "http://www.w3.org/2000/svg", STEPS = 100;
  const LEFT = 56, RIGHT = 382, TOP = 10, BOTTOM = 260;
  const percent = share => Number.isFinite(share) ? number(share, ".1%") : "–";

  function prepare() {
    const slider = document.getElementById("slider"), source = document.getElementById("compare-data");
    if (!slider || !source || slider.dataset.ready) return;
    slider.dataset.ready = "yes";
    const data = JSON.parse(source.textContent), total = data.positives + data.negatives;
    const figure = document.getElementById("panel-cost");
    const across = step => LEFT + (RIGHT - LEFT) * step / STEPS;

    const typed = id => {
      const field = document.getElementById(id), value = Number(field.value.replace(",", "."));
      const good = field.value.trim() !== "" && Number.isFinite(value);
      field.setAttribute("aria-invalid", String(!good));
      return good ? value : 1;
    };
    // What the rows cost at each threshold, up to what they cost if none is predicted.
    const paid = (counts, [alarm, miss, right]) => counts.tp.map((tp, i) => alarm * counts.fp[i] + (right - miss) * tp);
    const lowest = values => values.indexOf(Math.min(...values));
    let elsewhere = [];
    const costs = () => {
      const prices = ["fp-cost", "fn-cost", "tp-cost"].map(typed), none = prices[1] * data.positives;
      const all = data.models.map(model => paid(model, prices));
      // The threshold is chosen on all folds but one, and paid for on this one.
      elsewhere = data.models.map((model, k) => {
        const folds = model.folds.map(fold => paid(fold, prices));
        const sum = folds.reduce((most, fold) => most + fold[lowest(all[k].map((cost, i) => cost - fold[i]))], 0);
        return (none + sum) / total;
      });
      return all.map(model => model.map(cost => (none + cost) / total));
    };

    function text(x, y, words, anchor) {
      const part = document.createElementNS(SVG, "text");
      part.setAttribute("class", "tick"); part.setAttribute("x", x); part.setAttribute("y", y);
      part.setAttribute("text-anchor", anchor); part.textContent = words;
      return part;
    }
    function line(d) {
      const part = document.createElementNS(SVG, "path");
      part.setAttribute("class", "grid"); part.setAttribute("d", d);
      return part;
    }

    // Thresholds run from 1 (first) to 0 (last) in the counts, and from 0 to 1 on the slider.
    const at = step => STEPS - step;
    let all = [], up = value => value;
    function drawCosts() {
      all = costs();
      const highest = Math.max(...all.flat(), 1e-9), least = Math.min(0, ...all.flat());
      up = value => BOTTOM - (BOTTOM - TOP) * (value - least) / (highest * 1.05 - least);
      const parts = [];
      for (let k = 0; k <= 4; k++) {
        const value = least + (highest - least) * k / 4;
        parts.push(line(`M${LEFT} ${up(value)}H${RIGHT}`), text(LEFT - 6, up(value) + 4, number(value, ".2f"), "end"));
        parts.push(line(`M${across(25 * k)} ${TOP}V${BOTTOM}`), text(across(25 * k), BOTTOM + 15, number(k / 4, ".2f"), "middle"));
      }
      figure.querySelector(".axes").replaceChildren(...parts);
      figure.querySelectorAll(".curve").forEach((curve, k) => {
        const points = all[k].map((cost, i) => `${across(STEPS - i).toFixed(1)} ${up(cost).toFixed(1)}`);
        curve.setAttribute("d", "M" + points.join("L"));
      });
      move();
    }

    function move() {
      const step = Number(slider.value), i = at(step);
      document.getElementById("threshold-value").textContent = number(step / STEPS, ".2f");
      slider.setAttribute("aria-valuetext", number(step / STEPS, ".2f"));
      figure.querySelector(".cut").setAttribute("d", `M${across(step)} ${TOP}V${BOTTOM}`);
      const lines = document.querySelectorAll("#at-threshold tbody tr");
      data.models.forEach((model, k) => {
        const tp = model.tp[i], fp = model.fp[i], put = (name, words) => {
          lines[k].querySelector(`[data-of=${name}]`).textContent = words;
        };
        const recall = tp / data.positives, alarms = fp / data.negatives, taken = (tp + fp) / total;
        put("recall", percent(recall));
        put("precision", tp + fp ? percent(tp / (tp + fp)) : "–");
        put("alarms", percent(alarms));
        put("accuracy", percent((tp + data.negatives - fp) / total));
        put("cost", number(all[k][i], ".3f"));
        const least = lowest(all[k]);
        put("least", `${number((STEPS - least) / STEPS, ".2f")} (${number(all[k][least], ".3f")})`);
        put("elsewhere", number(elsewhere[k], ".3f"));
        const places = { roc: [alarms, recall], pr: [recall, tp + fp ? tp / (tp + fp) : 1], gain: [taken, recall] };
        for (const [name, [x, y]] of Object.entries(places)) {
          const dot = document.querySelector(`#panel-${name} .dot[data-model="${k}"]`);
          dot.setAttribute("cx", LEFT + (RIGHT - LEFT) * x);
          dot.setAttribute("cy", BOTTOM - (BOTTOM - TOP) * y);
        }
        const dot = figure.querySelectorAll(".dot")[k];
        dot.setAttribute("cx", across(step)); dot.setAttribute("cy", up(all[k][i]));
      });
    }

    slider.addEventListener("input", move);
    for (const id of ["fp-cost", "fn-cost", "tp-cost"]) document.getElementById(id).addEventListener("input", drawCosts);
    drawCosts();
  }
  document.addEventListener("content", prepare);
  prepare();
})();
