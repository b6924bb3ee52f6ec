// SPDX-License-Identifier: Apache-2.0
// Catalogue: the common part of counters and knobs: a table of names, ids, scopes and types, and
// the lookups that programs make in it.
#pragma once

#include <cstdio>
#include <cstring>
#include <span>

namespace tasklens::runtime {

// Counters and knobs use the same numbers for types.
inline constexpr const char* kTypeNames[] = {nullptr, "int32", "int64", "float", "double"};
enum class ValueType { kInt32 = 1, kInt64 = 2, kFloat = 3, kDouble = 4 };

struct CatalogueRow {
  int id;  // position within the scope << 4 | scope
  ValueType type;
  const char* name;
  const char* help;
  int scope() const { return id & 15; }
};
struct ScopeName {
  int scope;
  const char* name;
};

class Catalogue {
 public:
  constexpr Catalogue(std::span<const CatalogueRow> rows, std::span<const ScopeName> scopes)
      : rows_(rows), scopes_(scopes) {}

  std::span<const CatalogueRow> rows() const { return rows_; }
  // Returns nullptr if there is none.
  const CatalogueRow* Find(int id) const {
    for (const CatalogueRow& row : rows_) {
      if (row.id == id) return &row;
    }
    return nullptr;
  }
  int IdOf(int scope, const char* name) const {
    for (const CatalogueRow& row : rows_) {
      if (row.scope() == scope && name && strcmp(row.name, name) == 0) return row.id;
    }
    return -1;
  }
  int Count(int scope) const {
    int count = 0;
    for (const CatalogueRow& row : rows_) count += row.scope() == scope;
    return count;
  }
  int Nth(int scope, int nth) const {
    return nth >= 0 && nth < Count(scope) ? nth << 4 | scope : -1;
  }

  int ScopeOf(const char* name) const {
    for (const ScopeName& scope : scopes_) {
      if (name && strcmp(scope.name, name) == 0) return scope.scope;
    }
    return -1;
  }
  const char* NameOfScope(int scope) const {
    for (const ScopeName& row : scopes_) {
      if (row.scope == scope) return row.name;
    }
    return nullptr;
  }

  void Print(int scope) const {
    printf("scope: %s\n", NameOfScope(scope) ? NameOfScope(scope) : "(there is no such scope)");
    for (const CatalogueRow& row : rows_) {
      if (row.scope() != scope) continue;
      printf("0x%08x:%s [%s] - %s\n", static_cast<unsigned>(row.id), row.name,
             kTypeNames[static_cast<int>(row.type)], row.help);
    }
  }
  void PrintAll() const {
    for (const ScopeName& scope : scopes_) Print(scope.scope);
  }

  static int TypeOf(const char* name) {
    for (int i = 1; i < 5; ++i) {
      if (name && strcmp(kTypeNames[i], name) == 0) return i;
    }
    return -1;
  }
  static const char* NameOfType(int type) {
    return type >= 1 && type <= 4 ? kTypeNames[type] : nullptr;
  }

 private:
  std::span<const CatalogueRow> rows_;
  std::span<const ScopeName> scopes_;
};

}  // namespace tasklens::runtime

// Defines the functions starpu_perf_KIND_...() that programs ask about a catalogue.
#define CATALOGUE_FUNCTIONS(kind, catalogue)                                                       \
  int starpu_perf_##kind##_scope_name_to_id(const char* name) { return catalogue.ScopeOf(name); }  \
  const char* starpu_perf_##kind##_scope_id_to_name(starpu_perf_##kind##_scope scope) {            \
    return catalogue.NameOfScope(scope);                                                           \
  }                                                                                                \
  int starpu_perf_##kind##_type_name_to_id(const char* name) { return Catalogue::TypeOf(name); }   \
  const char* starpu_perf_##kind##_type_id_to_name(starpu_perf_##kind##_type type) {               \
    return Catalogue::NameOfType(type);                                                            \
  }                                                                                                \
  int starpu_perf_##kind##_nb(starpu_perf_##kind##_scope scope) { return catalogue.Count(scope); } \
  int starpu_perf_##kind##_name_to_id(starpu_perf_##kind##_scope scope, const char* name) {        \
    return catalogue.IdOf(scope, name);                                                            \
  }                                                                                                \
  int starpu_perf_##kind##_nth_to_id(starpu_perf_##kind##_scope scope, int nth) {                  \
    return catalogue.Nth(scope, nth);                                                              \
  }                                                                                                \
  const char* starpu_perf_##kind##_id_to_name(int id) {                                            \
    const CatalogueRow* row = catalogue.Find(id);                                                  \
    return row ? row->name : nullptr;                                                              \
  }                                                                                                \
  int starpu_perf_##kind##_get_type_id(int id) {                                                   \
    const CatalogueRow* row = catalogue.Find(id);                                                  \
    return row ? static_cast<int>(row->type) : -1;                                                 \
  }                                                                                                \
  const char* starpu_perf_##kind##_get_help_string(int id) {                                       \
    const CatalogueRow* row = catalogue.Find(id);                                                  \
    return row ? row->help : nullptr;                                                              \
  }                                                                                                \
  void starpu_perf_##kind##_list_avail(starpu_perf_##kind##_scope scope) {                         \
    catalogue.Print(scope);                                                                        \
  }                                                                                                \
  void starpu_perf_##kind##_list_all_avail(void) { catalogue.PrintAll(); }
