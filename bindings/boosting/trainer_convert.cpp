#include "trainer_convert.hpp"

#include <cstring>

boosting::RawTable raw_table(const Strided2& numeric, const Columns2<std::int32_t>& codes,
                             const Array1<std::uint8_t>& nominal, const Array1<std::uint32_t>& column,
                             const Array1<std::uint32_t>& n_categories) {
    boosting::RawTable raw;
    raw.rows = std::max(numeric.shape(0), codes.shape(0));
    raw.features = features_from(nominal, column);
    require(numeric.shape(1) == 0 || numeric.shape(0) == raw.rows, "numeric and nominal columns differ in their rows");
    require(codes.shape(1) == 0 || codes.shape(0) == raw.rows, "numeric and nominal columns differ in their rows");
    require(codes.shape(1) == n_categories.size(), "one number of categories per nominal column is needed");
    require(raw.rows > 0 && !raw.features.empty(), "boosting needs a row and a column");
    require(raw.rows <= 0x7FFFFFFFu, "more rows than 31 bits can number");
    for (const auto& f : raw.features) {
        require(f.column < (f.nominal ? codes.shape(1) : numeric.shape(1)),
                "a feature names a column that is not there");
    }
    raw.numeric = numeric.data();
    raw.row_stride = numeric.stride(0);
    raw.column_stride = numeric.stride(1);
    raw.codes = codes.data();
    raw.categories.assign(n_categories.data(), n_categories.data() + n_categories.size());
    for (std::size_t c = 0; c < codes.shape(1); ++c) {
        const std::int32_t* first = raw.codes + c * raw.rows;
        const std::int64_t known = raw.categories[c];
        require(std::all_of(first, first + raw.rows, [&](std::int32_t code) { return code < known; }),
                "a code is outside its column's categories");
    }
    return raw;
}

boosting::TrainerConfig checked(boosting::TrainerConfig config, std::size_t n_features) {
    const boosting::GrowthConfig& growth = config.growth;
    const boosting::SplitConfig& split = growth.split;
    require(split.monotonic.empty() || split.monotonic.size() == n_features, "one constraint per feature is needed");
    require(growth.turns.empty() || growth.turns.size() == n_features, "one turn per feature is needed");
    for (const std::int32_t turn : growth.turns) config.turns = std::max(config.turns, turn + 1);
    require(!config.shared || split.monotonic.empty(), "a tree for several outputs takes no monotonic constraints");
    for (const auto& group : growth.interactions) {
        for (const std::uint32_t f : group) require(f < n_features, "an interaction names a feature that is not there");
    }
    return config;
}
