// Trees of threshold tests alone take a fast way, several rows at a time; all others take rows one by one, and a row of
// unknown value may reach several leaves.
#include "tree/predict.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "base/parallel.hpp"
#include "tree/shapley.hpp"

namespace vaglio::tree {
namespace {

constexpr std::size_t chunk_rows = 4096;  // rows per task: a fraction of a millisecond
constexpr std::int32_t spread = -1;       // the branch of a row that goes down all of them

std::size_t chunk_count(std::size_t rows) { return (rows + chunk_rows - 1) / chunk_rows; }

void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

}  // namespace

TreePredictor::TreePredictor(Tree tree, std::vector<Feature> features, std::vector<std::uint32_t> categories)
    : tree_(std::move(tree)), features_(std::move(features)), categories_(std::move(categories)) {
    for (const Feature& f : features_)
        if (!f.nominal) numeric_columns_ = std::max<std::size_t>(numeric_columns_, f.column + std::size_t{1});
    check();
    make_steps();
}

void TreePredictor::check() const {
    check_structure(tree_);
    for (std::size_t i = 0; i < tree_.size(); ++i) {
        if (tree_.is_leaf(i)) continue;
        const auto kind = static_cast<NodeKind>(tree_.kind[i]);
        if (kind == NodeKind::linear) {
            check_linear(i);
            continue;
        }
        require(tree_.feature[i] >= 0 && static_cast<std::size_t>(tree_.feature[i]) < features_.size(),
                "a tree node tests a feature that does not exist");
        const Feature feature = features_[static_cast<std::size_t>(tree_.feature[i])];
        if (kind == NodeKind::threshold) {
            require(!feature.nominal, "a tree node compares a nominal feature with a threshold");
            continue;
        }
        const bool multiway = kind == NodeKind::multiway;
        require((multiway || kind == NodeKind::subset) && feature.nominal && feature.column < categories_.size(),
                "a tree node has a test of unknown kind");
        const std::size_t known = categories_[feature.column], words = multiway ? known : (known + 31) / 32;
        const std::int64_t start = tree_.table_start[i];
        const auto stored = static_cast<std::int64_t>(tree_.tables.size());
        require(start >= 0 && start <= stored && static_cast<std::int64_t>(words) <= stored - start,
                "a tree node's table of categories is outside the tables");
        for (std::size_t w = 0; multiway && w < words; ++w)
            require(tree_.tables[static_cast<std::size_t>(start) + w] < static_cast<std::uint32_t>(tree_.n_children[i]),
                    "a tree node sends a category to no branch");
    }
}

void TreePredictor::check_linear(std::size_t node) const {
    const std::int64_t start = tree_.linear_start[node], terms = tree_.linear_terms[node];
    const auto stored = static_cast<std::int64_t>(tree_.linear_feature.size());
    require(start >= 0 && terms >= 1 && terms <= stored && start <= stored - terms &&
                tree_.linear_coef.size() == tree_.linear_feature.size(),
            "a tree node's linear terms are outside the stored ones");
    for (std::int64_t t = start; t < start + terms; ++t) {
        const std::int32_t f = tree_.linear_feature[static_cast<std::size_t>(t)];
        require(
            f >= 0 && static_cast<std::size_t>(f) < features_.size() && !features_[static_cast<std::size_t>(f)].nominal,
            "a tree node adds up a feature that is not a number");
    }
}

void TreePredictor::make_steps() {
    plain_ = true;
    for (std::size_t i = 0; i < tree_.size(); ++i) {
        if (tree_.is_leaf(i)) continue;
        plain_ = plain_ && tree_.kind[i] == static_cast<std::uint8_t>(NodeKind::threshold) && !tree_.strict[i];
    }
    if (!plain_) return;
    // A leaf steps onto itself: an infinite threshold on column 0, so that several rows can walk in step.
    steps_.resize(tree_.size());
    for (std::size_t i = 0; i < tree_.size(); ++i) {
        if (tree_.is_leaf(i)) {
            steps_[i] = {INFINITY, -1, static_cast<std::int32_t>(i)};
        } else {
            const auto column = features_[static_cast<std::size_t>(tree_.feature[i])].column;
            steps_[i] = {tree_.threshold[i], static_cast<std::int32_t>(column), tree_.first_child[i]};
        }
    }
}

std::int32_t TreePredictor::branch(std::int32_t node, const PredictRows& rows, std::size_t row) const {
    const auto n = static_cast<std::size_t>(node);
    if (tree_.kind[n] == static_cast<std::uint8_t>(NodeKind::linear)) return linear_branch(n, rows, row);
    const Feature feature = features_[static_cast<std::size_t>(tree_.feature[n])];
    if (!feature.nominal) {
        const double x = rows.numeric[row * rows.numeric_columns + feature.column];
        if (x != x) return tree_.missing_branch[n];
        return tree_.strict[n] ? !(x < tree_.threshold[n]) : !(x <= tree_.threshold[n]);
    }
    const std::int32_t code = rows.codes[feature.column * rows.rows + row];
    if (code < 0 || static_cast<std::uint32_t>(code) >= categories_[feature.column]) return tree_.missing_branch[n];
    const std::uint32_t* table = &tree_.tables[static_cast<std::size_t>(tree_.table_start[n])];
    if (tree_.kind[n] == static_cast<std::uint8_t>(NodeKind::multiway)) return static_cast<std::int32_t>(table[code]);
    return static_cast<std::int32_t>(table[code / 32] >> (code % 32) & 1u);
}

std::int32_t TreePredictor::linear_branch(std::size_t node, const PredictRows& rows, std::size_t row) const {
    double sum = 0;
    const auto start = static_cast<std::size_t>(tree_.linear_start[node]);
    for (std::size_t t = start; t < start + static_cast<std::size_t>(tree_.linear_terms[node]); ++t) {
        const auto column = features_[static_cast<std::size_t>(tree_.linear_feature[t])].column;
        sum += tree_.linear_coef[t] * rows.numeric[row * rows.numeric_columns + column];
    }
    return sum != sum ? tree_.missing_branch[node] : static_cast<std::int32_t>(!(sum <= tree_.threshold[node]));
}

template <class Leaf>
void TreePredictor::descend(const PredictRows& rows, std::size_t row, std::vector<Visit>& stack, Leaf leaf) const {
    stack.assign(1, {0, 1.0});
    while (!stack.empty()) {
        Visit at = stack.back();
        stack.pop_back();
        while (!tree_.is_leaf(static_cast<std::size_t>(at.node))) {
            const auto n = static_cast<std::size_t>(at.node);
            const std::int32_t b = branch(at.node, rows, row), first = tree_.first_child[n];
            if (b != spread) {
                at.node = first + b;
                continue;
            }
            double total = 0;
            for (std::int32_t c = 0; c < tree_.n_children[n]; ++c)
                total += tree_.weight[static_cast<std::size_t>(first + c)];
            const std::size_t waiting = stack.size();
            // The first branch is followed at once, the others wait: leaves come in ascending order.
            for (std::int32_t c = tree_.n_children[n] - 1; c >= 0; --c) {
                const double share = tree_.weight[static_cast<std::size_t>(first + c)] / total;
                if (share > 0) stack.push_back({first + c, at.share * share});
            }
            // Weights that are all zero, or whose sum is not finite, give no branch a share.
            if (stack.size() == waiting) {
                at.node = first;
                continue;
            }
            at = stack.back();
            stack.pop_back();
        }
        leaf(at.node, at.share);
    }
}

// Walks rows down a tree of threshold tests, eight side by side so that their cache misses overlap. False when a row
// misses a value: then the slow way is taken for the chunk.
bool TreePredictor::fast_leaves(const PredictRows& rows, std::size_t begin, std::size_t end,
                                std::int32_t* leaves) const {
    constexpr std::size_t lanes = 8;
    const Step* steps = steps_.data();
    for (std::size_t row = begin; row < end; row += lanes) {
        const std::size_t count = std::min(lanes, end - row);
        const double* x[lanes];
        std::int32_t at[lanes] = {};
        for (std::size_t k = 0; k < lanes; ++k)
            x[k] = rows.numeric + (row + std::min(k, count - 1)) * rows.numeric_columns;
        for (bool moving = true; moving;) {
            moving = false;
            for (std::size_t k = 0; k < lanes; ++k) {
                const Step step = steps[at[k]];
                if (step.column < 0) continue;
                const double value = x[k][step.column];
                if (value != value) return false;
                at[k] = step.first_child + !(value <= step.threshold);
                moving = true;
            }
        }
        std::copy_n(at, count, leaves + row);
    }
    return true;
}

std::vector<std::int32_t> TreePredictor::apply(const PredictRows& rows, int threads, Control& control) const {
    std::vector<std::int32_t> leaves(rows.rows);
    parallel_for(threads, chunk_count(rows.rows), [&](std::size_t chunk, int) {
        control.check();
        const std::size_t begin = chunk * chunk_rows, end = std::min(rows.rows, begin + chunk_rows);
        if (plain_ && fast_leaves(rows, begin, end, leaves.data())) return;
        std::vector<Visit> stack;
        for (std::size_t row = begin; row < end; ++row) {
            double heaviest = -1;
            descend(rows, row, stack, [&](std::int32_t node, double share) {
                if (share < heaviest || (share == heaviest && node >= leaves[row])) return;
                heaviest = share;
                leaves[row] = node;
            });
        }
    });
    return leaves;
}

std::vector<double> TreePredictor::predict(const PredictRows& rows, std::span<const double> leaf_values,
                                           std::size_t width, int threads, Control& control) const {
    std::vector<double> result(rows.rows * width, 0.0);
    std::vector<std::int32_t> leaves(plain_ ? rows.rows : 0);
    parallel_for(threads, chunk_count(rows.rows), [&](std::size_t chunk, int) {
        control.check();
        const std::size_t begin = chunk * chunk_rows, end = std::min(rows.rows, begin + chunk_rows);
        if (plain_ && fast_leaves(rows, begin, end, leaves.data())) {
            for (std::size_t row = begin; row < end; ++row)
                std::copy_n(&leaf_values[static_cast<std::size_t>(leaves[row]) * width], width, &result[row * width]);
            return;
        }
        std::vector<Visit> stack;
        for (std::size_t row = begin; row < end; ++row)
            descend(rows, row, stack, [&](std::int32_t node, double share) {
                const double* value = &leaf_values[static_cast<std::size_t>(node) * width];
                for (std::size_t c = 0; c < width; ++c) result[row * width + c] += share * value[c];
            });
    });
    return result;
}

void TreePredictor::predict_row(const double* numeric, const std::int32_t* codes, const double* leaf_values,
                                std::size_t width, double* sums) const {
    const PredictRows rows{1, numeric, numeric_columns_, codes, categories_.size()};
    // Few rows lack a value: only those need a stack.
    std::int32_t node = 0;
    while (!tree_.is_leaf(static_cast<std::size_t>(node))) {
        const std::int32_t next = branch(node, rows, 0);
        if (next == spread) break;
        node = tree_.first_child[static_cast<std::size_t>(node)] + next;
    }
    const auto add = [&](std::int32_t leaf, double share) {
        const double* value = leaf_values + static_cast<std::size_t>(leaf) * width;
        for (std::size_t c = 0; c < width; ++c) sums[c] += share * value[c];
    };
    if (tree_.is_leaf(static_cast<std::size_t>(node))) {
        add(node, 1.0);
        return;
    }
    std::vector<Visit> stack;
    descend(rows, 0, stack, add);
}

std::vector<double> TreePredictor::contributions(const PredictRows& rows, std::span<const double> leaf_values,
                                                 std::size_t width, std::span<const double> direction, int threads,
                                                 Control& control) const {
    const std::size_t columns = features_.size() + 1;
    const ShapleyTree shapley(shapley_nodes(tree_), features_.size());
    std::vector<double> result(rows.rows * columns, 0.0);
    parallel_for(threads, rows.rows, [&](std::size_t row, int) {
        control.check();
        ShapleyWalk walk(shapley);
        double* found = result.data() + row * columns;
        const auto value = [&](std::int32_t node) {
            const double* says = &leaf_values[static_cast<std::size_t>(node) * width];
            return std::inner_product(says, says + width, &direction[row * width], 0.0);
        };
        found[columns - 1] = walk.add([&](std::int32_t node) { return branch(node, rows, row); }, value, found);
    });
    return result;
}

TreePredictor::Paths TreePredictor::decision_path(const PredictRows& rows, int threads, Control& control) const {
    // A row may reach a node by one way only, so the path is all ancestors of its leaves.
    std::vector<std::int32_t> parent(tree_.size(), -1);
    for (std::size_t i = 0; i < tree_.size(); ++i)
        for (std::int32_t c = 0; !tree_.is_leaf(i) && c < tree_.n_children[i]; ++c)
            parent[static_cast<std::size_t>(tree_.first_child[i] + c)] = static_cast<std::int32_t>(i);
    const std::size_t chunks = chunk_count(rows.rows);
    std::vector<Paths> parts(chunks);
    parallel_for(threads, chunks, [&](std::size_t chunk, int) {
        control.check();
        std::vector<Visit> stack;
        std::vector<std::int32_t> path;
        for (std::size_t row = chunk * chunk_rows; row < std::min(rows.rows, (chunk + 1) * chunk_rows); ++row) {
            path.clear();
            descend(rows, row, stack, [&](std::int32_t node, double) {
                for (; node >= 0; node = parent[static_cast<std::size_t>(node)]) path.push_back(node);
            });
            std::sort(path.begin(), path.end());
            path.erase(std::unique(path.begin(), path.end()), path.end());
            parts[chunk].nodes.insert(parts[chunk].nodes.end(), path.begin(), path.end());
            parts[chunk].offsets.push_back(static_cast<std::int64_t>(parts[chunk].nodes.size()));
        }
    });
    Paths result;
    result.offsets.push_back(0);
    for (const Paths& part : parts) {
        const std::int64_t base = result.offsets.back();
        for (const std::int64_t offset : part.offsets) result.offsets.push_back(base + offset);
        result.nodes.insert(result.nodes.end(), part.nodes.begin(), part.nodes.end());
    }
    return result;
}

}  // namespace vaglio::tree
