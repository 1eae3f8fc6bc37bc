#pragma once
// The different words of a column, numbered as they come.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vaglio {

// A word of a text that outlives it.
struct Word {
    const unsigned char* at;
    std::uint32_t size;
    std::uint32_t hash;
};

Word make_word(const unsigned char* at, std::uint32_t size);

class WordTable {
 public:
    WordTable() { clear(); }

    // The number of a word, which is new if no equal one was asked for before.
    std::int32_t number(const Word& word);

    const std::vector<Word>& words() const { return words_; }

    // The words found, which the table forgets.
    std::vector<Word> take();

 private:
    void clear();
    void grow();

    std::vector<Word> words_;
    // Open addressing: the number of a word, or -1; at most half of the slots are taken.
    std::vector<std::int32_t> slots_;
};

}  // namespace vaglio
