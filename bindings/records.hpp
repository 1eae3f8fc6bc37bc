#pragma once
// Options and data cross the border to Python as classes: one per struct, with a keyword and an attribute for every
// field. A wrong name or type is found by a type checker, and else by the call that makes the object.
#include "support.hpp"

// A field: its name in Python, and where it is in the struct.
template <class Access>
struct Field {
    const char* name;
    Access access;
};
template <class Access>
Field(const char*, Access) -> Field<Access>;

template <class Config, class Access>
using FieldType = std::remove_cvref_t<std::invoke_result_t<Access, Config&>>;

template <class Config, class... Access>
nb::class_<Config> bind_config(nb::module_& m, const char* name, const char* doc, Field<Access>... fields) {
    nb::class_<Config> type(m, name, doc);
    Config defaults;
    type.def(
        "__init__",
        [fields...](Config* self, FieldType<Config, Access>... values) {
            Config* made = new (self) Config();
            ((fields.access(*made) = std::move(values)), ...);
        },
        nb::kw_only(), (nb::arg(fields.name) = fields.access(defaults))...);
    (type.def_prop_rw(
         fields.name, [access = fields.access](Config& self) -> FieldType<Config, Access>& { return access(self); },
         [access = fields.access](Config& self, FieldType<Config, Access> value) { access(self) = std::move(value); }),
     ...);
    // Whoever sends options to another process sends the values of all fields.
    using State = std::tuple<FieldType<Config, Access>...>;
    type.def("__getstate__", [fields...](Config& self) { return State(fields.access(self)...); });
    type.def("__setstate__", [fields...](Config& self, State state) {
        Config* made = new (&self) Config();
        std::apply([&](auto&... values) { ((fields.access(*made) = std::move(values)), ...); }, state);
    });
    const std::string signature = std::string("def replaced(self, **changes: typing.Any) -> ") + name;
    type.def(
        "replaced",
        [](const Config& self, const nb::kwargs& changes) {
            nb::object copy = nb::cast(Config(self));
            for (const auto& [field, value] : changes) copy.attr(field) = value;
            return nb::cast<Config>(copy);
        },
        nb::sig(signature.c_str()), "Return a copy with other values of some fields.");
    return type;
}

// How a field of data crosses: a number as it is, a vector as an array.
template <class T>
struct Crossing {
    using Given = T;
    static T taken(T given) { return given; }
    static const T& shown(const T& value) { return value; }
};
template <class T>
    requires std::is_arithmetic_v<T>
struct Crossing<std::vector<T>> {
    using Given = Array1<T>;
    static std::vector<T> taken(const Given& given) { return {given.data(), given.data() + given.size()}; }
    static View<T> shown(const std::vector<T>& values) { return view_of(values); }
};
template <class T>
struct Crossing<std::vector<std::vector<T>>> {
    using Given = std::vector<Array1<T>>;
    static std::vector<std::vector<T>> taken(const Given& given) {
        std::vector<std::vector<T>> values;
        for (const Array1<T>& one : given) values.push_back(Crossing<std::vector<T>>::taken(one));
        return values;
    }
    static std::vector<View<T>> shown(const std::vector<std::vector<T>>& values) {
        std::vector<View<T>> views;
        for (const auto& one : values) views.push_back(view_of(one));
        return views;
    }
};

// Binds a struct of numbers and arrays. Python gives values for all fields when it makes one, and reads the memory of
// the struct after that; who sends one to another process sends all fields.
template <class Record, class... Access>
nb::class_<Record> bind_record(nb::module_& m, const char* name, const char* doc, Field<Access>... fields) {
    using Given = std::tuple<typename Crossing<FieldType<Record, Access>>::Given...>;
    nb::class_<Record> type(m, name, doc);
    const auto fill = [fields...](Record* self, typename Crossing<FieldType<Record, Access>>::Given... given) {
        Record* made = new (self) Record();
        ((fields.access(*made) = Crossing<FieldType<Record, Access>>::taken(std::move(given))), ...);
    };
    type.def("__init__", fill, nb::kw_only(), nb::arg(fields.name)...);
    type.def("__getstate__", [fields...](Record& self) {
        return std::make_tuple(Crossing<FieldType<Record, Access>>::shown(fields.access(self))...);
    });
    type.def("__setstate__", [fill](Record& self, Given state) {
        std::apply([&](auto&... given) { fill(&self, std::move(given)...); }, state);
    });
    (type.def_prop_ro(
         fields.name,
         [access = fields.access](Record& self) { return Crossing<FieldType<Record, Access>>::shown(access(self)); }),
     ...);
    return type;
}

// A field with the name that it has in Python, by its path from the struct.
#define FIELD(name, path)                                       \
    Field {                                                     \
        name, [](auto& record) -> auto& { return record.path; } \
    }
#define SAME(field) FIELD(#field, field)

// Enumerations by the names of their values: Python gives and gets strings.
#define VAGLIO_NAMED(Enum, Literal, ...)                                                                  \
    template <>                                                                                           \
    struct nanobind::detail::type_caster<Enum> {                                                          \
        NB_TYPE_CASTER(Enum, const_name("typing.Literal[" Literal "]"))                                   \
        static constexpr std::pair<const char*, Enum> names[] = {__VA_ARGS__};                            \
        bool from_python(handle source, uint8_t, cleanup_list*) noexcept {                                \
            const char* given = PyUnicode_Check(source.ptr()) ? PyUnicode_AsUTF8(source.ptr()) : nullptr; \
            if (!given) PyErr_Clear();                                                                    \
            for (const auto& [text, known] : names)                                                       \
                if (given && std::string_view(given) == text) {                                           \
                    value = known;                                                                        \
                    return true;                                                                          \
                }                                                                                         \
            return false;                                                                                 \
        }                                                                                                 \
        static handle from_cpp(Enum known, rv_policy, cleanup_list*) noexcept {                           \
            for (const auto& [text, one] : names)                                                         \
                if (one == known) return PyUnicode_FromString(text);                                      \
            return PyUnicode_FromString("");                                                              \
        }                                                                                                 \
    };
