struct rules {
  int outputs, n_rules, mode;
  const int *first, *test, *feature;
  const double *low, *high;
  const int *low_closed, *high_closed;
  const double *share;
  const int *table, *accept, *terms, *term_start, *term_feature;
  const double *term_coef, *said, *otherwise;
};

/* The share of a row that meets a condition. */
static double rules_match(const struct rules *r, int i, const double *x) {
  double value = x[r->feature[i]];
  int k;
  if (r->test[i] == 3) {
    value = 0.0;
    for (k = 0; k < r->terms[i]; ++k)
      value += r->term_coef[r->term_start[i] + k] * x[r->term_feature[r->term_start[i] + k]];
  }
  if (value != value) return r->share[i];
  if (r->test[i] == 2) return 0.0;
  if (r->test[i] == 1) return r->accept[r->table[i] + (int)value];
  return (r->low_closed[i] ? value >= r->low[i] : value > r->low[i]) &&
         (r->high_closed[i] ? value <= r->high[i] : value < r->high[i]);
}

static int rules_score(const void *part, const double *x, double *out) {
  const struct rules *r = (const struct rules *)part;
  double left = 1.0, total = 0.0, share;
  int i, j, c;
  for (c = 0; c < r->outputs; ++c) out[c] = 0.0;
  for (i = 0; i < r->n_rules; ++i) {
    share = r->mode == 0 ? left : 1.0;
    for (j = r->first[i]; j < r->first[i + 1] && share > 0; ++j) share *= rules_match(r, j, x);
    if (!(share > 0)) continue;
    for (c = 0; c < r->outputs; ++c) out[c] += share * r->said[i * r->outputs + c];
    left -= share;
  }
  for (c = 0; c < r->outputs; ++c) total += out[c];
  for (c = 0; c < r->outputs; ++c) {
    if (r->mode == 2) {
      out[c] = total > 0 ? out[c] / total : r->otherwise[c];
    } else if (left > 1e-9) {
      out[c] += left * r->otherwise[c];
    } else if (left < -1e-9) {
      out[c] /= 1.0 - left;
    }
  }
  return largest(out, r->outputs);
}
