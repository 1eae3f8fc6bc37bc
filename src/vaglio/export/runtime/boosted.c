struct boosted {
  int outputs, n_baseline, rounds, link;
  const double *baseline;
  const struct part *members;
};

/* Scores of trees, and what they become: two classes, several, a number, the logarithm of a number. */
static int boosted_score(const void *part, const double *x, double *out) {
  const struct boosted *b = (const struct boosted *)part;
  double scores[MOST_OUTPUTS], total = 0.0;
  int c, best;
  for (c = 0; c < b->n_baseline; ++c) {
    b->members[c].score(b->members[c].data, x, scores + c);
    scores[c] = b->baseline[c] + b->rounds * scores[c];
  }
  if (b->link == 0) {
    out[1] = 1.0 / (1.0 + exp(-scores[0]));
    out[0] = 1.0 - out[1];
  } else if (b->link == 1) {
    best = largest(scores, b->outputs);
    for (c = 0; c < b->outputs; ++c) total += out[c] = exp(scores[c] - scores[best]);
    for (c = 0; c < b->outputs; ++c) out[c] /= total;
  } else {
    out[0] = b->link == 2 ? scores[0] : exp(scores[0] > 700.0 ? 700.0 : scores[0]);
  }
  return largest(out, b->outputs);
}
