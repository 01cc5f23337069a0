#include "options.hpp"

#include "others.hpp"
#include "text.hpp"

namespace tacore::python {
namespace {

nb::object default_of(const ParquetOptions& value);
nb::object default_of(const std::string& value) { return text(value); }
nb::object default_of(const std::vector<std::string>&) { return nb::list(); }
nb::object default_of(const std::vector<int>&) { return nb::list(); }
nb::object default_of(OnError value) { return text(value == OnError::Skip ? "skip" : "raise"); }
nb::object default_of(const std::vector<std::pair<std::string, std::string>>&) { return nb::dict(); }
template <class Number>
nb::object default_of(const Number& value) {
  return nb::cast(value);
}
template <class T>
nb::object default_of(const std::optional<T>& value) {
  return value ? default_of(*value) : nb::none();
}

template <class Options>
nb::list list_of() {
  Options options;
  nb::list out;
  visit_options(options, [&](const char* name, const auto& member, const char* description) {
    out.append(nb::make_tuple(name, default_of(member), description));
  });
  return out;
}

nb::object default_of(const ParquetOptions&) { return nb::none(); }

}  // namespace

void throw_unknown(const std::string& name) {
  const char* now = name == "limit"                          ? "max_concurrent_requests"
                    : name == "quiet"                        ? "progress"
                    : name == "workers" || name == "threads" ? "jobs"
                                                             : nullptr;
  throw nb::type_error(
      ("unexpected keyword argument '" + name + "'" + (now ? "; this option is called '" + std::string(now) + "'" : ""))
          .c_str());
}

void throw_wrong(const std::string& name, nb::handle value) {
  const auto found = nb::cast<std::string>(nb::repr(value));
  throw nb::type_error((name + ": the value has the wrong type or is out of range: " + found).c_str());
}

CreateOptions create_options(const nb::dict& given) {
  return options_of<CreateOptions>(given, {.transformer = crs_transformer()});
}

void bind_options(nb::module_& m) {
  m.def("option_lists", [] {
    nb::dict out;
    out["create"] = list_of<CreateOptions>();
    out["export"] = list_of<ExportOptions>();
    out["replay"] = list_of<ReplayOptions>();
    out["parquet"] = list_of<ParquetOptions>();
    out["remote"] = list_of<RemoteOptions>();
    out["create_tacocat"] = list_of<TacocatOptions>();
    out["create_tacollection"] = list_of<TacollectionOptions>();
    out["create_sidecar"] = list_of<SidecarOptions>();
    out["create_key"] = list_of<KeyOptions>();
    out["sign"] = list_of<SignOptions>();
    out["verify"] = list_of<VerifyOptions>();
    out["from_table"] = list_of<TableOptions>();
    out["load"] = list_of<LoadOptions>();
    out["validate"] = list_of<ValidateOptions>();
    out["doctor"] = list_of<DoctorOptions>();
    out["stored_summary"] = list_of<StatsOptions>();
    out["compute_statistics"] = list_of<ComputeOptions>();
    out["preview"] = list_of<PreviewOptions>();
    out["Loader"] = list_of<LoaderOptions>();
    out["list_datasets"] = list_of<ListOptions>();
    out["write_site"] = list_of<SiteOptions>();
    out["edit"] = list_of<EditOptions>();
    out["diff"] = list_of<DiffOptions>();
    out["publish"] = list_of<PublishOptions>();
    out["sync"] = list_of<SyncOptions>();
    out["make_tog"] = list_of<TogOptions>();
    out["with_togs"] = list_of<TogSamplesOptions>();
    out["write_tiff_index"] = list_of<TiffIndexFileOptions>();
    out["v1.create"] = list_of<v1::CreateTacoOptions>();
    out["v1.convert"] = list_of<v1::ConvertOptions>();
    return out;
  });
}

}  // namespace tacore::python
