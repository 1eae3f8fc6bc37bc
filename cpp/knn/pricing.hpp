#pragma once
// What differences cost, in the form in which a metric adds them up.
#include <cmath>
#include <vector>

#include "knn/measure.hpp"

namespace vaglio::knn {

class Pricing {
 public:
    Pricing(const Points& train, const NeighborConfig& config)
        : mismatch_(nominal_costs(config.mismatch, config, train.n_nominal)),
          missing_(nominal_costs(config.missing_nominal, config, train.n_nominal)),
          distance_{config.metric,
                    config.power,
                    train.n_numeric,
                    train.n_nominal,
                    {joined(config.missing, config), mismatch_.data(), missing_.data()},
                    config.absent} {}
    Pricing(const Pricing&) = delete;
    Pricing& operator=(const Pricing&) = delete;

    const Distance& distance() const { return distance_; }

    static double joined(double difference, const NeighborConfig& config) {
        switch (config.metric) {
            case Metric::euclidean:
                return difference * difference;
            case Metric::minkowski:
                return std::pow(difference, config.power);
            default:
                return difference;
        }
    }

 private:
    static std::vector<double> nominal_costs(double difference, const NeighborConfig& config, std::size_t columns) {
        std::vector<double> costs(columns);
        for (std::size_t j = 0; j < columns; ++j) {
            costs[j] = joined(config.share == nullptr ? difference : config.share[j] * difference, config);
        }
        return costs;
    }

    std::vector<double> mismatch_, missing_;
    Distance distance_;
};

// The codes of some queries; a missing one becomes a code that no stored row has.
inline std::vector<std::int32_t> query_codes(const Points& queries, std::size_t first, std::size_t count) {
    constexpr std::int32_t matches_none = -0x7fffffff;
    std::vector<std::int32_t> codes(queries.code_row(first), queries.code_row(first) + count * queries.n_nominal);
    for (auto& code : codes) code = code < 0 ? matches_none : code;
    return codes;
}

}  // namespace vaglio::knn
