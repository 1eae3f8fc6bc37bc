struct mix {
  int outputs, n_weight;
  const double *weight;
  const int *hard;
  double total;
  const int *map_start, *map, *class_start, *class_of;
  const struct part *members;
};

static int mix_score(const void *part, const double *x, double *out) {
  const struct mix *m = (const struct mix *)part;
  double seen[MOST_COLUMNS], said[MOST_OUTPUTS];
  int i, c, decided;
  for (c = 0; c < m->outputs; ++c) out[c] = 0.0;
  for (i = 0; i < m->n_weight; ++i) {
    for (c = m->map_start[i]; c < m->map_start[i + 1]; ++c) seen[c - m->map_start[i]] = x[m->map[c]];
    decided = m->members[i].score(m->members[i].data, seen, said);
    if (m->hard[i]) {
      out[m->class_of[m->class_start[i] + decided]] += m->weight[i];
    } else {
      for (c = m->class_start[i]; c < m->class_start[i + 1]; ++c)
        out[m->class_of[c]] += m->weight[i] * said[c - m->class_start[i]];
    }
  }
  for (c = 0; c < m->outputs; ++c) out[c] /= m->total;
  return largest(out, m->outputs);
}
