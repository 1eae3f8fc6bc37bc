#include <math.h>
#include <stddef.h>

/* A model takes one number per column, NaN where it is missing, and returns the class it decides for. */
struct part {
  int (*score)(const void *data, const double *x, double *out);
  const void *data;
};

/* The first of the largest values. */
static int largest(const double *values, int count) {
  int best = 0, c;
  for (c = 1; c < count; ++c)
    if (values[c] > values[best]) best = c;
  return best;
}
