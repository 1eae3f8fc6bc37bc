// The share of a row that meets a condition.
function rulesMatch(r, i, x) {
  let value = x[r.feature[i]];
  if (r.test[i] === 3) {
    value = 0;
    for (let k = r.term_start[i]; k < r.term_start[i] + r.terms[i]; k++) value += r.term_coef[k] * x[r.term_feature[k]];
  }
  if (Number.isNaN(value)) return r.share[i];
  if (r.test[i] === 2) return 0;
  if (r.test[i] === 1) return r.accept[r.table[i] + value];
  const above = r.low_closed[i] ? value >= r.low[i] : value > r.low[i];
  return Number(above && (r.high_closed[i] ? value <= r.high[i] : value < r.high[i]));
}

function rulesScore(r, x) {
  let out = new Array(r.outputs).fill(0);
  let left = 1;
  for (let i = 0; i < r.n_rules; i++) {
    let share = r.mode === 0 ? left : 1;
    for (let j = r.first[i]; j < r.first[i + 1] && share > 0; j++) share *= rulesMatch(r, j, x);
    if (!(share > 0)) continue;
    for (let c = 0; c < r.outputs; c++) out[c] += share * r.said[i * r.outputs + c];
    left -= share;
  }
  const total = out.reduce((sum, value) => sum + value, 0);
  if (r.mode === 2) out = out.map((value, c) => (total > 0 ? value / total : r.otherwise[c]));
  else if (left > 1e-9) out = out.map((value, c) => value + left * r.otherwise[c]);
  else if (left < -1e-9) out = out.map((value) => value / (1 - left));
  return decided(out);
}
