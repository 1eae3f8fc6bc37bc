// One row from a dict, tuple or list to a prediction, without a frame, an array or another thread.
#include <nanobind/stl/unique_ptr.h>

#include <array>
#include <cmath>
#include <limits>

#include "row_scorers.hpp"

namespace {

// Descriptions of columns or members, several things each.
using Tuples = nb::typed<nb::list, nb::typed<nb::tuple, nb::any, nb::ellipsis>>;

constexpr double missing_number = std::numeric_limits<double>::quiet_NaN();

// How the value of a column is read.
enum class Reading : int { number, category, rank };

struct RowColumn {
    nb::object name;
    Reading reading;
    std::size_t place;   // in the block of numbers (number, rank) or of codes
    nb::object codes;    // dict: value -> code
    nb::object convert;  // called for any other value: a number, or None if it does not know it either
};

// Room for the numbers and codes of a row: on the stack, unless there are many.
class RowSpace {
 public:
    RowSpace(std::size_t n_numbers, std::size_t n_codes) {
        if (n_numbers > few_numbers_.size()) numbers_.resize(n_numbers);
        if (n_codes > few_codes_.size()) codes_.resize(n_codes);
    }
    double* numbers() { return numbers_.empty() ? few_numbers_.data() : numbers_.data(); }
    std::int32_t* codes() { return codes_.empty() ? few_codes_.data() : codes_.data(); }

 private:
    std::array<double, 32> few_numbers_;
    std::array<std::int32_t, 32> few_codes_;
    std::vector<double> numbers_;
    std::vector<std::int32_t> codes_;
};

class RowReader {
 public:
    // columns: (name, reading, place, codes, convert) in the order of the table. Without names a dict is not read.
    RowReader(const Tuples& columns, std::size_t n_numbers, std::size_t n_codes, bool named)
        : numbers_(n_numbers), codes_(n_codes), named_(named) {
        for (const nb::handle entry : columns) {
            const auto column = nb::cast<nb::tuple>(entry);
            require(column.size() == 5, "a column is described by five things");
            const int reading = nb::cast<int>(column[1]);
            require(reading >= 0 && reading <= static_cast<int>(Reading::rank), "no such reading");
            const auto place = nb::cast<std::size_t>(column[2]);
            const bool code = reading == static_cast<int>(Reading::category);
            require(place < (code ? codes_ : numbers_), "a column has no place");
            require(nb::isinstance<nb::dict>(column[3]), "the codes are a dict");
            columns_.push_back({column[0], static_cast<Reading>(reading), place, column[3], column[4]});
        }
        require(columns_.size() == numbers_ + codes_, "every place needs a column");
    }

    std::size_t numbers() const { return numbers_; }
    std::size_t codes() const { return codes_; }

    // False where the row, or a value, is not of the plain kind that is read here.
    bool read(nb::handle row, double* numbers, std::int32_t* codes) const {
        if (PyDict_Check(row.ptr())) {
            if (!named_) return false;
            for (const RowColumn& column : columns_) {
                PyObject* value = PyDict_GetItemWithError(row.ptr(), column.name.ptr());
                if (!value && PyErr_Occurred()) throw nb::python_error();
                if (!value || !put(column, value, numbers, codes)) return false;
            }
            return true;
        }
        const bool tuple = PyTuple_Check(row.ptr());
        if (!tuple && !PyList_Check(row.ptr())) return false;
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            // Looked up each time: what converts a value could shorten a list.
            if (static_cast<std::size_t>(Py_SIZE(row.ptr())) != columns_.size()) return false;
            const auto at = static_cast<Py_ssize_t>(j);
            const nb::object value =
                nb::borrow(tuple ? PyTuple_GET_ITEM(row.ptr(), at) : PyList_GET_ITEM(row.ptr(), at));
            if (!put(columns_[j], value.ptr(), numbers, codes)) return false;
        }
        return static_cast<std::size_t>(Py_SIZE(row.ptr())) == columns_.size();
    }

 private:
    bool put(const RowColumn& column, PyObject* value, double* numbers, std::int32_t* codes) const {
        double found = missing_number;
        if (value != Py_None && !number_of(column, value, found)) return false;
        if (column.reading == Reading::category) {
            codes[column.place] = found >= 0 ? static_cast<std::int32_t>(found) : -1;
        } else {
            numbers[column.place] = column.reading == Reading::rank && found < 0 ? missing_number : found;
        }
        return true;
    }

    bool number_of(const RowColumn& column, PyObject* value, double& found) const {
        if (column.reading == Reading::number) {
            if (PyFloat_Check(value)) {
                found = PyFloat_AS_DOUBLE(value);
                return !std::isinf(found);
            }
            if (PyLong_CheckExact(value)) {
                found = PyLong_AsDouble(value);
                if (found != -1.0 || !PyErr_Occurred()) return true;
                PyErr_Clear();
                return false;
            }
        } else if (PyUnicode_CheckExact(value) || PyBool_Check(value) || PyLong_CheckExact(value)) {
            PyObject* code = PyDict_GetItemWithError(column.codes.ptr(), value);
            if (code) {
                found = static_cast<double>(PyLong_AsLong(code));
                return true;
            }
            if (PyErr_Occurred()) throw nb::python_error();
        }
        const nb::object hold = nb::borrow(value);
        const nb::object converted = column.convert(hold);
        if (!PyFloat_Check(converted.ptr())) return false;
        found = PyFloat_AS_DOUBLE(converted.ptr());
        return !std::isinf(found);
    }

    std::vector<RowColumn> columns_;
    std::size_t numbers_, codes_;
    bool named_;
};

// The row as the two blocks of an EncodedMatrix, or None.
std::optional<std::tuple<NumPy<double>, NumPy<std::int32_t>>> encode(const RowReader& reader, nb::handle row) {
    std::vector<double> numbers(reader.numbers());
    std::vector<std::int32_t> codes(reader.codes());
    if (!reader.read(row, numbers.data(), codes.data())) return std::nullopt;
    const std::size_t p = numbers.size(), q = codes.size();
    return std::tuple{to_numpy(std::move(numbers), {1, p}), to_numpy(std::move(codes), {1, q})};
}

// (code of the class, outputs), or None.
class RowScore : public nb::object {
    NB_OBJECT_DEFAULT(RowScore, nb::object, "tuple[int, list[float]] | None", is_any)
};

RowScore score(const RowReader& reader, const RowScorer& scorer, nb::handle row) {
    require(scorer.numbers <= reader.numbers() && scorer.codes <= reader.codes(), "the model reads more columns");
    RowSpace space(reader.numbers(), reader.codes());
    if (!reader.read(row, space.numbers(), space.codes())) return nb::borrow<RowScore>(nb::none());
    std::array<double, 32> few;
    std::vector<double> many(scorer.outputs > few.size() ? scorer.outputs : 0);
    double* out = many.empty() ? few.data() : many.data();
    const int decided = scorer.score({space.numbers(), space.codes()}, out);
    if (decided < 0) return nb::borrow<RowScore>(nb::none());
    nb::object values = nb::steal(PyList_New(static_cast<Py_ssize_t>(scorer.outputs)));
    for (std::size_t c = 0; c < scorer.outputs; ++c) {
        PyList_SET_ITEM(values.ptr(), static_cast<Py_ssize_t>(c), PyFloat_FromDouble(out[c]));
    }
    return nb::borrow<RowScore>(nb::make_tuple(decided, values));
}

std::vector<RowMember> members_from(const Tuples& members) {
    std::vector<RowMember> found;
    using Columns = std::vector<std::int64_t>;
    for (const nb::handle entry : members) {
        const auto member = nb::cast<nb::tuple>(entry);
        require(member.size() == 6, "a member is described by six things");
        found.push_back({member[0], nb::cast<double>(member[1]), nb::cast<bool>(member[2]),
                         nb::cast<Columns>(member[3]), nb::cast<Columns>(member[4]), nb::cast<Columns>(member[5])});
    }
    return found;
}

}  // namespace

void register_row(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<RowScorer>(m, "RowScorer", "A model that classifies one row at a time.");
    nb::class_<RowReader>(m, "RowReader", "Reads a dict, tuple or list as the numbers and codes of one row.")
        .def(nb::init<const Tuples&, std::size_t, std::size_t, bool>(), "columns"_a, "numbers"_a, "codes"_a, "named"_a)
        .def("encode", &encode, "row"_a, "The row as blocks of numbers and codes; None if it is not plain.")
        .def("score", &score, "scorer"_a, "row"_a, "Code of the class, and the outputs; None if it is not plain.");
    m.def(
        "tree_scorer",
        [](nb::pointer_and_handle<vaglio::tree::TreePredictor> predictor, Array2<double> values) {
            return tree_scorer(nb::borrow(predictor.h), std::move(values));
        },
        "predictor"_a, "values"_a);
    m.def(
        "forest_scorer",
        [](nb::pointer_and_handle<PackedForest> forest, Array2<double> values) {
            return forest_scorer(nb::borrow(forest.h), std::move(values));
        },
        "forest"_a, "values"_a);
    m.def(
        "boosted_scorer",
        [](nb::pointer_and_handle<PackedForest> forest, Array1<double> values, Array1<double> baseline, int link) {
            return boosted_scorer(nb::borrow(forest.h), std::move(values), std::move(baseline), link);
        },
        "forest"_a, "values"_a, "baseline"_a, "link"_a);
    m.def(
        "linear_scorer",
        [](Array1<std::int64_t> start, Array1<std::int64_t> factor, Array1<double> centre, Array1<double> scale,
           Array1<double> fill, Array1<std::int64_t> numeric_columns, std::vector<Array1<std::int64_t>> columns,
           Array2<double> coef, Array1<double> intercept, int link) {
            return linear_scorer(
                {start, factor, centre, scale, fill, numeric_columns, std::move(columns), coef, intercept}, link);
        },
        "start"_a, "factor"_a, "centre"_a, "scale"_a, "fill"_a, "numeric_columns"_a, "code_columns"_a, "coef"_a,
        "intercept"_a, "link"_a);
    m.def(
        "model_tree_scorer",
        [](nb::pointer_and_handle<vaglio::tree::TreePredictor> predictor, Array1<double> centre, Array1<double> scale,
           Array1<double> fill, Array1<std::int64_t> start, Array1<std::int64_t> place, Array1<std::int64_t> category,
           Array1<double> coef, Array1<double> intercept, Array1<double> bounds) {
            return model_tree_scorer(nb::borrow(predictor.h),
                                     {centre, scale, fill, start, place, category, coef, intercept, bounds});
        },
        "predictor"_a, "centre"_a, "scale"_a, "fill"_a, "start"_a, "place"_a, "category"_a, "coef"_a, "intercept"_a,
        "bounds"_a);
    m.def(
        "bayes_scorer",
        [](Array1<double> prior, Array1<std::int32_t> kind, Array1<std::int32_t> column, Array1<std::int64_t> size,
           Array1<std::int64_t> start, Array1<double> numbers, std::size_t n_numbers, std::size_t n_codes) {
            return bayes_scorer({prior, kind, column, size, start, numbers}, n_numbers, n_codes);
        },
        "prior"_a, "kind"_a, "column"_a, "size"_a, "start"_a, "numbers"_a, "n_numbers"_a, "n_codes"_a);
    m.def(
        "ensemble_scorer",
        [](const Tuples& members, std::size_t outputs) { return ensemble_scorer(members_from(members), outputs); },
        "members"_a, "outputs"_a);
}
