/* The code of a word among the known ones; where case does not matter, they are in lower case. */
static double code_of(const char *word, const char *const *known, int count, int fold) {
  int c, i;
  if (word == NULL) return NAN;
  for (c = 0; c < count; ++c) {
    for (i = 0; word[i] != 0; ++i) {
      char letter = word[i];
      if (fold && letter >= 'A' && letter <= 'Z') letter = (char)(letter - 'A' + 'a');
      if (letter != known[c][i]) break;
    }
    if (word[i] == 0 && known[c][i] == 0) return c;
  }
  return NAN;
}
