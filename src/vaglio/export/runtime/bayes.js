// log(n!) by Stirling's series, of which larger numbers need fewer terms.
function bayesFactorial(n) {
  let shift = 0, y = n + 1;
  for (; y < 12; y++) shift += Math.log(y);
  const z = 1 / (y * y);
  const series = (1 / 12 - (1 / 360 - (1 / 1260 - z / 1680) * z) * z) / y;
  return (y - 0.5) * Math.log(y) - y + 0.91893853320467274178 + series - shift;
}

// The cell of a number in a table: an interval that starts at its cut point, or a value; -1 for none.
function bayesCell(b, start, count, intervals, value) {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1, point = b.numbers[start + middle];
    if (intervals ? point <= value : point < value) low = middle + 1;
    else high = middle;
  }
  return intervals || (low < count && b.numbers[start + low] === value) ? low : -1;
}

// The logarithm of a kernel density, and where the numbers of the next class begin.
function bayesKernel(b, at, value) {
  const [n, width, scale] = b.numbers.slice(at, at + 3), points = at + 3;
  let least = Infinity, sum = 0;
  const exponent = (i) => 0.5 * ((value - b.numbers[points + i]) / width) ** 2;
  for (let i = 0; i < n; i++) least = Math.min(least, exponent(i));
  if (least === Infinity) return [-Infinity, points + 2 * n];
  for (let i = 0; i < n; i++) sum += b.numbers[points + n + i] * Math.exp(least - exponent(i));
  return [Math.log(sum) - least - scale, points + 2 * n];
}

function bayesDensity(term, value, mean, variance) {
  if (term === 5) return (value > 0 ? value * Math.log(mean) : 0) - mean - bayesFactorial(value);
  if (term === 6) return -value / mean - Math.log(mean);
  const e = Math.log(value) - mean;
  return -0.5 * ((e * e) / variance + Math.log(2 * Math.PI * variance)) - Math.log(value);
}

function bayesAdd(b, t, value, out) {
  const term = b.term[t], size = b.size[t], start = b.start[t], k = b.outputs, numbers = b.numbers;
  if (Number.isNaN(value) || ((term === 5 || term === 6) && value < 0) || (term === 7 && value <= 0)) return;
  if (term === 5 && value !== Math.floor(value)) return;
  if (term >= 1 && term <= 3) {
    const points = term === 1 ? 0 : term === 2 ? size - 1 : size;
    const cell = term === 1 ? value : bayesCell(b, start, points, term === 2, value);
    if (cell >= 0) for (let c = 0; c < k; c++) out[c] += numbers[start + points + cell * k + c];
    return;
  }
  let at = start, density;
  for (let c = 0; c < k; c++) {
    if (term === 0) {
      const e = value - numbers[start + c];
      out[c] += numbers[start + 2 * k + c] - e * e * numbers[start + k + c];
    } else if (term === 4) {
      [density, at] = bayesKernel(b, at, value);
      out[c] += density;
    } else out[c] += bayesDensity(term, value, numbers[start + c], numbers[start + k + c]);
  }
}

function bayesScore(b, x) {
  let out = b.prior.slice();
  b.feature.forEach((column, t) => bayesAdd(b, t, x[column], out));
  // Evidence that rules out every class says nothing.
  if (!(Math.max(...out) > -Infinity)) out = b.prior.slice();
  const top = Math.max(...out);
  return decided(shares(out.map((value) => Math.exp(value - top))));
}
