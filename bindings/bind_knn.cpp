#include "knn/neighbor_index.hpp"
#include "support.hpp"

namespace {

vaglio::Metric metric_of(const std::string& name) {
    if (name == "manhattan") return vaglio::Metric::manhattan;
    if (name == "euclidean") return vaglio::Metric::euclidean;
    if (name == "chebyshev") return vaglio::Metric::chebyshev;
    if (name == "minkowski") return vaglio::Metric::minkowski;
    if (name == "cosine") return vaglio::Metric::cosine;
    if (name == "hamming") return vaglio::Metric::hamming;
    throw nb::value_error("unknown metric");
}

vaglio::Search search_of(const std::string& name) {
    if (name == "auto") return vaglio::Search::automatic;
    if (name == "brute") return vaglio::Search::brute;
    if (name == "kd_tree") return vaglio::Search::kd_tree;
    throw nb::value_error("unknown search");
}

vaglio::Points points_of(const Array2<double>& numeric, const Array2<std::int32_t>& codes) {
    require(numeric.shape(0) == codes.shape(0), "numeric and codes must have the same number of rows");
    return {numeric.data(), numeric.shape(1), codes.data(), codes.shape(1), numeric.shape(0)};
}

using PerColumn = std::optional<Array1<double>>;
using Absent = std::optional<Array1<std::int32_t>>;

void check_columns(const vaglio::Points& train, const vaglio::Points& queries, double power, const Absent& absent,
                   const PerColumn& share) {
    require(train.n_numeric == queries.n_numeric && train.n_nominal == queries.n_nominal,
            "queries must have the columns of the rows searched");
    require(power > 0, "power must be positive");
    require(!absent || absent->shape(0) == train.n_nominal, "absent must have one code per nominal column");
    require(!share || share->shape(0) == train.n_nominal, "share must have one number per nominal column");
}

double steps_among(const vaglio::Points& train, const vaglio::Points& queries) {
    return steps_of({train.n_rows, queries.n_rows, train.n_numeric + train.n_nominal});
}

auto nearest_neighbors(Array2<double> numeric, Array2<std::int32_t> codes, Array2<double> query_numeric,
                       Array2<std::int32_t> query_codes, std::size_t k, const std::string& metric, double power,
                       double mismatch, double missing, double missing_nominal, bool exclude_self,
                       const std::string& search, int n_threads, Absent absent, PerColumn share,
                       vaglio::NeighborIndex* index, bool ranked, Progress progress) {
    const vaglio::Points train = points_of(numeric, codes), queries = points_of(query_numeric, query_codes);
    check_columns(train, queries, power, absent, share);
    require(!exclude_self || train.n_rows == queries.n_rows, "exclude_self needs the rows themselves as queries");
    const vaglio::NeighborConfig config{metric_of(metric),
                                        power,
                                        mismatch,
                                        missing,
                                        missing_nominal,
                                        k,
                                        exclude_self,
                                        search_of(search),
                                        n_threads,
                                        absent ? absent->data() : nullptr,
                                        share ? share->data() : nullptr,
                                        ranked};
    auto found = run_kernel(
        progress,
        [&](vaglio::Control& control) { return vaglio::nearest_neighbors(train, queries, config, control, index); },
        steps_among(train, queries));
    const std::vector<std::size_t> shape{queries.n_rows, k};
    return std::make_tuple(to_numpy(std::move(found.rows), shape), to_numpy(std::move(found.distances), shape));
}

auto neighbor_shares(Array2<double> numeric, Array2<std::int32_t> codes, Array2<double> query_numeric,
                     Array2<std::int32_t> query_codes, Array1<std::int64_t> labels, std::size_t classes, std::size_t k,
                     const std::string& metric, double power, const std::string& search, int n_threads, Absent absent,
                     PerColumn share, vaglio::NeighborIndex* index) {
    const vaglio::Points train = points_of(numeric, codes), queries = points_of(query_numeric, query_codes);
    check_columns(train, queries, power, absent, share);
    require(classes > 0 && queries.n_rows < (std::size_t{1} << 48) / classes, "a number of classes is impossible");
    const vaglio::NeighborConfig config{.metric = metric_of(metric),
                                        .power = power,
                                        .k = k,
                                        .search = search_of(search),
                                        .threads = n_threads,
                                        .absent = absent ? absent->data() : nullptr,
                                        .share = share ? share->data() : nullptr,
                                        .ranked = true};
    auto shares = run_kernel(
        nb::none(),
        [&](vaglio::Control& control) {
            return vaglio::neighbor_shares(train, queries, config, span_of(labels), classes, control, index);
        },
        steps_among(train, queries));
    return to_numpy(std::move(shares), {queries.n_rows, classes});
}

auto distances_of_ranks(Array2<double> ranks, const std::string& metric, double power, std::size_t features,
                        int n_threads) {
    require(power > 0 && features > 0, "power and the number of columns must be positive");
    const vaglio::NeighborConfig config{.metric = metric_of(metric), .power = power, .threads = n_threads};
    std::vector<double> distances(ranks.data(), ranks.data() + ranks.size());
    without_gil([&] { vaglio::end_ranks(distances, config, features); });
    return to_numpy(std::move(distances), {ranks.shape(0), ranks.shape(1)});
}

auto count_votes(Array1<std::int64_t> labels, Array2<std::int64_t> rows, std::size_t classes, int threads) {
    require(classes > 0 && rows.shape(0) < (std::size_t{1} << 48) / classes, "a number of classes is impossible");
    auto votes = without_gil([&] {
        return vaglio::count_votes(span_of(labels), {rows.data(), rows.size()}, rows.shape(0), classes, threads);
    });
    return to_numpy(std::move(votes), {rows.shape(0), classes});
}

}  // namespace

void register_knn(nb::module_& m) {
    nb::class_<vaglio::NeighborIndex>(m, "NeighborIndex", "What searches among the same rows keep from call to call.")
        .def(nb::init<>());
    m.def("nearest_neighbors", &nearest_neighbors, nb::arg("numeric"), nb::arg("codes"), nb::arg("query_numeric"),
          nb::arg("query_codes"), nb::kw_only(), nb::arg("k"), nb::arg("metric") = "euclidean", nb::arg("power") = 2.0,
          nb::arg("mismatch") = 1.0, nb::arg("missing") = 1.0, nb::arg("missing_nominal") = 1.0,
          nb::arg("exclude_self") = false, nb::arg("search") = "auto", nb::arg("n_threads") = 1,
          nb::arg("absent") = nb::none(), nb::arg("share") = nb::none(), nb::arg("index") = nb::none(),
          nb::arg("ranked") = false, nb::arg("progress") = nb::none(),
          "Rows and distances, (n_queries, k) each, of the k nearest rows; ties to the lowest row.");
    m.def("neighbor_shares", &neighbor_shares, nb::arg("numeric"), nb::arg("codes"), nb::arg("query_numeric"),
          nb::arg("query_codes"), nb::arg("labels"), nb::arg("classes"), nb::kw_only(), nb::arg("k"),
          nb::arg("metric") = "euclidean", nb::arg("power") = 2.0, nb::arg("search") = "auto", nb::arg("n_threads") = 1,
          nb::arg("absent") = nb::none(), nb::arg("share") = nb::none(), nb::arg("index") = nb::none(),
          "The share of the k nearest rows that has each label, (n_queries, classes).");
    m.def("distances_of_ranks", &distances_of_ranks, nb::arg("ranks"), nb::kw_only(), nb::arg("metric"),
          nb::arg("power"), nb::arg("features"), nb::arg("n_threads") = 1,
          "The distances of what nearest_neighbors found with ranked=True.");
    m.def("count_votes", &count_votes, nb::arg("labels"), nb::arg("rows"), nb::arg("classes"), nb::arg("threads"),
          "How many of the rows found for each query have each label.");
}
