// The branch of a row at a node; negative: down all of them.
function treesBranch(t, node, x) {
  let value = x[t.feature[node]];
  if (t.test[node] === 3) {
    value = 0;
    for (let k = t.table[node]; k < t.table[node] + t.terms[node]; k++) value += t.term_coef[k] * x[t.term_feature[k]];
  }
  if (Number.isNaN(value)) return t.missing[node];
  if (t.test[node] === 2) return t.branch[t.table[node] + value];
  return Number(!(t.test[node] === 1 ? value < t.threshold[node] : value <= t.threshold[node]));
}

function treesWalk(t, node, x, share, out) {
  while (t.count[node] > 0) {
    const branch = treesBranch(t, node, x);
    if (branch < 0) {
      for (let c = t.child[node]; c < t.child[node] + t.count[node]; c++)
        if (t.share[c] > 0) treesWalk(t, c, x, share * t.share[c], out);
      return;
    }
    node = t.child[node] + branch;
  }
  for (let c = 0; c < t.outputs; c++) out[c] += share * t.values[t.child[node] * t.outputs + c];
}

function treesScore(t, x) {
  const out = new Array(t.outputs).fill(0);
  for (const root of t.root) treesWalk(t, root, x, 1, out);
  return decided(out.map((value) => value / t.n_trees));
}
