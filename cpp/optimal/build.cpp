#include <algorithm>
#include <limits>
#include <numeric>

#include "optimal/gain.hpp"
#include "optimal/solve.hpp"

namespace vaglio::optimal {
namespace {

using Rows = std::vector<std::uint32_t>;

class Builder {
 public:
    Builder(const tree::TreeData& data, const Problem& problem) : data_(data), problem_(problem) {
        entry_.assign(problem.rows + 1, problem.entries.size());
        for (std::size_t i = problem.entries.size(); i-- > 0;) entry_[problem.entries[i].row] = i;
        for (std::size_t row = problem.rows; row-- > 0;) entry_[row] = std::min(entry_[row], entry_[row + 1]);
    }

    tree::Tree build(const Choice* choice) {
        tree_.width = problem_.numbers ? 1 : problem_.labels;
        tree_.append(1);
        Rows rows(data_.rows);
        std::iota(rows.begin(), rows.end(), 0u);
        grow(0, rows, choice);
        return tree::compact(tree_);
    }

 private:
    // Fills a node and what is below it; returns what it costs.
    Cost grow(std::size_t node, const Rows& rows, const Choice* choice) {
        describe(node, rows);
        const Cost leaf = cost_of(rows);
        if (!choice) return leaf;
        const Column& column = problem_.columns[choice->test.column];
        const auto& codes = problem_.codes[choice->test.column];
        Rows left, right;
        for (const std::uint32_t row : rows) (choice->test.goes_left(column, codes[row]) ? left : right).push_back(row);
        const Choice *low = choice->left.get(), *high = choice->right.get();
        // A test that only parts known values from missing ones has the known ones first.
        if (column.ordered && column.missing == 0 && choice->test.code == 0) {
            std::swap(left, right);
            std::swap(low, high);
        }
        const auto first = static_cast<std::size_t>(tree_.append(2));
        write_test(node, choice->test, column, left, right);
        tree_.first_child[node] = static_cast<std::int32_t>(first);
        tree_.n_children[node] = 2;
        const double before = tree_.impurity[node] * tree_.weight[node];
        Cost below = grow(first, left, low);
        below += grow(first + 1, right, high);
        tree_.gain[node] = (before - tree_.impurity[first] * tree_.weight[first] -
                            tree_.impurity[first + 1] * tree_.weight[first + 1]) /
                           tree_.weight[node];
        if (below < leaf) return below;
        tree_.make_leaf(node);
        return leaf;
    }

    Cost cost_of(const Rows& rows) const {
        std::vector<Cost> gains(problem_.labels, 0);
        Cost most = 0;
        for (const std::uint32_t row : rows) {
            for (std::size_t i = entry_[row]; i < entry_[row + 1]; ++i) {
                gains[problem_.entries[i].label] += problem_.entries[i].gain;
                most += problem_.entries[i].most;
            }
        }
        return most - best_gain(gains, problem_.numbers) + problem_.leaf_price;
    }

    void describe(std::size_t node, const Rows& rows) {
        if (problem_.numbers) return describe_numbers(node, rows);
        double* value = tree_.value.data() + node * problem_.labels;
        double weight = 0, squares = 0;
        for (const std::uint32_t row : rows) {
            const double own = data_.weights ? data_.weights[row] : 1.0;
            value[data_.labels[row]] += own;
            weight += own;
        }
        for (std::size_t k = 0; k < problem_.labels; ++k) squares += value[k] * value[k];
        tree_.weight[node] = weight;
        tree_.impurity[node] = 1 - squares / (weight * weight);
    }

    void describe_numbers(std::size_t node, const Rows& rows) {
        const double* y = data_.targets;
        double weight = 0, mean = 0, squares = 0;
        for (const std::uint32_t row : rows) {
            const double own = data_.weights ? data_.weights[row] : 1.0;
            const double change = y[row] - mean;
            weight += own;
            mean += change * (own / weight);
            squares += own * change * (y[row] - mean);
        }
        tree_.value[node] = mean;
        tree_.weight[node] = weight;
        tree_.impurity[node] = weight > 0 ? squares / weight : 0;
    }

    void write_test(std::size_t node, const Test& test, const Column& column, const Rows& left, const Rows& right) {
        const auto& codes = problem_.codes[test.column];
        tree_.feature[node] = static_cast<std::int32_t>(column.feature);
        const auto missing = [&](const Rows& rows) {
            return std::any_of(rows.begin(), rows.end(),
                               [&](std::uint32_t row) { return codes[row] == column.missing; });
        };
        const auto weight = [&](const Rows& rows) {
            double sum = 0;
            for (const std::uint32_t row : rows) sum += data_.weights ? data_.weights[row] : 1.0;
            return sum;
        };
        // Where no row misses the value, later ones go the way of most rows.
        tree_.missing_branch[node] = missing(left) ? 0 : missing(right) ? 1 : weight(left) >= weight(right) ? 0 : 1;
        if (column.ordered) {
            tree_.kind[node] = static_cast<std::uint8_t>(tree::NodeKind::threshold);
            tree_.threshold[node] = threshold(test, column, left, right);
            return;
        }
        tree_.kind[node] = static_cast<std::uint8_t>(tree::NodeKind::subset);
        tree_.table_start[node] = static_cast<std::int64_t>(tree_.tables.size());
        const std::uint32_t categories = data_.categories[data_.features[column.feature].column];
        tree_.tables.resize(tree_.tables.size() + (categories + 31) / 32, 0);
        // Values that no row has here go the way of most rows.
        std::vector<std::uint8_t> branch(categories, weight(left) >= weight(right) ? 0 : 1);
        for (const std::uint32_t row : left) put(branch, codes[row], 0);
        for (const std::uint32_t row : right) put(branch, codes[row], 1);
        std::uint32_t* table = tree_.tables.data() + tree_.table_start[node];
        for (std::uint32_t code = 0; code < categories; ++code)
            table[code / 32] |= static_cast<std::uint32_t>(branch[code]) << (code % 32);
    }

    static void put(std::vector<std::uint8_t>& branch, std::uint32_t code, std::uint8_t side) {
        if (code < branch.size()) branch[code] = side;
    }

    // Half-way between the greatest value on the left and the least on the right.
    double threshold(const Test& test, const Column& column, const Rows& left, const Rows& right) const {
        const auto& codes = problem_.codes[test.column];
        const std::uint32_t shift = column.missing == 0 ? 1 : 0;
        std::uint32_t below = 0, above = no_code;
        for (const std::uint32_t row : left)
            if (codes[row] != column.missing) below = std::max(below, codes[row]);
        for (const std::uint32_t row : right)
            if (codes[row] != column.missing) above = std::min(above, codes[row]);
        if (above == no_code) return std::numeric_limits<double>::infinity();
        const tree::RankedValues& values = data_.values[data_.features[column.feature].column];
        const double low = values[below - shift], high = values[above - shift], middle = low / 2 + high / 2;
        // Between neighbouring doubles the midpoint is one of them, and between infinities it is none.
        return middle >= low && middle < high ? middle : low;
    }

    const tree::TreeData& data_;
    const Problem& problem_;
    tree::Tree tree_;
    std::vector<std::size_t> entry_;  // where the entries of each row begin, and the end
};

}  // namespace

tree::Tree build_tree(const tree::TreeData& data, const Problem& problem, const Choice* choice) {
    return Builder(data, problem).build(choice);
}

}  // namespace vaglio::optimal
