// Neighbours in few columns by a kd-tree: halves at the median of the widest column, boxes tight around their rows.
//
// A box is skipped when its nearest corner is farther than the worst neighbour held. That corner's distance is summed
// by the same operations in the same order as a row's; as rounding is monotone, it never exceeds the computed
// distance of a row inside, so that no neighbour and no tie is lost.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.hpp"
#include "knn/search.hpp"

namespace vaglio::knn {
namespace {

constexpr std::size_t leaf_rows = 16;       // smaller leaves exclude more rows, larger ones visit fewer boxes
constexpr std::size_t chunk_queries = 128;  // queries per task
constexpr std::int32_t none = -1;

struct Node {
    std::uint32_t begin, end;
    std::int32_t left = none;  // the right child follows it
};

double combined(Metric metric, double sum, double difference) {
    switch (metric) {
        case Metric::euclidean:
            return sum + difference * difference;
        case Metric::manhattan:
            return sum + difference;
        default:
            return sum < difference ? difference : sum;
    }
}

class Tree {
 public:
    Tree(const Points& train, Metric metric) : train_(train), metric_(metric), columns_(train.n_numeric) {
        order_.resize(train.n_rows);
        std::iota(order_.begin(), order_.end(), 0u);
        nodes_.push_back({0, static_cast<std::uint32_t>(train.n_rows)});
        for (std::size_t node = 0; node < nodes_.size(); ++node) grow(node);
        values_.resize(train.n_rows * columns_);
        for (std::size_t i = 0; i < order_.size(); ++i) {
            std::copy_n(train.row(order_[i]), columns_, values_.data() + i * columns_);
        }
    }

    void search(const double* x, std::size_t query, std::size_t self, Best& best) const {
        visit(0, x, query, self, best);
    }

    double box_distance(std::size_t node, const double* x) const {
        const double* low = boxes_.data() + node * 2 * columns_;
        const double* high = low + columns_;
        double sum = 0;
        for (std::size_t j = 0; j < columns_; ++j) {
            const double gap = x[j] < low[j] ? low[j] - x[j] : (x[j] > high[j] ? x[j] - high[j] : 0.0);
            sum = combined(metric_, sum, gap);
        }
        return sum;
    }

 private:
    void grow(std::size_t node) {
        const auto [begin, end, unused] = nodes_[node];
        boxes_.resize((node + 1) * 2 * columns_);
        double* low = boxes_.data() + node * 2 * columns_;
        double* high = low + columns_;
        std::copy_n(train_.row(order_[begin]), columns_, low);
        std::copy_n(low, columns_, high);
        for (std::size_t i = begin; i < end; ++i) {
            const double* row = train_.row(order_[i]);
            for (std::size_t j = 0; j < columns_; ++j) {
                low[j] = std::min(low[j], row[j]);
                high[j] = std::max(high[j], row[j]);
            }
        }
        std::size_t widest = 0;
        for (std::size_t j = 1; j < columns_; ++j) {
            if (high[j] - low[j] > high[widest] - low[widest]) widest = j;
        }
        if (end - begin <= leaf_rows || !(high[widest] > low[widest])) return;
        const std::uint32_t middle = begin + (end - begin) / 2;
        std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                         [&](std::uint32_t a, std::uint32_t b) {
                             const double x = train_.row(a)[widest], z = train_.row(b)[widest];
                             return x < z || (x == z && a < b);
                         });
        nodes_[node].left = static_cast<std::int32_t>(nodes_.size());
        nodes_.push_back({begin, middle});
        nodes_.push_back({middle, end});
    }

    void visit(std::size_t node, const double* x, std::size_t query, std::size_t self, Best& best) const {
        const Node& here = nodes_[node];
        if (here.left == none) return scan_leaf(here, x, query, self, best);
        const auto left = static_cast<std::size_t>(here.left);
        const double distances[2] = {box_distance(left, x), box_distance(left + 1, x)};
        const std::size_t nearer = distances[1] < distances[0] ? 1 : 0;
        for (const std::size_t side : {nearer, 1 - nearer}) {
            if (distances[side] <= best.worst(query)) visit(left + side, x, query, self, best);
        }
    }

    void scan_leaf(const Node& leaf, const double* x, std::size_t query, std::size_t self, Best& best) const {
        for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
            const double* z = values_.data() + i * columns_;
            double sum = 0;
            for (std::size_t j = 0; j < columns_; ++j) sum = combined(metric_, sum, std::abs(x[j] - z[j]));
            if (sum <= best.worst(query) && order_[i] != self) best.offer(query, {sum, order_[i]});
        }
    }

    const Points& train_;
    Metric metric_;
    std::size_t columns_;
    std::vector<Node> nodes_;
    std::vector<double> boxes_;  // low and high of every column, node by node
    std::vector<std::uint32_t> order_;
    std::vector<double> values_;  // rows in the order of the leaves
};

}  // namespace

void search_kd_tree(const Points& train, const Points& queries, const NeighborConfig& config, Control& control,
                    Candidate* out) {
    const Tree tree(train, config.metric);
    const std::size_t n_chunks = (queries.n_rows + chunk_queries - 1) / chunk_queries;
    control.expect(n_chunks);
    parallel_for(config.threads, n_chunks, [&](std::size_t c, int) {
        const std::size_t first = c * chunk_queries, count = std::min(chunk_queries, queries.n_rows - first);
        Best best(count, config.k);
        for (std::size_t q = 0; q < count; ++q) {
            tree.search(queries.row(first + q), q, config.exclude_self ? first + q : train.n_rows, best);
            std::copy_n(best.sorted(q), config.k, out + (first + q) * config.k);
            control.check();
        }
        control.advance(1);
    });
}

}  // namespace vaglio::knn
