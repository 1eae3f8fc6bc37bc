struct bayes {
  int outputs, n_term;
  const double *prior;
  const int *term, *feature, *size, *start;
  const double *numbers;
};

/* log(n!) by Stirling's series, of which larger numbers need fewer terms. */
static double bayes_factorial(double n) {
  double shift = 0.0, y = n + 1.0;
  for (; y < 12.0; y += 1.0) shift += log(y);
  return (y - 0.5) * log(y) - y + 0.91893853320467274178 +
         (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / (1680 * y * y)) / (y * y)) / (y * y)) / y - shift;
}

/* The cell of a number in a table: an interval that starts at its cut point, or a value; -1 for none. */
static int bayes_cell(const double *points, int count, int intervals, double value) {
  int low = 0, high = count, middle;
  while (low < high) {
    middle = (low + high) / 2;
    if (intervals ? points[middle] <= value : points[middle] < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return intervals || (low < count && points[low] == value) ? low : -1;
}

/* The logarithm of a kernel density; its numbers begin at `at`, the next class's after them. */
static double bayes_kernel(const double **at, double value) {
  const double *numbers = *at, *points = numbers + 3, *weights;
  int n = (int)numbers[0], i;
  double least = HUGE_VAL, sum = 0.0, e;
  weights = points + n;
  *at = weights + n;
  for (i = 0; i < n; ++i) {
    e = (value - points[i]) / numbers[1];
    if (0.5 * e * e < least) least = 0.5 * e * e;
  }
  if (least == HUGE_VAL) return -HUGE_VAL;
  for (i = 0; i < n; ++i) {
    e = (value - points[i]) / numbers[1];
    sum += weights[i] * exp(least - 0.5 * e * e);
  }
  return log(sum) - least - numbers[2];
}

static double bayes_density(int term, double value, double mean, double variance) {
  double e;
  if (term == 5) return (value > 0 ? value * log(mean) : 0.0) - mean - bayes_factorial(value);
  if (term == 6) return -value / mean - log(mean);
  e = log(value) - mean;
  return -0.5 * (e * e / variance + log(6.283185307179586477 * variance)) - log(value);
}

static void bayes_add(const struct bayes *b, int t, double value, double *out) {
  const double *numbers = b->numbers + b->start[t];
  int term = b->term[t], size = b->size[t], k = b->outputs, c, cell;
  if (value != value || ((term == 5 || term == 6) && value < 0) || (term == 7 && value <= 0)) return;
  if (term == 5 && value != floor(value)) return;
  if (term >= 1 && term <= 3) {
    cell = term == 1 ? (int)value : bayes_cell(numbers, term == 2 ? size - 1 : size, term == 2, value);
    if (cell < 0) return;
    numbers += (term == 1 ? 0 : term == 2 ? size - 1 : size) + cell * k;
    for (c = 0; c < k; ++c) out[c] += numbers[c];
    return;
  }
  for (c = 0; c < k; ++c) {
    if (term == 0) {
      out[c] += numbers[2 * k + c] - (value - numbers[c]) * (value - numbers[c]) * numbers[k + c];
    } else if (term == 4) {
      out[c] += bayes_kernel(&numbers, value);
    } else {
      out[c] += bayes_density(term, value, numbers[c], numbers[k + c]);
    }
  }
}

static int bayes_score(const void *part, const double *x, double *out) {
  const struct bayes *b = (const struct bayes *)part;
  double top, total = 0.0;
  int t, c;
  for (c = 0; c < b->outputs; ++c) out[c] = b->prior[c];
  for (t = 0; t < b->n_term; ++t) bayes_add(b, t, x[b->feature[t]], out);
  top = out[largest(out, b->outputs)];
  /* Evidence that rules out every class says nothing. */
  if (!(top > -HUGE_VAL))
    for (c = 0; c < b->outputs; ++c) out[c] = b->prior[c];
  top = out[largest(out, b->outputs)];
  for (c = 0; c < b->outputs; ++c) total += out[c] = exp(out[c] - top);
  for (c = 0; c < b->outputs; ++c) out[c] /= total;
  return largest(out, b->outputs);
}
