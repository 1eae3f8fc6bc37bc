// Distinct (value, class) pairs are counted in a hash table while they are few, and by sorting the column when the
// table would leave the cache. Both ways add weights in the order of the rows, so they give the same bits.
#include "bayes/class_counts.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "base/parallel.hpp"
#include "base/radix_sort.hpp"
#include "base/random.hpp"

namespace vaglio {
namespace {

constexpr std::size_t check_rows = std::size_t{1}
                                   << 18;  // rows between two looks at the stop flag: about a millisecond
// Beyond this many distinct pairs a hash table leaves the cache and sorting the column is quicker.
constexpr std::size_t max_hashed = std::size_t{1} << 15;
// It is also quicker where most pairs of the first rows are distinct.
constexpr std::size_t trial_rows = 1024;

struct Pair {
    double value;
    std::int32_t label;
    double weight;
};

// Counts pairs by open addressing while they are few.
class PairTable {
 public:
    PairTable() : slots_(1024, -1) {}

    // False when there are too many distinct pairs to go on.
    bool add(double value, std::int32_t label, double weight) {
        const auto key = std::bit_cast<std::uint64_t>(value);
        std::size_t slot = hash(key, label) & (slots_.size() - 1);
        for (; slots_[slot] >= 0; slot = (slot + 1) & (slots_.size() - 1)) {
            Pair& pair = pairs_[static_cast<std::size_t>(slots_[slot])];
            if (std::bit_cast<std::uint64_t>(pair.value) == key && pair.label == label) {
                pair.weight += weight;
                return true;
            }
        }
        if (pairs_.size() == max_hashed) return false;
        slots_[slot] = static_cast<std::int32_t>(pairs_.size());
        pairs_.push_back({value, label, weight});
        if (pairs_.size() * 2 > slots_.size()) grow();
        return true;
    }

    std::size_t size() const { return pairs_.size(); }
    std::vector<Pair> take() { return std::move(pairs_); }

 private:
    static std::uint64_t hash(std::uint64_t key, std::int32_t label) {
        return mix(key + static_cast<std::uint64_t>(label) * 0x9e3779b97f4a7c15ULL);
    }

    void grow() {
        slots_.assign(slots_.size() * 2, -1);
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            std::size_t slot =
                hash(std::bit_cast<std::uint64_t>(pairs_[i].value), pairs_[i].label) & (slots_.size() - 1);
            while (slots_[slot] >= 0) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = static_cast<std::int32_t>(i);
        }
    }

    std::vector<std::int32_t> slots_;
    std::vector<Pair> pairs_;
};

bool before(const Pair& a, const Pair& b) { return a.value < b.value || (a.value == b.value && a.label < b.label); }

ValueCounts unzip(const std::vector<Pair>& pairs) {
    ValueCounts counts;
    counts.value.reserve(pairs.size());
    counts.label.reserve(pairs.size());
    counts.weight.reserve(pairs.size());
    for (const Pair& pair : pairs) {
        const std::size_t last = counts.value.size();
        if (last > 0 && counts.value[last - 1] == pair.value && counts.label[last - 1] == pair.label) {
            counts.weight[last - 1] += pair.weight;
            continue;
        }
        counts.value.push_back(pair.value);
        counts.label.push_back(pair.label);
        counts.weight.push_back(pair.weight);
    }
    return counts;
}

// Adding zero turns -0.0 into 0.0, so that the two count as one value.
double value_at(const StridedRows& x, std::size_t row, std::size_t column) { return x.at(row, column) + 0.0; }

// All pairs of a column by value, then label, then row: equal pairs add their weights in row order, as the table does.
std::vector<Pair> sorted_pairs(const StridedRows& x, std::size_t column, const std::int64_t* label,
                               const double* weight, const Control& control) {
    std::vector<KeyedRow> items, spare;
    items.reserve(x.rows);
    for (std::size_t i = 0; i < x.rows; ++i) {
        const double v = value_at(x, i, column);
        if (v == v) items.push_back({ordered_bits(v), static_cast<std::uint32_t>(i)});
    }
    control.check();
    spare.resize(items.size());
    const KeyedRow* sorted =
        radix_sort(items.data(), spare.data(), items.size(), 0, 64, [](const KeyedRow& item) { return item.key; });
    control.check();
    std::vector<Pair> pairs;
    pairs.reserve(items.size());
    std::size_t run = 0;
    for (std::size_t at = 0; at < items.size(); ++at) {
        const std::size_t i = sorted[at].row;
        pairs.push_back({value_at(x, i, column), static_cast<std::int32_t>(label[i]), weight ? weight[i] : 1.0});
        if (at + 1 < items.size() && sorted[at + 1].key == sorted[at].key) continue;
        if (at > run) std::stable_sort(pairs.begin() + static_cast<std::ptrdiff_t>(run), pairs.end(), before);
        run = at + 1;
    }
    return pairs;
}

ValueCounts count_column(const StridedRows& x, std::size_t column, const std::int64_t* label, const double* weight,
                         const Control& control) {
    PairTable table;
    bool few = true;
    for (std::size_t i = 0; i < x.rows && few; ++i) {
        if (i % check_rows == 0) control.check();
        const double v = value_at(x, i, column);
        if (v == v) few = table.add(v, static_cast<std::int32_t>(label[i]), weight ? weight[i] : 1.0);
        if (i + 1 == trial_rows && table.size() > trial_rows / 2) few = false;
    }
    std::vector<Pair> pairs;
    if (few) {
        pairs = table.take();
        std::sort(pairs.begin(), pairs.end(), before);
    } else {
        pairs = sorted_pairs(x, column, label, weight, control);
    }
    return unzip(pairs);
}

}  // namespace

std::vector<double> code_counts(const StridedCodes& codes, const std::int64_t* categories, const std::int64_t* label,
                                const double* weight, std::size_t classes, int threads, const Control& control) {
    std::vector<std::size_t> start(codes.columns + 1, 0);
    for (std::size_t j = 0; j < codes.columns; ++j) {
        start[j + 1] = start[j] + classes * static_cast<std::size_t>(categories[j]);
    }
    std::vector<double> counts(start.back(), 0.0);
    parallel_for(threads, codes.columns, [&](std::size_t j, int) {
        const auto width = static_cast<std::size_t>(categories[j]);
        double* table = counts.data() + start[j];
        const std::int32_t* column = codes.data + static_cast<std::ptrdiff_t>(j) * codes.column_stride;
        for (std::size_t i = 0; i < codes.rows; ++i) {
            if (i % check_rows == 0) control.check();
            const std::size_t code =
                static_cast<std::uint32_t>(column[static_cast<std::ptrdiff_t>(i) * codes.row_stride]);
            if (code < width) table[static_cast<std::size_t>(label[i]) * width + code] += weight ? weight[i] : 1.0;
        }
    });
    return counts;
}

std::vector<ValueCounts> value_counts(const StridedRows& x, const std::int64_t* label, const double* weight,
                                      int threads, const Control& control) {
    std::vector<ValueCounts> counts(x.columns);
    parallel_for(threads, x.columns,
                 [&](std::size_t j, int) { counts[j] = count_column(x, j, label, weight, control); });
    return counts;
}

}  // namespace vaglio
