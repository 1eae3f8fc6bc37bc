// The nearest rows of any rows, by every metric: k rows that exist, nearest first, the same by every search.
#include <bit>

#include "input.hpp"
#include "knn/neighbors.hpp"

using namespace vaglio;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    vaglio_fuzz::Input input(data, size);
    const std::size_t n = 1 + input.below(60), n_numeric = input.below(5), n_nominal = input.below(3);
    NeighborConfig config;
    config.metric = static_cast<Metric>(input.below(6));
    config.exclude_self = n > 1 && input.flag();
    const std::size_t m = config.exclude_self ? n : input.below(6);
    config.k = 1 + input.below(n - (config.exclude_self ? 1 : 0));
    config.power = 0.25 + static_cast<double>(input.below(16)) / 2;
    config.mismatch = input.weight();
    config.missing = input.weight();
    config.missing_nominal = input.weight();
    const auto cell = [&] { return input.cell(); };
    const auto code = [&] { return input.index<std::int32_t>(); };
    const auto numbers = input.list(n * n_numeric, cell);
    const auto codes = input.list(n * n_nominal, code);
    const auto asked_numbers = config.exclude_self ? numbers : input.list(m * n_numeric, cell);
    const auto asked_codes = config.exclude_self ? codes : input.list(m * n_nominal, code);
    const auto absent = input.list(n_nominal, code);
    if (input.flag()) config.absent = absent.data();
    const Points train{numbers.data(), n_numeric, codes.data(), n_nominal, n};
    const Points queries{asked_numbers.data(), n_numeric, asked_codes.data(), n_nominal, m};
    Control control;
    std::vector<std::int64_t> first;
    for (const Search search : {Search::brute, Search::kd_tree, Search::automatic}) {
        config.search = search;
        const Neighbors found = nearest_neighbors(train, queries, config, control);
        PROMISE(found.rows.size() == m * config.k && found.distances.size() == m * config.k);
        for (std::size_t i = 0; i < found.rows.size(); ++i) {
            PROMISE(found.rows[i] >= 0 && static_cast<std::size_t>(found.rows[i]) < n);
            PROMISE(i % config.k == 0 || !(found.distances[i] < found.distances[i - 1]));
        }
        if (search == Search::brute) first = found.rows;
        PROMISE(found.rows == first);
    }
    return 0;
}
