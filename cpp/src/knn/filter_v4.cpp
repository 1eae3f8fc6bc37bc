#include "filter_body.hpp"

void vaglio::knn::filter_v4(const FilterBlock& block) { scan(block); }
