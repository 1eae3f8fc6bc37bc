struct linear {
  int outputs, n_values, n_centre, n_nominal, link, pairs, break_ties;
  const int *factor_start, *factor;
  const double *centre, *scale, *fill, *number_coef;
  const int *nominal, *nominal_start;
  const double *nominal_coef, *intercept, *calibration;
};

static double linear_chance(double value) { return 1.0 / (1.0 + exp(-value)); }

/* From the machines of all pairs of classes to votes and, in sums, to votes with the confidence in them. */
static void linear_votes(const struct linear *m, const double *values, double *votes, double *sums) {
  int a, b, i = 0;
  for (a = 0; a < m->outputs; ++a) votes[a] = sums[a] = 0.0;
  for (a = 0; a < m->outputs; ++a)
    for (b = a + 1; b < m->outputs; ++b, ++i) {
      votes[values[i] > 0 ? a : b] += 1.0;
      sums[a] += values[i];
      sums[b] -= values[i];
    }
  for (a = 0; a < m->outputs; ++a) sums[a] = votes[a] + sums[a] / (3 * (fabs(sums[a]) + 1));
}

static int linear_score(const void *part, const double *x, double *out) {
  const struct linear *m = (const struct linear *)part;
  double values[MOST_VALUES], votes[MOST_OUTPUTS], total = 0.0, z;
  const double *scores = values;
  int i, c, f, decided;
  for (c = 0; c < m->n_values; ++c) values[c] = 0.0;
  for (i = 0; i < m->n_centre; ++i) {
    z = 1.0;
    for (f = m->factor_start[i]; f < m->factor_start[i + 1]; ++f) z *= x[m->factor[f]];
    z = ((z != z ? m->fill[i] : z) - m->centre[i]) / m->scale[i];
    z = z > 1e100 ? 1e100 : z < -1e100 ? -1e100 : z;
    for (c = 0; c < m->n_values; ++c) values[c] += z * m->number_coef[i * m->n_values + c];
  }
  for (i = 0; i < m->n_nominal; ++i) {
    z = x[m->nominal[i]];
    if (z != z) continue;
    for (c = 0; c < m->n_values; ++c) values[c] += m->nominal_coef[m->nominal_start[i] + (int)z * m->n_values + c];
  }
  for (c = 0; c < m->n_values; ++c) values[c] += m->intercept[c];
  if (m->pairs) {
    linear_votes(m, values, votes, out);
    for (c = 0; c < m->outputs; ++c) values[c] = out[c];
    scores = m->break_ties ? values : votes;
  }
  decided = m->n_values == 1 ? values[0] > 0 : largest(scores, m->outputs);
  if (m->link == 4) {
    out[0] = values[0];
    return 0;
  }
  if (m->link == 0) {
    for (c = 0; c < m->outputs; ++c) out[c] = c == decided;
  } else if (m->link == 2) {
    for (c = 0; c < m->outputs; ++c) total += out[c] = exp(values[c] - values[decided]);
    for (c = 0; c < m->outputs; ++c) out[c] /= total;
  } else if (m->n_values == 1) {
    z = m->link == 1 ? values[0] : values[0] * m->calibration[0] + m->calibration[1];
    out[1] = linear_chance(z);
    out[0] = linear_chance(-z);
  } else {
    for (c = 0; c < m->outputs; ++c)
      total += out[c] = linear_chance(values[c] * m->calibration[2 * c] + m->calibration[2 * c + 1]);
    for (c = 0; c < m->outputs; ++c) out[c] = total > 0 ? out[c] / total : 1.0 / m->outputs;
  }
  return decided;
}
