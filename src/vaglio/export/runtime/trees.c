struct trees {
  int outputs, n_trees;
  const int *root, *test, *feature;
  const double *threshold;
  const int *child, *count, *missing;
  const double *share;
  const int *table, *branch, *terms, *term_feature;
  const double *term_coef, *values;
};

/* The branch of a row at a node; negative: down all of them. */
static int trees_branch(const struct trees *t, int node, const double *x) {
  int test = t->test[node], k;
  double value = x[t->feature[node]];
  if (test == 3) {
    value = 0.0;
    for (k = 0; k < t->terms[node]; ++k)
      value += t->term_coef[t->table[node] + k] * x[t->term_feature[t->table[node] + k]];
  }
  if (value != value) return t->missing[node];
  if (test == 2) return t->branch[t->table[node] + (int)value];
  return test == 1 ? !(value < t->threshold[node]) : !(value <= t->threshold[node]);
}

static void trees_walk(const struct trees *t, int node, const double *x, double share, double *out) {
  int c, branch;
  while (t->count[node] > 0) {
    branch = trees_branch(t, node, x);
    if (branch < 0) {
      for (c = 0; c < t->count[node]; ++c)
        if (t->share[t->child[node] + c] > 0)
          trees_walk(t, t->child[node] + c, x, share * t->share[t->child[node] + c], out);
      return;
    }
    node = t->child[node] + branch;
  }
  for (c = 0; c < t->outputs; ++c) out[c] += share * t->values[t->child[node] * t->outputs + c];
}

static int trees_score(const void *part, const double *x, double *out) {
  const struct trees *t = (const struct trees *)part;
  int i, c;
  for (c = 0; c < t->outputs; ++c) out[c] = 0.0;
  for (i = 0; i < t->n_trees; ++i) trees_walk(t, t->root[i], x, 1.0, out);
  for (c = 0; c < t->outputs; ++c) out[c] /= t->n_trees;
  return largest(out, t->outputs);
}
