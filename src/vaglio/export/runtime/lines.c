struct lines {
  int outputs;
  const int *start, *column, *category;
  const double *centre, *scale, *fill, *coef, *intercept, *bounds;
  const struct part *members;
};

/* A tree says which sum counts. */
static int lines_score(const void *part, const double *x, double *out) {
  const struct lines *m = (const struct lines *)part;
  double leaf[1], value, sum = 0.0;
  int i, at;
  m->members[0].score(m->members[0].data, x, leaf);
  at = (int)leaf[0];
  for (i = m->start[at]; i < m->start[at + 1]; ++i) {
    value = x[m->column[i]];
    if (m->category[i] >= 0)
      value = value == m->category[i];
    else
      value = ((value != value ? m->fill[i] : value) - m->centre[i]) / m->scale[i];
    value = value > 1e100 ? 1e100 : value < -1e100 ? -1e100 : value;
    sum += value * m->coef[i];
  }
  sum += m->intercept[at];
  out[0] = sum < m->bounds[0] ? m->bounds[0] : sum > m->bounds[1] ? m->bounds[1] : sum;
  return 0;
}
