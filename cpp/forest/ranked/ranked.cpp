#include "forest/ranked/ranked.hpp"

#include <algorithm>
#include <bit>

#include "base/parallel.hpp"
#include "base/radix_sort.hpp"
#include "forest/ranked/rounds.hpp"

namespace vaglio::forest {
namespace {

// A tree is read from far away once per block, whose ranks stay in the second-level cache.
constexpr std::size_t most_block_ranks = 8192 * line_ranks, least_block_rows = 256;
constexpr std::size_t most_thresholds = 0xfffe;  // of a feature; ranks go one further

// The rank of a category is its code.
void rank_codes(const std::int32_t* codes, std::size_t stride, std::uint32_t categories,
                std::span<std::uint16_t> ranks) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const std::int32_t code = codes[i * stride];
        const bool known = code >= 0 && static_cast<std::uint32_t>(code) < categories;
        ranks[i] = known ? static_cast<std::uint16_t>(code) : no_rank;
    }
}

// From one row to the next: so many that a row does not cross from one line of the cache to another without need.
std::size_t stride_of(std::size_t features) {
    return features <= line_ranks ? std::bit_ceil(features) : (features + line_ranks - 1) / line_ranks * line_ranks;
}

// Blocks of one size, as many for one thread as for the others.
std::size_t rows_of_block(std::size_t rows, std::size_t stride, int threads) {
    const std::size_t most = most_block_ranks / std::clamp<std::size_t>(stride, line_ranks, 8 * line_ranks);
    const auto workers = static_cast<std::size_t>(std::max(threads, 1));
    const std::size_t blocks = (rows + most * workers - 1) / (most * workers) * workers;
    return blocks == 0 ? 1 : std::max((rows + blocks - 1) / blocks, std::min(rows, least_block_rows));
}

// Adds the `width` numbers of each row's leaf to its sums.
void add_values(const double* values, std::size_t width, std::span<const std::int32_t> leaves, double* sums,
                std::size_t stride) {
    for (const std::int32_t leaf : leaves) {
        const double* content = values + static_cast<std::size_t>(leaf) * width;
        for (std::size_t c = 0; c < width; ++c) sums[c] += content[c];
        sums += stride;
    }
}

}  // namespace

// Ranks of a block of rows, row after row, and the leaf of each row in one tree.
struct RankedForest::Block {
    struct alignas(64) Line {
        std::uint16_t ranks[line_ranks];
    };

    std::size_t count = 0, width, stride;
    std::vector<Line> lines;
    std::vector<std::uint16_t> column;
    std::vector<std::int32_t> leaves;
    bool missing = false;

    Block(std::size_t most, std::size_t features)
        : width(features),
          stride(stride_of(features)),
          lines(most * stride / line_ranks + 4),
          column(most),
          leaves(most) {}

    std::uint16_t* row(std::size_t i) { return lines.data()->ranks + i * stride; }
    RankedRows rows() const { return {count, width, stride, lines.data()->ranks, missing}; }
};

std::unique_ptr<const RankedForest> RankedForest::of(const ForestView& forest, int threads, Control& control) {
    if (forest.categories.size() >= missing_goes_right || forest.nodes.size() > 0xffffffffULL) return nullptr;
    if (std::any_of(forest.categories.begin(), forest.categories.end(), [](auto c) { return c >= no_rank; })) {
        return nullptr;
    }
    for (std::size_t tree = 0; tree < forest.n_trees(); ++tree) {
        if (forest.starts[tree + 1] - forest.starts[tree] > most_treelet_nodes) return nullptr;
    }
    std::unique_ptr<RankedForest> made(new RankedForest(forest));
    if (!made->number_bitsets() || !made->group_trees(0, forest.n_trees(), threads, control)) return nullptr;
    parallel_for(threads, forest.n_trees(), [&](std::size_t tree, int) {
        control.check();
        const auto first = static_cast<std::size_t>(forest.starts[tree]);
        const std::size_t count = static_cast<std::size_t>(forest.starts[tree + 1]) - first;
        made->trees_[tree] = cut_into_treelets(forest.nodes.subspan(first, count),
                                               std::span<const std::uint16_t>(made->ranks_).subspan(first, count));
    });
    made->ranks_ = {};
    return made;
}

bool RankedForest::number_bitsets() {
    for (const std::uint32_t count : forest_.categories) nominal_.push_back(count > 0 ? 0xffff : 0);
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
        const ForestNode& node = forest_.nodes[i];
        if (node.link < 0 || forest_.categories[node.feature & ~missing_right] == 0) continue;
        if (bitsets_.size() == no_rank) return false;
        ranks_[i] = static_cast<std::uint16_t>(bitsets_.size());
        bitsets_.push_back(static_cast<std::uint32_t>(node.threshold));
    }
    return true;
}

// Numbers the thresholds of these trees, feature by feature, and halves the trees where a feature has too many.
bool RankedForest::group_trees(std::size_t first, std::size_t last, int threads, Control& control) {
    std::vector<std::vector<KeyedRow>> tests(forest_.categories.size());
    for (auto i = static_cast<std::size_t>(forest_.starts[first]); i < static_cast<std::size_t>(forest_.starts[last]);
         ++i) {
        const ForestNode& node = forest_.nodes[i];
        const std::uint32_t feature = node.feature & ~missing_right;
        if (node.link < 0 || forest_.categories[feature] > 0) continue;
        tests[feature].push_back({ordered_bits(node.threshold), static_cast<std::uint32_t>(i)});
    }
    Group group{first, last, std::vector<Thresholds>(tests.size())};
    parallel_for(threads, tests.size(), [&](std::size_t feature, int) {
        control.check();
        group.thresholds[feature] = Thresholds(number_thresholds(tests[feature]));
    });
    if (std::all_of(group.thresholds.begin(), group.thresholds.end(),
                    [](const auto& some) { return some.size() <= most_thresholds; })) {
        groups_.push_back(std::move(group));
        return true;
    }
    const std::size_t middle = first + (last - first) / 2;
    return last - first > 1 && group_trees(first, middle, threads, control) &&
           group_trees(middle, last, threads, control);
}

std::vector<double> RankedForest::number_thresholds(std::vector<KeyedRow>& tests) {
    std::vector<KeyedRow> spare(tests.size());
    const KeyedRow* sorted =
        radix_sort(tests.data(), spare.data(), tests.size(), 0, 64, [](const KeyedRow& test) { return test.key; });
    std::vector<double> thresholds;
    for (std::size_t i = 0; i < tests.size() && thresholds.size() <= most_thresholds; ++i) {
        if (i == 0 || sorted[i].key != sorted[i - 1].key) thresholds.push_back(forest_.nodes[sorted[i].row].threshold);
        ranks_[sorted[i].row] = static_cast<std::uint16_t>(thresholds.size() - 1);
    }
    return thresholds;
}

void RankedForest::rank_rows(const Group& group, const ForestRows& rows, std::size_t first, Block& block) const {
    block.missing = false;
    for (std::size_t f = 0; f < block.width; ++f) {
        const Feature& feature = rows.features[f];
        std::uint16_t* ranks = block.column.data();
        const std::size_t place = first * rows.n_numeric + feature.column;
        if (feature.nominal) {
            rank_codes(rows.codes + first * rows.n_nominal + feature.column, rows.n_nominal, forest_.categories[f],
                       {ranks, block.count});
        } else if (group.thresholds[f].size() > 0) {
            block.missing |= rows.single != nullptr
                                 ? group.thresholds[f].rank(rows.single + place, rows.n_numeric, block.count, ranks)
                                 : group.thresholds[f].rank(rows.numeric + place, rows.n_numeric, block.count, ranks);
        }
        for (std::size_t i = 0; i < block.count; ++i) block.row(i)[f] = ranks[i];
    }
}

// Whether it is a test of numbers or of categories, both answers are found: nobody can foresee which one is asked for.
VAGLIO_INLINE std::size_t RankedForest::goes_right(std::uint16_t tested, std::uint16_t test,
                                                   const std::uint16_t* row) const {
    const std::size_t feature = tested & (missing_goes_right - 1);
    const unsigned rank = row[feature], nominal = nominal_[feature], known = rank != no_rank;
    const unsigned code = rank & nominal & (0 - known);
    const unsigned member = forest_.tables[bitsets_[test & nominal] + code / 32] >> (code % 32);
    const unsigned right = (member & nominal) | (static_cast<unsigned>(rank > test) & ~nominal);
    return ((right & known) | (tested >> 15 & (known ^ 1))) & 1;
}

void RankedForest::find_leaves(std::size_t t, Block& block) const {
    const RankedTree tree{&trees_[t].top, trees_[t].parts.data()};
    if (bitsets_.empty()) {
        VAGLIO_LEVELS(find_leaves).best()(tree, block.rows(), block.leaves.data());
        return;
    }
    // Step by step for several rows: while one waits for its test, the others go on.
    constexpr std::size_t lanes = 16;
    pass_in_rounds<lanes>(
        tree, block.rows(), block.leaves.data(), [this](const auto& treelets, const auto& rows, auto& ends) {
            const auto& some = *treelets[0];
            std::size_t at[lanes];
            for (std::size_t& place : at) place = 1;
            for (int level = 0; level < some.levels; ++level) {
                for (std::size_t lane = 0; lane < lanes; ++lane) {
                    const auto& tests = *treelets[lane];
                    at[lane] = 2 * at[lane] + goes_right(tests.feature[at[lane]], tests.rank[at[lane]], rows[lane]);
                }
            }
            for (std::size_t lane = 0; lane < lanes; ++lane) ends[lane] = treelets[lane]->end[at[lane] - some.size];
        });
}

void RankedForest::add(const ForestRows& rows, std::span<const double> values, std::size_t width, std::size_t outputs,
                       std::span<double> sums, int threads, Control& control) const {
    const std::size_t block_rows = rows_of_block(rows.rows, stride_of(rows.features.size()), threads);
    const std::size_t stride = width * outputs;
    const std::size_t blocks = (rows.rows + block_rows - 1) / block_rows;
    control.expect(blocks);
    parallel_for(threads, blocks, [&](std::size_t b, int) {
        Block block(block_rows, rows.features.size());
        block.count = std::min(block_rows, rows.rows - b * block_rows);
        double* first = sums.data() + b * block_rows * stride;
        for (const Group& group : groups_) {
            rank_rows(group, rows, b * block_rows, block);
            for (std::size_t t = group.first; t < group.last; ++t) {
                find_leaves(t, block);
                add_values(values.data(), width, {block.leaves.data(), block.count}, first + t % outputs * width,
                           stride);
                control.check();
            }
        }
        control.advance(1);
    });
}

const RankedForest* RankedForestOnce::get(const ForestView& forest, std::size_t rows, int threads, Control& control) {
    const std::lock_guard lock(mutex_);
    asked_ += rows;
    // Making it costs about what it saves for two rows per node of a tree.
    if (!made_ && asked_ >= 64 && asked_ * forest.n_trees() >= 2 * forest.nodes.size()) {
        ranked_ = RankedForest::of(forest, threads, control);
        made_ = true;
    }
    return ranked_.get();
}

}  // namespace vaglio::forest
