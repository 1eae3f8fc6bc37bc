// Scores of trees, and what they become: two classes, several, a number, the logarithm of a number.
function boostedScore(b, x) {
  const scores = b.members.map(([score, member], c) => b.baseline[c] + b.rounds * score(member, x).out[0]);
  if (b.link === 0) {
    const chance = 1 / (1 + Math.exp(-scores[0]));
    return decided([1 - chance, chance]);
  }
  if (b.link === 1) {
    const top = Math.max(...scores);
    return decided(shares(scores.map((score) => Math.exp(score - top))));
  }
  return decided([b.link === 2 ? scores[0] : Math.exp(Math.min(scores[0], 700))]);
}
