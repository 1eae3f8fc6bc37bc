#include "filter_body.hpp"

void vaglio::knn::filter_v3(const FilterBlock& block) { scan(block); }
