#include "knn/neighbor_index.hpp"

#include <stdexcept>

#include "knn/pricing.hpp"
#include "knn/search.hpp"

namespace vaglio {
namespace knn {
namespace {

// A tree costs about as much as so many queries that look at every row; fewer rows are looked at in no time.
constexpr std::size_t queries_that_pay = 64, rows_that_pay = 1000;
constexpr std::size_t filtered_queries_that_pay = 1024;
// Up to these shares of the rows a tree is faster than blocked products or filtered distances, and than direct ones.
constexpr double share_by_filter = 0.04, share_by_distances = 0.25;

// The share of the rows that a search looks at, by rows of the tree as queries.
double looked_at(const KdTree& tree, const Points& train, const NeighborConfig& config, Control& control) {
    constexpr std::size_t samples = 32;
    const Pricing pricing(train, config);
    Best best(samples, config.k);
    std::size_t measured = 0;
    for (std::size_t s = 0; s < samples; ++s) {
        const std::size_t row = s * train.n_rows / samples;
        const std::vector<std::int32_t> codes = query_codes(train, row, 1);
        measured += tree.search(pricing.distance(), {train.row(row), codes.data(), 0.0}, row, s, best);
        control.check();
    }
    return static_cast<double>(measured) / static_cast<double>(samples * train.n_rows);
}

}  // namespace
}  // namespace knn

NeighborIndex::NeighborIndex() = default;
NeighborIndex::~NeighborIndex() = default;

bool NeighborIndex::complete(const Points& train) {
    const std::lock_guard lock(mutex_);
    if (!complete_) complete_ = is_complete(train);
    return *complete_;
}

const knn::KdTree* NeighborIndex::tree(const Points& train, const NeighborConfig& config, std::size_t queries,
                                       bool tiles, Control& control) {
    const bool wanted = config.search == Search::kd_tree;
    const std::lock_guard lock(mutex_);
    asked_ += queries;
    const bool filtered = !tiles && knn::filtered_directly(train, queries, config);
    const std::size_t enough = filtered ? knn::filtered_queries_that_pay : knn::queries_that_pay;
    if (!wanted && (train.n_rows < knn::rows_that_pay || asked_ < enough)) return nullptr;
    if (share_ < 0) {
        auto built = std::make_unique<const knn::KdTree>(train, config, control);
        share_ = wanted ? 0.0 : knn::looked_at(*built, train, config, control);
        if (share_ <= (tiles || filtered ? knn::share_by_filter : knn::share_by_distances)) tree_ = std::move(built);
    }
    if (tree_ && (tree_->rows() != train.n_rows || tree_->columns() != train.n_numeric)) {
        throw std::invalid_argument("an index serves the rows that it was built for");
    }
    return tree_.get();
}

}  // namespace vaglio
