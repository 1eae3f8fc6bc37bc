const linearChance = (value) => 1 / (1 + Math.exp(-value));

// From the machines of all pairs of classes to votes, and to votes with the confidence in them.
function linearVotes(m, values) {
  const votes = new Array(m.outputs).fill(0), sums = new Array(m.outputs).fill(0);
  for (let a = 0, i = 0; a < m.outputs; a++)
    for (let b = a + 1; b < m.outputs; b++, i++) {
      votes[values[i] > 0 ? a : b] += 1;
      sums[a] += values[i];
      sums[b] -= values[i];
    }
  return [votes, sums.map((sum, c) => votes[c] + sum / (3 * (Math.abs(sum) + 1)))];
}

function linearScore(m, x) {
  let values = new Array(m.n_values).fill(0);
  m.centre.forEach((centre, i) => {
    const product = m.factor.slice(m.factor_start[i], m.factor_start[i + 1]).reduce((part, j) => part * x[j], 1);
    const value = Number.isNaN(product) ? m.fill[i] : product;
    const z = Math.min(Math.max((value - centre) / m.scale[i], -1e100), 1e100);
    for (let c = 0; c < m.n_values; c++) values[c] += z * m.number_coef[i * m.n_values + c];
  });
  m.nominal.forEach((column, i) => {
    if (Number.isNaN(x[column])) return;
    const at = m.nominal_start[i] + x[column] * m.n_values;
    for (let c = 0; c < m.n_values; c++) values[c] += m.nominal_coef[at + c];
  });
  values = values.map((value, c) => value + m.intercept[c]);
  let scores = values;
  if (m.pairs) {
    const [votes, confident] = linearVotes(m, values);
    scores = m.break_ties ? confident : votes;
    values = confident;
  }
  if (m.link === 4) return { code: 0, out: values };
  const code = m.n_values === 1 ? Number(values[0] > 0) : largest(scores);
  const classes = Array.from({ length: m.outputs }, (_, c) => c);
  if (m.link === 0) return { code, out: classes.map((c) => Number(c === code)) };
  if (m.link === 2) return { code, out: shares(values.map((value) => Math.exp(value - values[code]))) };
  if (m.n_values === 1) {
    const z = m.link === 1 ? values[0] : values[0] * m.calibration[0] + m.calibration[1];
    return { code, out: [linearChance(-z), linearChance(z)] };
  }
  const chances = values.map((value, c) => linearChance(value * m.calibration[2 * c] + m.calibration[2 * c + 1]));
  return { code, out: chances.some((value) => value > 0) ? shares(chances) : chances.map(() => 1 / m.outputs) };
}
