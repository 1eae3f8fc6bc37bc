#pragma once
// Options cross the border to Python as classes: one per struct of the kernels, with a keyword and an attribute for
// every field. A wrong name or type is found by a type checker, and else by the call that makes the object.
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
