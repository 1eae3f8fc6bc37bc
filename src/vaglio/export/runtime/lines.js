// A tree says which sum counts.
function linesScore(m, x) {
  const [score, tree] = m.members[0];
  const at = score(tree, x).out[0];
  let sum = 0;
  for (let i = m.start[at]; i < m.start[at + 1]; i++) {
    const value = x[m.column[i]];
    const known = Number.isNaN(value) ? m.fill[i] : value;
    const z = m.category[i] >= 0 ? Number(value === m.category[i]) : (known - m.centre[i]) / m.scale[i];
    sum += Math.min(Math.max(z, -1e100), 1e100) * m.coef[i];
  }
  sum += m.intercept[at];
  return { code: 0, out: [Math.min(Math.max(sum, m.bounds[0]), m.bounds[1])] };
}
