function mixScore(m, x) {
  const out = new Array(m.outputs).fill(0);
  m.members.forEach(([score, member], i) => {
    const { code, out: said } = score(member, m.map.slice(m.map_start[i], m.map_start[i + 1]).map((c) => x[c]));
    const classes = m.class_of.slice(m.class_start[i], m.class_start[i + 1]);
    if (m.hard[i]) out[classes[code]] += m.weight[i];
    else classes.forEach((c, at) => (out[c] += m.weight[i] * said[at]));
  });
  return decided(out.map((value) => value / m.total));
}
