#include "knn/tree/kd_tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/parallel.hpp"

namespace vaglio::knn {
namespace {

constexpr std::size_t looked_at = 64;  // rows that tell which column is the widest
constexpr double infinity = std::numeric_limits<double>::infinity();

const auto measure = VAGLIO_LEVELS(measure).best();
const auto box_distances = VAGLIO_LEVELS(box_distances).best();
const auto row_distances = VAGLIO_LEVELS(row_distances).best();
const auto list_nearest = VAGLIO_LEVELS(list_nearest).best();
const auto nearest_leaf = VAGLIO_LEVELS(nearest_leaf).best();

std::size_t panels_of(std::size_t rows) { return (rows + lanes - 1) / lanes; }

// Into how many parts so many rows are split: as many as make leaves, up to the fan.
std::size_t parts_of(std::size_t rows) {
    std::size_t parts = 1;
    while (parts < fan && rows > parts * leaf_rows) parts *= 2;
    return parts;
}

// The middle of some rows, rounded up so that the rows before it fill their panels.
std::size_t middle_of(std::size_t begin, std::size_t end) { return begin + panels_of((end - begin) / 2) * lanes; }

// Where part `part` of `parts` begins: medians of medians.
std::size_t part_begin(std::size_t begin, std::size_t end, std::size_t parts, std::size_t part) {
    if (part == parts) return end;
    for (; parts > 1; parts /= 2) {
        const std::size_t middle = middle_of(begin, end);
        if (part < parts / 2) {
            end = middle;
        } else {
            begin = middle;
            part -= parts / 2;
        }
    }
    return begin;
}

// The nearest of the boxes that a bit is set for, at least one; of equal ones the first.
std::size_t nearest_of(const double* bounds, std::uint32_t boxes) {
    auto nearest = static_cast<std::size_t>(std::countr_zero(boxes));
    double least = bounds[nearest];
    for (boxes &= boxes - 1; boxes != 0; boxes &= boxes - 1) {
        const auto b = static_cast<std::size_t>(std::countr_zero(boxes));
        const bool nearer = bounds[b] < least;
        least = nearer ? bounds[b] : least;
        nearest = nearer ? b : nearest;
    }
    return nearest;
}

// Those of the boxes that are not farther than `worst`.
std::uint32_t within(const double* bounds, std::uint32_t boxes, double worst) {
    std::uint32_t found = 0;
    for (std::uint32_t b = 0; b < fan; ++b) found |= static_cast<std::uint32_t>(bounds[b] <= worst) << b;
    return found & boxes;
}

std::uint32_t all_boxes(std::uint32_t count) { return (1u << count) - 1; }

bool any_missing(const double* numbers, std::size_t count) {
    return std::find_if(numbers, numbers + count, [](double x) { return x != x; }) != numbers + count;
}

}  // namespace

KdTree::KdTree(const Points& train, const NeighborConfig& config, Control& control)
    : n_numeric_(train.n_numeric), n_nominal_(train.n_nominal), order_(train.n_rows) {
    std::iota(order_.begin(), order_.end(), 0u);
    complete_ = !any_missing(train.numeric, train.n_rows * train.n_numeric);
    lay_out();
    const auto for_level = [&](std::size_t level, const auto& work) {
        parallel_for(config.threads, levels_[level + 1] - levels_[level], [&](std::size_t i, int) {
            control.check();
            work(nodes_[levels_[level] + i]);
        });
    };
    const std::size_t depth = levels_.size() - 1;
    for (std::size_t level = 0; level < depth; ++level) {
        for_level(level, [&](const Node& node) {
            if (node.children > 0)
                arrange(train, node);
            else
                fill_panels(train, node);
        });
    }
    const double missing = config.metric == Metric::euclidean ? config.missing * config.missing : config.missing;
    for (std::size_t level = depth; level-- > 0;) {
        for_level(level, [&](const Node& node) {
            if (node.children > 0) enclose(train, node, missing);
        });
    }
}

// The shape depends on the number of rows alone: all parts of a level are known before any row is moved.
void KdTree::lay_out() {
    nodes_.push_back({0, static_cast<std::uint32_t>(order_.size())});
    levels_ = {0, 1};
    std::uint32_t panels = 0, boxes = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (i == levels_.back()) levels_.push_back(nodes_.size());
        const std::size_t begin = nodes_[i].begin, end = nodes_[i].end, parts = parts_of(end - begin);
        if (parts == 1) {
            nodes_[i].first = panels;
            panels += static_cast<std::uint32_t>(panels_of(end - begin));
            continue;
        }
        nodes_[i].first = static_cast<std::uint32_t>(nodes_.size());
        nodes_[i].children = static_cast<std::uint32_t>(parts);
        nodes_[i].box = boxes++;
        for (std::size_t part = 0; part < parts; ++part) {
            nodes_.push_back({static_cast<std::uint32_t>(part_begin(begin, end, parts, part)),
                              static_cast<std::uint32_t>(part_begin(begin, end, parts, part + 1))});
        }
    }
    if (levels_.back() != nodes_.size()) levels_.push_back(nodes_.size());
    boxes_.resize(boxes * n_numeric_);
    numeric_.resize(panels * lanes * n_numeric_);
    codes_.resize(panels * lanes * n_nominal_);
}

void KdTree::arrange(const Points& train, const Node& node) {
    std::vector<Key> keys(node.end - node.begin);
    halve(train, node.begin, node.end, node.children, keys.data());
}

void KdTree::halve(const Points& train, std::size_t begin, std::size_t end, std::size_t parts, Key* keys) {
    const std::size_t column = widest_column(train, begin, end), count = end - begin;
    for (std::size_t i = 0; i < count; ++i) {
        const double value = train.row(order_[begin + i])[column];
        keys[i] = {value == value ? value : infinity, order_[begin + i]};
    }
    const std::size_t middle = middle_of(begin, end);
    std::nth_element(keys, keys + (middle - begin), keys + count);
    for (std::size_t i = 0; i < count; ++i) order_[begin + i] = keys[i].second;
    if (parts == 2) return;
    halve(train, begin, middle, parts / 2, keys);
    halve(train, middle, end, parts / 2, keys);
}

std::size_t KdTree::widest_column(const Points& train, std::size_t begin, std::size_t end) const {
    const std::size_t step = (end - begin - 1) / looked_at + 1;
    std::size_t widest = 0;
    double most = -1;
    for (std::size_t j = 0; j < n_numeric_; ++j) {
        double low = infinity, high = -infinity;
        for (std::size_t i = begin; i < end; i += step) {
            const double value = train.row(order_[i])[j];
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        if (high - low > most) {
            most = high - low;
            widest = j;
        }
    }
    return widest;
}

void KdTree::fill_panels(const Points& train, const Node& leaf) {
    for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
        const std::size_t panel = leaf.first + (i - leaf.begin) / lanes, lane = (i - leaf.begin) % lanes;
        double* numbers = numeric_.data() + panel * lanes * n_numeric_ + lane;
        for (std::size_t j = 0; j < n_numeric_; ++j) numbers[j * lanes] = train.row(order_[i])[j];
        std::int32_t* codes = codes_.data() + panel * lanes * n_nominal_ + lane;
        for (std::size_t j = 0; j < n_nominal_; ++j) codes[j * lanes] = train.code_row(order_[i])[j];
    }
}

// Boxes of the children, from their rows or from the boxes of their own children.
void KdTree::enclose(const Points& train, const Node& node, double missing) {
    BoxColumn* columns = boxes_.data() + node.box * n_numeric_;
    for (std::size_t b = 0; b < node.children; ++b) {
        const Node& child = nodes_[node.first + b];
        for (std::size_t j = 0; j < n_numeric_; ++j) {
            double low = infinity, high = -infinity, cap = infinity;
            if (child.children > 0) {
                const BoxColumn& inner = boxes_[child.box * n_numeric_ + j];
                low = *std::min_element(inner.low, inner.low + child.children);
                high = *std::max_element(inner.high, inner.high + child.children);
                cap = *std::min_element(inner.cap, inner.cap + child.children);
            } else {
                for (std::size_t i = child.begin; i < child.end; ++i) {
                    const double value = train.row(order_[i])[j];
                    low = value < low ? value : low;
                    high = value > high ? value : high;
                    cap = value == value ? cap : missing;
                }
            }
            columns[j].low[b] = low;
            columns[j].high[b] = high;
            columns[j].cap[b] = cap;
        }
    }
    for (std::size_t j = 0; j < n_numeric_; ++j) {
        for (std::size_t b = node.children; b < fan; ++b)
            columns[j].low[b] = columns[j].high[b] = columns[j].cap[b] = 0;
    }
}

std::size_t KdTree::search(const Distance& by, const Query& x, std::size_t self, std::size_t query, Best& best) const {
    Walk walk{by, x, complete_ && !any_missing(x.numeric, n_numeric_), self, query, best};
    visit(nodes_[0], walk);
    return walk.measured;
}

bool KdTree::can_list(const double* x, std::size_t k) const {
    return k <= most_listed && complete_ && n_nominal_ == 0 && !any_missing(x, n_numeric_);
}

void KdTree::list(const Distance& by, const double* x, std::uint32_t leaf, std::size_t self, Shortlist& found) const {
    list_nearest(by, view(), x, leaf, self, found);
}

std::uint32_t KdTree::leaf_of(const Distance& by, const double* x) const {
    return nearest_leaf(by, view(), x, complete_ && !any_missing(x, n_numeric_));
}

void KdTree::visit(const Node& node, Walk& walk) const {
    if (node.children == 0) return scan(node, walk);
    double bounds[fan];
    std::uint32_t left =
        all_boxes(node.children) & box_distances(walk.by, boxes_.data() + node.box * n_numeric_, walk.x.numeric,
                                                 walk.complete, walk.best.worst(walk.query), bounds);
    // Nearest box first: what is found there excludes most of the others.
    while (left != 0) {
        const std::size_t next = nearest_of(bounds, left);
        visit(nodes_[node.first + next], walk);
        left = within(bounds, left & ~(1u << next), walk.best.worst(walk.query));
    }
}

void KdTree::scan(const Node& leaf, Walk& walk) const {
    double sums[lanes];
    const std::size_t count = leaf.end - leaf.begin;
    walk.measured += count;
    for (std::size_t r = 0; r < count; r += lanes) {
        const std::size_t panel = leaf.first + r / lanes, filled = std::min(lanes, count - r);
        const double* numbers = numeric_.data() + panel * lanes * n_numeric_;
        double worst = walk.best.worst(walk.query);
        std::uint32_t within = (1u << filled) - 1;
        if (walk.complete && n_nominal_ == 0) {
            within &= row_distances(walk.by, numbers, walk.x.numeric, worst, sums);
        } else {
            measure(walk.by, {numbers, codes_.data() + panel * lanes * n_nominal_, nullptr}, walk.x, sums);
        }
        for (; within != 0; within &= within - 1) {
            const auto l = static_cast<std::size_t>(std::countr_zero(within));
            const std::uint32_t row = order_[leaf.begin + r + l];
            if (sums[l] > worst || row == walk.self) continue;
            walk.best.offer(walk.query, {sums[l], row});
            worst = walk.best.worst(walk.query);
        }
    }
}

}  // namespace vaglio::knn
