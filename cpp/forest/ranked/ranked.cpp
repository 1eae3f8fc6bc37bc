#include "forest/ranked/ranked.hpp"

#include <cmath>
#include <numeric>

#include "base/parallel.hpp"
#include "base/radix_sort.hpp"
#include "forest/descend.hpp"

namespace vaglio::forest {
namespace {

// A tree is read from far away once per block, whose ranks stay in the second-level cache.
constexpr std::size_t block_rows = 4096;
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

// Ranks of a block of rows, row after row and column after column, and the leaf of each row in one tree.
struct RankedForest::Block {
    std::size_t count = 0, width = 0;
    std::vector<std::uint16_t> rows, columns;
    std::vector<std::int32_t> leaves;
    bool missing = false;

    Block(std::size_t most, std::size_t features)
        : width(features),
          rows((most + spare_rows) * features),
          columns((most + spare_rows) * features),
          leaves(most + spare_rows) {}

    std::size_t column_stride() const { return leaves.size(); }
    std::uint16_t* column(std::size_t f) { return columns.data() + f * column_stride(); }
};

std::unique_ptr<const RankedForest> RankedForest::of(const ForestView& forest, int threads, Control& control) {
    if (forest.categories.size() >= missing_goes_right || forest.nodes.size() > 0xffffffffULL) return nullptr;
    if (std::any_of(forest.categories.begin(), forest.categories.end(), [](auto c) { return c >= no_rank; })) {
        return nullptr;
    }
    std::unique_ptr<RankedForest> made(new RankedForest(forest));
    if (!made->number_bitsets() || !made->group_trees(0, forest.n_trees(), threads, control)) return nullptr;
    parallel_for(threads, forest.n_trees(), [&](std::size_t tree, int) {
        control.check();
        made->lay_out(tree);
    });
    made->ranks_ = {};
    return made;
}

bool RankedForest::number_bitsets() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
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

RankedNode RankedForest::ranked(std::size_t i) const {
    const ForestNode& node = forest_.nodes[i];
    if (node.link < 0) return {node.link, 0, 0};
    const bool right = (node.feature & missing_right) != 0;
    return {node.link, static_cast<std::uint16_t>((node.feature & ~missing_right) | (right ? missing_goes_right : 0)),
            ranks_[i]};
}

// Two children lie together, and with them the children of both: one line of the cache serves two steps.
void RankedForest::lay_out(std::size_t tree) {
    const auto start = static_cast<std::size_t>(forest_.starts[tree]);
    RankedNode* nodes = nodes_.data() + start;
    std::int32_t next = 1;
    nodes[0] = ranked(start);
    std::vector<std::int32_t> open;  // placed nodes whose children are not
    const auto place_children = [&](std::int32_t parent) {
        const std::int32_t child = nodes[parent].link;
        if (child < 0) return;
        nodes[parent].link = next;
        for (std::int32_t side = 0; side < 2; ++side) {
            nodes[next++] = ranked(start + static_cast<std::size_t>(child + side));
        }
    };
    open.push_back(0);
    while (!open.empty()) {
        const std::int32_t parent = open.back();
        open.pop_back();
        place_children(parent);
        if (nodes[parent].link < 0) continue;
        const std::int32_t first = nodes[parent].link;
        place_children(first);
        place_children(first + 1);
        for (std::int32_t side = 2; side-- > 0;) {
            const std::int32_t inner = nodes[first + side].link;
            if (inner < 0) continue;
            open.push_back(inner + 1);
            open.push_back(inner);
        }
    }
}

void RankedForest::rank_rows(const Group& group, const ForestRows& rows, std::size_t first, Block& block) const {
    block.missing = false;
    for (std::size_t f = 0; f < block.width; ++f) {
        const TreeFeature& feature = rows.features[f];
        std::uint16_t* ranks = block.column(f);
        const std::size_t place = first * rows.n_numeric + feature.column;
        if (feature.nominal) {
            rank_codes(rows.codes + first * rows.n_nominal + feature.column, rows.n_nominal, forest_.categories[f],
                       {ranks, block.count});
        } else if (group.thresholds[f].size() > 0) {
            block.missing |= rows.single != nullptr
                                 ? group.thresholds[f].rank(rows.single + place, rows.n_numeric, block.count, ranks)
                                 : group.thresholds[f].rank(rows.numeric + place, rows.n_numeric, block.count, ranks);
        }
        for (std::size_t i = 0; i < block.count; ++i) block.rows[i * block.width + f] = ranks[i];
    }
}

void RankedForest::find_leaves(std::size_t tree, Block& block) const {
    const RankedNode* nodes = nodes_.data() + forest_.starts[tree];
    if (bitsets_.empty()) {
        const RankedRows rows{block.count,          block.width,           block.rows.data(),
                              block.columns.data(), block.column_stride(), block.missing};
        VAGLIO_LEVELS(find_leaves).best()(nodes, rows, block.leaves.data());
        return;
    }
    const auto right = [&](const RankedNode& node, const std::uint16_t* ranks) -> std::int32_t {
        const std::size_t feature = node.feature & ~missing_goes_right;
        const std::uint16_t rank = ranks[feature];
        if (rank == no_rank) return (node.feature & missing_goes_right) != 0;
        if (forest_.categories[feature] == 0) return rank > node.rank;
        return static_cast<std::int32_t>(forest_.tables[bitsets_[node.rank] + rank / 32] >> (rank % 32) & 1);
    };
    std::size_t row[lanes];
    std::int32_t at[lanes] = {};
    std::size_t active = std::min(lanes, block.count), coming = active;
    std::iota(row, row + active, std::size_t{0});
    while (active > 0) {
        for (std::size_t lane = 0; lane < active;) {
            const RankedNode node = nodes[at[lane]];
            if (node.link >= 0) {
                at[lane] = node.link + right(node, block.rows.data() + row[lane] * block.width);
                ++lane;
                continue;
            }
            block.leaves[row[lane]] = ~node.link;
            if (coming < block.count) {
                row[lane] = coming++;
                at[lane++] = 0;
            } else {
                --active;
                row[lane] = row[active];
                at[lane] = at[active];
            }
        }
    }
}

void RankedForest::add(const ForestRows& rows, std::span<const double> values, std::size_t width, std::size_t outputs,
                       std::span<double> sums, int threads, Control& control) const {
    const std::size_t blocks = (rows.rows + block_rows - 1) / block_rows, stride = width * outputs;
    control.expect(blocks);
    parallel_for(threads, blocks, [&](std::size_t b, int) {
        Block block(std::min(block_rows, rows.rows), rows.features.size());
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
