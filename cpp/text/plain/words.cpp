#include "text/plain/words.hpp"

#include <utility>

namespace vaglio {
namespace {

constexpr int first_bits = 11;

}  // namespace

void WordTable::clear() {
    // A table that one block has made large is not cleared in full for the next one.
    slots_.resize(std::size_t{1} << first_bits);
    slots_.assign(slots_.size(), -1);
    shift_ = 64 - first_bits;
    words_.clear();
}

std::vector<Word> WordTable::take() {
    std::vector<Word> found = std::exchange(words_, {});
    found.shrink_to_fit();
    if (!found.empty()) clear();
    return found;
}

std::int32_t WordTable::add(const Word& word, std::size_t slot) {
    const auto fresh = static_cast<std::int32_t>(words_.size());
    words_.push_back(word);
    slots_[slot] = fresh;
    if (words_.size() * 4 > slots_.size()) grow();
    return fresh;
}

void WordTable::grow() {
    slots_.assign(slots_.size() * 2, -1);
    --shift_;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = 0; i < words_.size(); ++i) {
        std::size_t slot = first_slot(words_[i]);
        while (slots_[slot] >= 0) slot = (slot + 1) & mask;
        slots_[slot] = static_cast<std::int32_t>(i);
    }
}

}  // namespace vaglio
